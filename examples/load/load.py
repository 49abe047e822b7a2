"""A pretended load generator: 500 requests, and the time that each of them took, as one list.

Requests of one run share its luck (a cold cache, a noisy neighbour), so they are not independent of each other: some
runs are slower as a whole. That is why satisfice does not count 500 requests as 500 results unless told to.

    python3 load.py --connections 16
"""

import argparse
import json
import os
import random

REQUESTS = 500

MEDIAN_MS = {8: 58.0, 16: 72.0, 32: 110.0}
"""By the number of connections that are open at a time: more of them wait for each other."""


def main() -> None:
    parser = argparse.ArgumentParser(description="A pretended load generator.")
    parser.add_argument("--connections", type=int, choices=MEDIAN_MS, required=True)
    options = parser.parse_args()
    chance = random.Random(os.environ.get("SATISFICE_NUMBER"))
    of_this_run = MEDIAN_MS[options.connections] * chance.lognormvariate(0.0, 0.05)
    times = [round(of_this_run * chance.lognormvariate(0.0, 0.35), 1) for _ in range(REQUESTS)]
    print(json.dumps({"request_ms": times}))


if __name__ == "__main__":
    main()
