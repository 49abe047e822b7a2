"""`python -m benchmarks.forecasts`: the page docs/method/forecasts.md, about three minutes of one core."""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from rich.console import Console

from benchmarks.forecasts.measure import PARTS, RUNS, TIMES, Said, measured
from benchmarks.forecasts.studies import MOST_EVALUATIONS
from satisfice.layout import markdown
from satisfice.layout.numbers import whole_percent
from satisfice.simulation.binomial import rate_interval

TEXT = Path(__file__).parent / "page.md"
SEED, STUDIES = 2, 60
"""Of the studies on the page: those of seed 1 were there to choose by."""

BANDS = ((2, 9), (10, 39), (40, 200))
HEADS = (
    "forecasts",
    "number",
    "ended within the median, %",
    "within nine of ten, %",
    "within the line, %",
    "nine of ten: times the line",
)


def line(what: str, said: Sequence[Said]) -> tuple[str, ...]:
    """A row: shares with 95 % intervals, and what was left over the line's forecast."""
    ratios = [one.ratio for one in said if one.ratio is not None]
    shares = ([one.median for one in said], [one.most for one in said], [ratio <= 1 for ratio in ratios])
    most = f"{np.quantile(ratios, 0.9):.1f}" if ratios else ""
    return (what, str(len(said)), *map(_share, shares), most)


def _share(kept: Sequence[bool]) -> str:
    if not kept:
        return ""
    low, high = rate_interval(sum(kept), len(kept))
    return f"{100 * sum(kept) / len(kept):.0f} ({100 * low:.0f} to {100 * high:.0f})"


def page(said: Sequence[Said], studies: int) -> str:
    """The page with its tables."""
    fixed, parts = [one for one in said if one.when >= 1], [one for one in said if one.when < 1]
    rows = [line("all at fixed times", fixed)]
    rows += [line(f"after {time:,} evaluations", [one for one in fixed if one.when == time]) for time in TIMES]
    rows += [
        line(f"of {low} to {high} configurations", [one for one in fixed if low <= one.configs <= high])
        for low, high in BANDS
    ]
    after = [line("all at parts of the length", parts)]
    after += [line(f"after {whole_percent(part)}", [one for one in parts if one.when == part]) for part in PARTS]
    return TEXT.read_text(encoding="utf-8").format(
        table=markdown.table(HEADS, rows, left=(0,)),
        parts=markdown.table(HEADS, after, left=(0,)),
        studies=studies,
        most=f"{MOST_EVALUATIONS:,}",
        runs=RUNS,
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=STUDIES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--out", type=Path, default=Path("docs/method/forecasts.md"))
    asked = parser.parse_args()
    with Console().status("running studies"):
        found = list(measured(asked.seed, asked.studies))
    asked.out.write_text(page(found, asked.studies), encoding="utf-8")
