"""How long compiling takes on a machine that never compiled, and how soon the next process has its first result."""

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter

from benchmarks.bar import Bar, at_most
from benchmarks.rounds import Effort, in_turns

DEFAULT = "default"
RULES = ("multitucb", "multihdoc", "multilucb", "multiapt", DEFAULT)

FIRST_RESULTS = f"""
import sys
from time import perf_counter
start = perf_counter()
import satisfice as sf
from satisfice.paper.article import SYNTHETIC
for rule in sys.argv[1:]:
    how = {{}} if rule == {DEFAULT!r} else {{"rules": [rule], "stopping": "alpha"}}
    sf.simulate(SYNTHETIC.problem, SYNTHETIC.arms, repetitions=1, max_evaluations=1000, **how)
print(perf_counter() - start)
"""


def seconds_in_a_new_process(cache: Path, *rules: str) -> float:
    """From the first import to the last result; numba keeps its code in the given folder."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", FIRST_RESULTS, *rules]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def seconds_from_nothing(*rules: str) -> float:
    """The same with an empty cache."""
    with tempfile.TemporaryDirectory() as folder:
        return seconds_in_a_new_process(Path(folder), *rules)


def seconds_of(*words: str) -> float:
    """How long Python runs with these arguments."""
    start = perf_counter()
    subprocess.run([sys.executable, *words], capture_output=True, check=True)
    return perf_counter() - start


def cold_and_warm(effort: Effort) -> list[Bar]:
    """compiling on a machine that never compiled, and the next process"""
    rules = RULES if effort.rounds > 1 else RULES[:1]
    with tempfile.TemporaryDirectory() as folder:
        seconds_in_a_new_process(Path(folder), *rules)
        cold, warm = in_turns(
            min(effort.rounds, 3),
            [partial(seconds_from_nothing, *rules), partial(seconds_in_a_new_process, Path(folder), RULES[0])],
        )
    details = f"{', '.join(rules)}; imports included"
    return [
        at_most("compiled from nothing", cold, 30, unit=" s", details=details),
        at_most("first result in the next process", warm, 1, unit=" s", details=f"{RULES[0]}; imports included"),
    ]


def starting(effort: Effort) -> list[Bar]:
    """import and --help"""
    python, imported, helped = in_turns(
        effort.rounds,
        [
            partial(seconds_of, "-c", "pass"),
            partial(seconds_of, "-c", "import satisfice"),
            partial(seconds_of, "-m", "satisfice", "--help"),
        ],
    )
    return [
        at_most("import satisfice, beyond Python's own start", imported.less(python), 0.3, unit=" s"),
        at_most("satisfice --help", helped, 0.5, unit=" s", details="Python's own start included"),
    ]


MEASURES = (cold_and_warm, starting)
