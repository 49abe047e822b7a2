"""`python -m benchmarks.shapes`: the page docs/method/shapes.md, about half an hour."""

import argparse
from math import ceil, inf, sqrt
from pathlib import Path

from rich.console import Console

from benchmarks.shapes.measure import (
    BUDGET,
    BUDGET_OF_NINE,
    ERROR_RATE,
    MARGIN,
    MORE,
    PRICED,
    Price,
    Row,
    measured,
    priced,
)
from benchmarks.shapes.zoo import ZOO
from satisfice.layout import markdown
from satisfice.noise.checked import RARER, RAREST, evaluations_for
from satisfice.noise.tails import PULLS_PER_SKEWNESS, STEEP
from satisfice.stopping import DEFAULT_STOPPING
from satisfice.stopping.error_budget import shares_to_find

TEXT = Path(__file__).parent / "page.md"
HEADS = (
    *("results are", "half", "wrong FOUND, %", "of nine, %", "wrong NONE, %"),
    *("FOUND as `normal`, %", "evaluations", "as `normal`"),
)

PRICE_HEADS = (
    "configurations, and their margin",
    "undeclared",
    "declared `normal`",
    "ratio",
    "of the last one decided",
)


def line(row: Row) -> tuple[str, ...]:
    """A row of the page's table; a price that the budget has cut off is marked."""
    shares = (row.found, row.found_of_nine, row.none, row.declared_normal)
    costs = (f"{cost:,.0f}{'+' if cost >= BUDGET else ''}" for cost in (row.cost, row.cost_normal))
    return (row.member.name, row.member.half, *(f"{100 * share:.1f}" for share in shares), *costs)


def price_line(price: Price) -> tuple[str, ...]:
    numbers = (f"{number:,.0f}" for number in (price.undeclared, price.declared))
    return (price.what, *numbers, f"{price.undeclared / price.declared:.2f}", f"{price.each:,.0f}")


def least(configs: int, rarest: float = RAREST) -> int:
    """How many results of a configuration there are at least before it is accepted."""
    shares = shares_to_find(ERROR_RATE, configs, reject_share=DEFAULT_STOPPING.reject_share)
    return ceil(evaluations_for(shares.accept_level, 0.0, inf, rarest))


def page(rows: list[Row], prices: list[Price], repetitions: int) -> str:
    """The page with its tables."""
    return TEXT.read_text(encoding="utf-8").format(
        table=markdown.table(HEADS, [line(row) for row in rows], left=(0, 1)),
        prices=markdown.table(PRICE_HEADS, [price_line(price) for price in prices]),
        repetitions=f"{repetitions:,}",
        luck=f"{100 * sqrt(ERROR_RATE * (1 - ERROR_RATE) / repetitions):.1f}",
        more=MORE,
        budget=f"{BUDGET:,}",
        budget_of_nine=f"{BUDGET_OF_NINE:,}",
        margin=f"{MARGIN:g}",
        factor=f"{PULLS_PER_SKEWNESS:g}",
        steep=f"{STEEP:g}",
        least=least(1),
        least_of_ten=least(10),
        least_of_rarer=least(1, RARER * RAREST),
        least_of_rarer_of_ten=least(10, RARER * RAREST),
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=Path("docs/method/shapes.md"))
    asked = parser.parse_args()
    console, rows = Console(), []
    for member in ZOO:
        rows.append(measured(member, asked.repetitions))
        console.print("  ".join(line(rows[-1])))
    prices = [priced(what, asked.repetitions) for what in PRICED]
    asked.out.write_text(page(rows, prices, asked.repetitions), encoding="utf-8")
