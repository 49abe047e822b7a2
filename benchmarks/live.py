"""What a live study costs beside its evaluations: python -m benchmarks.live [--million]

Measures ask + tell in memory, on SQLite and with eight workers on PostgreSQL, beside what the disk takes to make one
write durable; prints a table and writes LIVE.md. The exit code is 1 if a bar is missed. With --million it also opens a
study of 1,000,000 evaluations, which takes minutes to make.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial, update_wrapper
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

import satisfice as sf
from benchmarks import report
from satisfice.comparison.bar import Bar
from satisfice.study.study import Study

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from study.server import running_server

THRESHOLDS = ["latency_ms <= 100", "energy_mj <= 50 : bounded(0, 200)", "loss <= 0.5 : bernoulli"]
ROUNDS, STEPS = 5, 200
MANY = 100_000
WORKERS, SECONDS = 8, 5.0


def study_of(arms: int, storage: str, name: str = "bench") -> Study:
    """A study right at its limits, so that it does not end while it is measured."""
    configs = [f"config {place}" for place in range(arms)]
    return sf.create_study(configs, THRESHOLDS, error_rate=1e-9, storage=storage, name=name)


def results(rng: np.random.Generator) -> dict[str, float]:
    return {
        "latency_ms": float(rng.normal(100.0, 10.0)),
        "energy_mj": float(rng.uniform(0.0, 100.0)),
        "loss": float(rng.random() < 0.5),
    }


def recorded(study: Study, evaluations: int, rng: np.random.Generator, batch: int = 500) -> None:
    """Record so many evaluations, many in one step."""
    pulls: list[sf.Pull] = []
    while (left := evaluations - study.counts().told) > 0:
        pulls = study.exchange([(pull, results(rng)) for pull in pulls], ask=min(batch, left))
    study.exchange([(pull, results(rng)) for pull in pulls])


def milliseconds(study: Study, rng: np.random.Generator, steps: int = STEPS) -> float:
    """The median time of one ask + tell."""
    taken = []
    for _ in range(steps):
        told = results(rng)
        start = perf_counter()
        pull = study.ask()
        if pull is None:
            raise RuntimeError("the study ended while it was measured")
        study.tell(pull, told)
        taken.append(perf_counter() - start)
    return 1000 * median(taken)


def disk_milliseconds(folder: Path, steps: int = 100) -> float:
    """The median time in which the disk makes a small write durable."""
    file = os.open(folder / "disk", os.O_CREAT | os.O_WRONLY)
    taken = []
    for _ in range(steps):
        start = perf_counter()
        os.write(file, bytes(4096))
        os.fdatasync(file)
        taken.append(perf_counter() - start)
    os.close(file)
    return 1000 * median(taken)


def measure_growth(folder: Path) -> Iterator[Bar]:
    """ask + tell with 10 configs and 3 metrics, in the beginning and after 100,000 evaluations"""
    for kind, bar, storage in (("memory", 0.15, "memory"), ("SQLite", 3.0, f"sqlite:///{folder}/growth.db")):
        rng = np.random.default_rng(1)
        fresh, grown = study_of(10, storage, "fresh"), study_of(10, storage, "grown")
        recorded(fresh, 100, rng)
        recorded(grown, MANY, rng)
        disk, early, late = [], [], []
        for _ in range(ROUNDS):
            disk.append(disk_milliseconds(folder))
            early.append(milliseconds(fresh, rng))
            late.append(milliseconds(grown, rng))
        beside = f"two commits; the disk takes {min(disk):.2g} ms for one" if kind == "SQLite" else "no disk"
        yield Bar(f"ask + tell, {kind}, K = 10, M = 3", min(early), bar, False, " ms", beside)
        ratio = min(late) / min(early)
        yield Bar(f"the same after {MANY:,} evaluations", ratio, 1.3, False, " x", f"{min(late):.3g} ms, {kind}")
        start = perf_counter()
        if kind == "SQLite":
            with sf.load_study(storage, "grown") as study:
                told = study.counts().told
            opened = perf_counter() - start
            yield Bar(f"opening {told:,} evaluations, SQLite", opened, 3.0, False, " s", "from a snapshot")
        for study in (fresh, grown):
            study.close()


def measure_arms(folder: Path) -> Iterator[Bar]:
    """ask + tell with 10,000 configs"""
    rng, storage = np.random.default_rng(2), f"sqlite:///{folder}/arms.db"
    study = study_of(10_000, storage)
    recorded(study, 12_000, rng)
    taken = min(milliseconds(study, rng) for _ in range(ROUNDS))
    disk = disk_milliseconds(folder)
    study.close()
    yield Bar("ask + tell, SQLite, K = 10,000, M = 3", taken, 20.0, False, " ms", f"disk: {disk:.2g} ms a commit")


def measure_workers(folder: Path) -> Iterator[Bar]:
    """eight worker processes on PostgreSQL"""
    with running_server() as server:
        url = server.get_uri()
        study = study_of(10, url, "workers")
        code = "import sys; from benchmarks.live import work_for; work_for(*sys.argv[1:])"
        command = [sys.executable, "-c", code, url, "workers", str(ROUNDS * SECONDS + 60)]
        workers = [subprocess.Popen(command) for _ in range(WORKERS)]
        while study.counts().told < 50 * WORKERS:  # all have started
            time.sleep(0.1)
        rates = [told_a_second(study) for _ in range(ROUNDS)]
        for worker in workers:
            worker.kill()
            worker.wait()
        report = sf.verify(url, "workers")
        study.close()
    disk = disk_milliseconds(folder)
    verified = "log verified" if report.ok else f"NOT VERIFIED: {report.problems[0]}"
    details = (
        f"one study, {verified}; {min(rates):.0f} to {max(rates):.0f} in {ROUNDS} rounds; disk: {disk:.2g} ms a commit"
    )
    yield Bar(f"{WORKERS} worker processes, PostgreSQL", max(rates), 400.0, True, " /s", details)


def told_a_second(study: Study) -> float:
    """How many results came in during one round."""
    told, start = study.counts().told, perf_counter()
    time.sleep(SECONDS)
    return (study.counts().told - told) / (perf_counter() - start)


def work_for(url: str, name: str, seconds: str) -> None:
    """A worker whose evaluations take no time."""
    rng = np.random.default_rng()
    sf.work(url, name, lambda config: results(rng), max_seconds=float(seconds))


def measure_million(folder: Path) -> Iterator[Bar]:
    """opening a study of 1,000,000 evaluations"""
    storage = f"sqlite:///{folder}/million.db"
    study = study_of(10, storage)
    recorded(study, 1_000_000, np.random.default_rng(3), batch=2000)
    study.close()
    start = perf_counter()
    with sf.load_study(storage) as study:
        told = study.counts().told
        study.ask()
    size = (folder / "million.db").stat().st_size / 1e6
    taken = perf_counter() - start
    yield Bar(f"opening {told:,} evaluations and asking", taken, 5.0, False, " s", f"a file of {size:,.0f} MB")


OPENING = """# What a live study costs

Written by `python -m benchmarks.live`: what one ask and one tell take, without the evaluation.
Medians; the best of several rounds counts, since other programs only ever slow one down.
"""


def main() -> None:
    measures = [measure_growth, measure_arms, measure_workers]
    measures += [measure_million] if "--million" in sys.argv else []
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
        report.run(
            [update_wrapper(partial(measure, Path(folder)), measure) for measure in measures],
            Path(__file__).parent / "LIVE.md",
            OPENING,
            ("numpy", "SQLAlchemy", "psycopg"),
        )


if __name__ == "__main__":
    main()
