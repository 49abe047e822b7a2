"""One sampled answer of a pretended language model to one of 200 questions: is it right?

    python3 ask.py --prompt examples --item 17 --seed 3

At a temperature above 0 the same question gets different answers. Easy questions are nearly always answered right, hard
ones now and then. The seed stands for the chance in the model.
"""

import argparse
import json
import random

SHARE_WRONG = {"plain": 0.9, "steps": 0.68, "examples": 0.4}
"""Of the answers to the hardest question."""


def main() -> None:
    parser = argparse.ArgumentParser(description="One sampled answer of a pretended language model.")
    parser.add_argument("--prompt", choices=SHARE_WRONG, required=True)
    parser.add_argument("--item", type=int, required=True, help="0 to 199")
    parser.add_argument("--seed", type=int, required=True)
    options = parser.parse_args()
    difficulty = random.Random(f"item {options.item}").random()  # the same for all prompts
    share_wrong = SHARE_WRONG[options.prompt] * difficulty**3
    luck = random.Random(f"{options.item} {options.prompt} {options.seed}").random()
    print(json.dumps({"accuracy": int(luck >= share_wrong)}))


if __name__ == "__main__":
    main()
