"""How long compiling takes on a machine that never compiled, and how soon the next process has its first result."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

from satisfice.comparison.bar import Bar

FIRST_RESULTS = """
import sys
from time import perf_counter
start = perf_counter()
from satisfice.rules import RULES
from satisfice.stopping import AlphaBoundary
from satisfice.paper.settings import SYNTHETIC
from satisfice.simulation.cell import Cell, run_cell
for rule in sys.argv[1:]:
    run_cell(Cell(SYNTHETIC, RULES[rule](), AlphaBoundary(), 1, 1000, 0))
print(perf_counter() - start)
"""


def seconds_in_a_new_process(cache: Path, *rules: str) -> float:
    """From the first import to the last result; numba keeps its code in the given folder."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    command = [sys.executable, "-c", FIRST_RESULTS, *rules]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def help_seconds() -> float:
    start = perf_counter()
    subprocess.run([sys.executable, "-m", "satisfice", "--help"], capture_output=True, check=True)
    return perf_counter() - start


def import_seconds() -> float:
    """What `import satisfice` adds to Python's own start."""

    def run(code: str) -> float:
        start = perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return perf_counter() - start

    return min(run("import satisfice") for _ in range(5)) - min(run("pass") for _ in range(5))


def cold_and_warm() -> list[Bar]:
    """compiling on a machine that never compiled, and the next process"""
    with tempfile.TemporaryDirectory() as folder:
        cache = Path(folder)
        cold = seconds_in_a_new_process(cache, "multitucb", "multihdoc", "multilucb", "multiapt")
        warm = min(seconds_in_a_new_process(cache, "multitucb") for _ in range(3))
    return [
        Bar("all four rules, never compiled before", cold, 30, False, " s", "imports included"),
        Bar("first result in the next process", warm, 1, False, " s", "imports included"),
    ]


def starting() -> list[Bar]:
    """import and --help"""
    return [
        Bar("import satisfice, beyond Python's own start", import_seconds(), 0.3, False, " s", "best of 5"),
        Bar(
            "satisfice --help",
            min(help_seconds() for _ in range(5)),
            0.5,
            False,
            " s",
            "best of 5, Python's start included",
        ),
    ]


MEASURES = (cold_and_warm, starting)
