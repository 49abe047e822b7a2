"""The bars of the service: python -m benchmarks.service [--million]

64 workers ask and tell over HTTP on one machine with the server and its database, SQLite and PostgreSQL in turns; each
step is durable when it is answered. Prints a table and writes RESULTS.md; the exit code is 1 if a bar is missed. With
--million it also looks at the memory of the server over 1,000,000 requests, which takes ten minutes and more.
"""

from pathlib import Path

from benchmarks import report
from benchmarks.service import workers

OPENING = """# What the service answers

Written by `python -m benchmarks.service`: 64 workers of one study over HTTP, whose evaluations take no time, on one
machine with `satisfice serve` and its database. What is measured takes turns in every round. Medians over the rounds
count; the column `rounds` has the least and the most. The workers are one process that writes HTTP onto sockets; what
they would take with the client in Python is measured beside it.
"""


def main() -> None:
    asked = report.arguments(__doc__ or "", "--million")
    measures = [workers.sixty_four_workers, *([workers.memory] if asked.million else [])]
    page, packages = Path(__file__).parent / "RESULTS.md", ("uvicorn", "uvloop", "httptools", "starlette", "httpx")
    report.run_in_folder(measures, page, OPENING, packages, quick=asked.quick)


if __name__ == "__main__":
    main()
