"""What a live study costs beside its evaluations: python -m benchmarks.live [--million]

Measures ask + tell in memory, on SQLite and with eight workers on SQLite and PostgreSQL, beside what the disk takes to
make one write durable, and what a long study takes in memory, on the disk and to verify; prints a table and writes
RESULTS.md. The exit code is 1 if a bar is missed. With --million it also opens a study of 1,000,000 evaluations, which
takes minutes to make.
"""

from pathlib import Path

from benchmarks import report
from benchmarks.live import long, opening, steps, workers

OPENING = """# What a live study costs

Written by `make bench`: what one ask and one tell take, without the evaluation. What is measured takes turns in every
round, on one machine in one run. Medians over the rounds count; the column `rounds` has the least and the most.
"""


def main() -> None:
    asked = report.arguments(OPENING, "--million")
    measures = [steps.growth, steps.many_configs, opening.opened, opening.listed, long.replayed, long.memory_and_disk]
    measures += [workers.eight_workers]
    measures += [opening.million] if asked.million else []
    page, packages = Path(__file__).parent / "RESULTS.md", ("numpy", "SQLAlchemy", "psycopg")
    report.run_in_folder(measures, page, OPENING, packages, quick=asked.quick)


if __name__ == "__main__":
    main()
