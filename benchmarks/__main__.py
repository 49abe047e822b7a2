"""Measure the simulator, print it, write RESULTS.md; the exit code is 1 if a bar is missed."""

from pathlib import Path

from benchmarks import compilation, report, simulator

OPENING = """# Benchmarks

Written by `make bench`. Every figure is a ratio measured in one run on one machine; the best of several
alternating rounds counts, since other programs only ever slow one down.
"""

report.run(
    (*compilation.MEASURES, *simulator.MEASURES),
    Path(__file__).parent / "RESULTS.md",
    OPENING,
    ("numpy", "numba"),
)
