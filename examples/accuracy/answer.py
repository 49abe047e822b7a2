"""One item of a pretended test set of 500: did the model answer it right?

    python3 answer.py --model medium --item 17

The same model gives the same answer to the same item every time, as models at temperature 0 do.
"""

import argparse
import json
import random

SHARE_RIGHT = {"small": 0.79, "medium": 0.88, "large": 0.91}


def main() -> None:
    parser = argparse.ArgumentParser(description="One item of a pretended test set.")
    parser.add_argument("--model", choices=SHARE_RIGHT, required=True)
    parser.add_argument("--item", type=int, required=True, help="0 to 499")
    options = parser.parse_args()
    difficulty = random.Random(f"item {options.item}").random()  # the same for all models
    luck = random.Random(f"{options.item} {options.model}").gauss(0.0, 0.05)
    print(json.dumps({"accuracy": int(difficulty + luck < SHARE_RIGHT[options.model])}))


if __name__ == "__main__":
    main()
