"""A pgbench that takes no time: a log of transactions whose latencies come from a distribution that is known.

python pretended_pgbench.py --no-vacuum -T 1 -c 4 --log --log-prefix /tmp/transactions
"""

import argparse
import os
import random
from pathlib import Path

MEDIAN_MS = {4: 15.0, 16: 45.0, 64: 150.0}
"""By the number of clients."""


def latencies(clients, seconds, chance):
    """As many as fit into the time: a run that is slow as a whole has fewer of them."""
    of_this_run = MEDIAN_MS[clients] * chance.lognormvariate(0.0, 0.2)
    transactions = int(1000 * seconds * clients / of_this_run)
    return [of_this_run * chance.lognormvariate(0.0, 0.5) for _ in range(transactions)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-vacuum", action="store_true", required=True)
    parser.add_argument("-T", type=int, required=True, dest="seconds")
    parser.add_argument("-c", type=int, required=True, dest="clients")
    parser.add_argument("--log", action="store_true", required=True)
    parser.add_argument("--log-prefix", required=True)
    options = parser.parse_args()
    chance = random.Random(f"{options.clients} {os.environ['SATISFICE_NUMBER']}")
    times = latencies(options.clients, options.seconds, chance)
    lines = [f"{i % options.clients} {i} {round(1000 * ms)} 0 1795044687 576895\n" for i, ms in enumerate(times)]
    Path(f"{options.log_prefix}.1").write_text("".join(lines))


if __name__ == "__main__":
    main()
