"""One run of a pretended program as an old or a new build: how long it took.

The machine is slower at one time than at another, for both builds alike: by a tenth, which is far more than what a
regression gate looks for. That is why the two are run back to back and compared pair by pair.

A real program need not print it: satisfice measures `wall_time` itself unless the program says otherwise.

    python3 build.py --build old
"""

import argparse
import json
import os
import random

SLOWER = {"old": 0.0, "same": 0.0, "slower-2": 0.02, "slower-10": 0.10}
"""How much slower than the old one each build is."""

SECONDS = 1.5


def main() -> None:
    parser = argparse.ArgumentParser(description="A pretended program in an old or a new build.")
    parser.add_argument("--build", choices=SLOWER, required=True)
    options = parser.parse_args()
    number = os.environ.get("SATISFICE_NUMBER", str(random.random()))
    machine = random.Random(number).lognormvariate(0.0, 0.1)  # the same for both builds of a pair
    run = random.Random(f"{number} {options.build}").lognormvariate(0.0, 0.02)
    print(json.dumps({"wall_time": round(SECONDS * (1.0 + SLOWER[options.build]) * machine * run, 4)}))


if __name__ == "__main__":
    main()
