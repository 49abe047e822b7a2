"""Run pgbench on a PostgreSQL for a while and print how long each transaction took, as one list.

    pgbench --initialize
    python3 bench.py --clients 4 --seconds 1

PGHOST, PGUSER, PGDATABASE and the like say which database it is. pgbench makes as many transactions as fit into the
time, so every list has a length of its own. `satisfice run study.toml` finds how many clients can be served.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory


def main() -> None:
    parser = argparse.ArgumentParser(description="Run pgbench and print the time of every transaction.")
    parser.add_argument("--clients", type=int, required=True)
    parser.add_argument("--seconds", type=int, default=1)
    options = parser.parse_args()
    with TemporaryDirectory() as folder:
        words = ["--no-vacuum", "-T", f"{options.seconds}", "-c", f"{options.clients}"]
        log = ["--log", "--log-prefix", f"{folder}/transactions"]
        subprocess.run(["pgbench", *words, *log], stdout=sys.stderr, check=True)
        lines = [line.split() for path in Path(folder).iterdir() for line in path.read_text().splitlines()]
    # a line is: client, transaction, microseconds, ...; one that failed has "failed" there, which is an error
    print(json.dumps({"transaction_ms": [int(words[2]) / 1000 for words in lines]}))


if __name__ == "__main__":
    main()
