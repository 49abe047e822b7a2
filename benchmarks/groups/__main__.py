"""`python -m benchmarks.groups`: what measuring metrics in groups saves, a few minutes.

Prints both halves, instances that the choice of groups was made with and instances of another seed, and ends with 1 if
the bar fails: one tight metric of four costs at most 0.45 of what measuring all four every time costs.
"""

import argparse
import sys

from benchmarks.costs.measure import average
from benchmarks.groups.measure import BAR, CHOSEN, FAMILIES, HELD_OUT, TIGHT, Spent, spendings
from satisfice.layout.text_table import text_table

HEADS = ("kind", "apart", "together", "ratio", "worst")


def line(name: str, rows: list[Spent]) -> tuple[str, ...]:
    """Means of money, the average ratio, and the worst one."""
    ratios = [row.ratio for row in rows]
    money = [sum(column) / len(rows) for column in ([row.apart for row in rows], [row.together for row in rows])]
    return name, *(f"{one:,.0f}" for one in money), f"{average(ratios):.2f}", f"{max(ratios):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--draws", type=int, default=8, help="instances of each kind in each half")
    asked = parser.parse_args()
    met = True
    for title, seed in (("instances looked at", CHOSEN), ("held out", HELD_OUT)):
        rows = list(spendings(seed, asked.repetitions, asked.draws))
        lines = [line(family.name, [row for row in rows if row.family == family.name]) for family in FAMILIES]
        print(f"{title}, seed {seed}: money until the verdict\n{text_table(HEADS, [*lines, line('all', rows)])}\n")
        met &= average([row.ratio for row in rows if row.family == TIGHT.name]) <= BAR
    print(f"bar: one tight metric of four at most {BAR:g} of measuring all: {'holds' if met else 'DOES NOT HOLD'}")
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
