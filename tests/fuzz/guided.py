"""Input that is grown by what it reaches in the package: python -m tests.fuzz.guided --seconds 60 thresholds

By hand, from the root of the repository: it needs Atheris, which is no part of what the tests install. What it finds is
shown, and belongs as an example into the test of its kind beside this file, once it is mended.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

NEEDED = "Fuzzing that is guided by what input reaches needs Atheris: pip install atheris."
Target = tuple[Callable[[str], object], Sequence[str]]


def targets() -> dict[str, Target]:
    """What takes a text that may be anything, by name, and texts to begin with."""
    from satisfice.command.output import Output, read_metrics  # noqa: PLC0415 - Atheris watches what is imported here
    from satisfice.readers import READERS, resolve_reader  # noqa: PLC0415
    from tests.fuzz.odd import works_or_says_why  # noqa: PLC0415
    from tests.fuzz.test_fuzz_results import GOOD as RESULTS  # noqa: PLC0415
    from tests.fuzz.test_fuzz_results import check_output, check_payload  # noqa: PLC0415
    from tests.fuzz.test_fuzz_thresholds import GOOD, PIECES, check_threshold  # noqa: PLC0415
    from tests.readers import printed  # noqa: PLC0415

    readers = [(name, resolve_reader(name)) for name in READERS]

    def told(text: str) -> None:
        try:
            given = json.loads(text)
        except (ValueError, RecursionError):
            return
        check_payload(RESULTS | given if isinstance(given, dict) else given, RESULTS)

    def read(text: str) -> None:
        for reader in (None, *readers):
            works_or_says_why(lambda: read_metrics(["plain"], {}, Output(text, "", 0, 0.1), reader))  # noqa: B023

    outputs = ['{"plain": 1.5}', 'x=3\n{"plain": [1, 2]}', '{"plain": {"a": NaN}}', "plain: 3"]
    tools = [text for text in vars(printed).values() if isinstance(text, str) and len(text) > 200]
    return {
        "thresholds": (check_threshold, [*GOOD, *PIECES]),
        "results": (told, [json.dumps({name: value}) for name in RESULTS for value in (1, 2.5, [1, 2], True, "3")]),
        "output": (lambda text: check_output(text, text, {}, 0), outputs),
        "readings": (lambda text: check_output(text, "", {"plain": "/(.*)/"}, 0), outputs),
        "readers": (read, tools),
    }


def watched(check: Callable[[str], object]) -> Callable[[bytes], None]:
    """The same of bytes; what goes wrong is shown with the text that led to it."""

    def one(data: bytes) -> None:
        text = data.decode("utf-8", errors="surrogateescape")  # lone surrogates, too
        try:
            check(text)
        except Exception:
            print(f"Found: {text!r}", file=sys.stderr)
            raise

    return one


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("target", help="thresholds, results, output, readings or readers")
    parser.add_argument("--seconds", type=int, default=60)
    given = parser.parse_args()
    try:
        import atheris  # noqa: PLC0415 - nobody else needs it
    except ImportError:
        sys.exit(NEEDED)
    with atheris.instrument_imports(include=["satisfice"]):
        known: Any = targets()
    if given.target not in known:
        sys.exit(f"There is no target {given.target!r}. Known: {', '.join(known)}.")
    check, examples = known[given.target]
    folder = Path(tempfile.mkdtemp(prefix="satisfice-guided-"))
    for place, text in enumerate(examples):
        (folder / str(place)).write_bytes(text.encode("utf-8", errors="surrogateescape"))
    options = [f"-max_total_time={given.seconds}", f"-artifact_prefix={folder}/", "-print_final_stats=1"]
    atheris.Setup([sys.argv[0], *options, str(folder)], watched(check))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
