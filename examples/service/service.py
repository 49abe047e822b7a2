"""One request to a pretended service, and what it took: one evaluation for `satisfice run`.

Most requests take a few milliseconds and some take many: the times are lognormal, as latencies are. With
`--stalls 0.02` one request in fifty waits 3 seconds more for something else. Nothing sleeps; the numbers say it did.

    python3 service.py --workers 4
"""

import argparse
import json
import os
import random

MEDIAN_MS = {2: 22.0, 4: 12.0, 8: 7.0}
"""By the number of workers."""

SPREAD = 0.8
"""Standard deviation of the logarithm: the mean is 1.4 times the median, one request in twenty takes 3.7 times it."""

STALL_MS = 3000.0


def main() -> None:
    parser = argparse.ArgumentParser(description="One request to a pretended service.")
    parser.add_argument("--workers", type=int, choices=MEDIAN_MS, default=8)
    parser.add_argument("--stalls", type=float, default=0.0, help="share of requests that wait 3 s more")
    parser.add_argument("--errors", type=float, default=0.0, help="share of requests that fail")
    options = parser.parse_args()
    # satisfice numbers its evaluations, so that they can be repeated; without it every run is different.
    chance = random.Random(os.environ.get("SATISFICE_NUMBER"))
    latency = MEDIAN_MS[options.workers] * chance.lognormvariate(0.0, SPREAD)
    if chance.random() < options.stalls:
        latency += STALL_MS
    print(json.dumps({"latency_ms": round(latency, 2), "ok": int(chance.random() >= options.errors)}))


if __name__ == "__main__":
    main()
