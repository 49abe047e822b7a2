"""Measure the simulator, print it and write RESULTS.md: python -m benchmarks.speed; exit code 1 if a bar is missed."""

from pathlib import Path

from benchmarks import report
from benchmarks.speed import compilation, models, simulator

OPENING = """# How fast the simulator is

Written by `make bench`. All measurements of a line take turns in every round, on one machine in one run. Medians over
the rounds count; the column `rounds` has the least and the most. Pulls and draws are measured in time of the processor,
two threads and all that starts in time by the clock.
"""

if __name__ == "__main__":
    report.run(
        (*compilation.MEASURES, *simulator.MEASURES, *models.MEASURES),
        Path(__file__).parent / "RESULTS.md",
        OPENING,
        ("numpy", "numba"),
        quick=report.arguments(OPENING).quick,
    )
