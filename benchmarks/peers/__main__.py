"""satisfice beside its peers: python -m benchmarks.peers [--million]

Ask + tell beside Optuna 5, which is installed in an environment of its own for this; 1,000 evaluations that are
awaited; with --million, as many evaluations as a table, which take minutes to make. Prints a table and writes
RESULTS.md. The exit code is 1 if a bar is missed.
"""

from pathlib import Path

from benchmarks import report
from benchmarks.peers import asking, awaiting

OPENING = """# Beside its peers

Written by `python -m benchmarks.peers --million`. What is compared takes turns in every round, on one machine in one
run. Medians over the rounds count; the column `rounds` has the least and the most.
"""


def main() -> None:
    asked = report.arguments(OPENING, "--million")
    measures = [awaiting.awaited, asking.beside_optuna, *([awaiting.table] if asked.million else [])]
    page, packages = Path(__file__).parent / "RESULTS.md", ("numpy", "SQLAlchemy", "psycopg")
    report.run_in_folder(measures, page, OPENING, packages, quick=asked.quick)


if __name__ == "__main__":
    main()
