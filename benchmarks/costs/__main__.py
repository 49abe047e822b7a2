"""`python -m benchmarks.costs`: what the default rule spends where costs differ a hundredfold, some minutes.

Prints both halves, instances that the rule was made with and instances of another seed, and ends with 1 if a bar fails.
"""

import argparse
import sys

from benchmarks.costs.measure import BAR, CHOSEN, FAMILIES, HELD_OUT, Spent, average, spendings
from satisfice.layout.text_table import text_table

HEADS = ("kind", "knowing", "not knowing", "ratio", "worst", "learning")


def line(name: str, rows: list[Spent]) -> tuple[str, ...]:
    """Means of money, the average ratio, the worst one, and the average of learning costs over not knowing them."""
    ratios = [row.ratio for row in rows]
    learned = [row.learning / row.blind for row in rows if row.learning is not None]
    money = [sum(column) / len(rows) for column in ([row.aware for row in rows], [row.blind for row in rows])]
    told = f"{average(learned):.2f}" if learned else "-"
    return name, *(f"{one:,.0f}" for one in money), f"{average(ratios):.2f}", f"{max(ratios):.2f}", told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--draws", type=int, default=6, help="instances of each kind in each half")
    parser.add_argument("--learned", type=int, default=40, help="runs of each instance in which costs are reported")
    asked = parser.parse_args()
    met = True
    for title, seed in (("instances looked at", CHOSEN), ("held out", HELD_OUT)):
        rows = list(spendings(seed, asked.repetitions, asked.draws, asked.learned))
        lines = [line(family.name, [row for row in rows if row.family == family.name]) for family in FAMILIES]
        print(f"{title}, seed {seed}: money until the verdict\n{text_table(HEADS, [*lines, line('all', rows)])}\n")
        met &= average([row.ratio for row in rows]) <= BAR
    print(f"bar: on average at most {BAR:g} of the money without knowing: {'holds' if met else 'DOES NOT HOLD'}")
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
