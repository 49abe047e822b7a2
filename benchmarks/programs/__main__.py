"""The overhead of an evaluation by a program of 5 ms, at -j 1: python -m benchmarks.programs

Two runs of different length are subtracted, so that starting Python is in neither number; so are two of hyperfine,
which does the same without a log. The program's own time is what each measures of it.
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

Own = Callable[[], float]
"""The mean time of the program itself, in seconds."""
Run = Callable[[int, Path], Own]

PROGRAM = ["sleep", "0.005"]
FEW, MANY, ROUNDS = 20, 120, 3
MOST_SECONDS = 0.003
"""The bar: overhead of one evaluation."""


def main() -> int:
    """Print both overheads; 1 if ours is beyond the bar."""
    ours = min(overhead(_satisfice) for _ in range(ROUNDS))
    print(
        f"satisfice run: {1e3 * ours:.2f} ms an evaluation on top of the program; the bar is {1e3 * MOST_SECONDS:g} ms"
    )
    if shutil.which("hyperfine") is None:
        print("hyperfine is not installed: nothing to compare with")
    else:
        print(f"hyperfine:     {1e3 * min(overhead(_hyperfine) for _ in range(ROUNDS)):.2f} ms")
    return int(ours > MOST_SECONDS)


def overhead(run: Run) -> float:
    """Seconds an evaluation takes on top of what is measured of the program."""
    with tempfile.TemporaryDirectory() as folder:
        (few, _), (many, own) = (_timed(run, count, Path(folder)) for count in (FEW, MANY))
    return (many - few) / (MANY - FEW) - own


def _timed(run: Run, count: int, folder: Path) -> tuple[float, float]:
    began = perf_counter()
    own = run(count, folder)
    return perf_counter() - began, own()


def _satisfice(count: int, folder: Path) -> Own:
    storage, words = f"sqlite:///{folder}/{count}.db", [sys.executable, "-m", "satisfice"]
    limit = ["--config", "sleep", "-t", "wall_time <= 100 ~ 0.1 : bounded(0, 1000000)"]  # takes long to decide
    subprocess.run(
        [*words, "run", *limit, "--max-evaluations", str(count), "-q", "--storage", storage, "--", *PROGRAM],
        check=False,  # undecided is an exit code of its own
        capture_output=True,
    )

    def own() -> float:
        done = subprocess.run([*words, "export", storage, "--format", "json"], check=True, capture_output=True)
        times = [row["wall_time"] for row in json.loads(done.stdout)]
        if len(times) != count:
            raise RuntimeError(f"expected {count} evaluations, got {len(times)}")
        return float(sum(times) / count)

    return own


def _hyperfine(count: int, folder: Path) -> Own:
    path = folder / "hyperfine.json"
    words = ["hyperfine", "-N", "--runs", str(count), "--export-json", str(path), " ".join(PROGRAM)]
    subprocess.run(words, check=True, capture_output=True)
    mean = json.loads(path.read_text(encoding="utf-8"))["results"][0]["mean"]
    return lambda: float(mean)


if __name__ == "__main__":
    sys.exit(main())
