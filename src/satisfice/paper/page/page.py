"""The whole page: in short, what does not follow from the text and why, every table and figure."""

from collections.abc import Iterator
from dataclasses import dataclass

from satisfice.layout.markdown import heading
from satisfice.paper.differences import ComparedNumber
from satisfice.paper.experiments import BUDGET, Sweep
from satisfice.paper.extra_runs import ExtraRuns
from satisfice.paper.page.explanations import (
    counting,
    long_runs,
    misprints,
    printed_instance,
    scatter,
    smaller_things,
    text_lucb,
)
from satisfice.paper.page.passage import passage
from satisfice.paper.page.tables import printed_grid, quantile_grid, target_grid
from satisfice.paper.printed_tables import Statistic
from satisfice.paper.targets import Target

FIGURE_FOLDER = "figures/reproduction"
"""Relative to the page, so that both can be copied into any documentation as they are."""


@dataclass(frozen=True)
class PageContent:
    """All that the page tells."""

    rows: tuple[ComparedNumber, ...]
    extra_runs: ExtraRuns
    targets: tuple[Target, ...]
    seed: int
    version: str

    def rows_of(self, sweep: Sweep, statistic: Statistic) -> list[ComparedNumber]:
        return [row for row in self.rows if row.sweep is sweep and row.statistic is statistic]


def page(content: PageContent) -> str:
    """The whole page as Markdown."""
    return "\n\n".join([*_opening(content), *_account(content), *_tables(content)]) + "\n"


def _opening(content: PageContent) -> Iterator[str]:
    counts = {row.sweep.title.lower(): (row.numbers.repetitions, row.sweep.paper_repetitions) for row in content.rows}
    yield passage(
        "opening",
        version=content.version,
        seed=content.seed,
        repetitions="; ".join(
            f"{title}: {ours:,} repetitions (the paper: {paper:,})" for title, (ours, paper) in counts.items()
        ),
        budget=BUDGET,
        targets=target_grid(content.targets),
    )
    if any(ours < paper for ours, paper in counts.values()):
        yield passage("few_repetitions")


def _account(content: PageContent) -> Iterator[str]:
    extra = content.extra_runs
    yield heading("What does not follow from the text, and why")
    if extra.time_outs:
        yield printed_instance(extra.time_outs)
    yield text_lucb(extra.text_lucb)
    yield from long_runs(extra.long_runs)
    yield from scatter(content.rows)
    yield from misprints(content.rows)
    yield from counting(content.rows)
    yield smaller_things()


def _tables(content: PageContent) -> Iterator[str]:
    yield passage("tables")
    yield _figure(1, "A Pareto front against the region beyond the thresholds: the good arms are not the front.")
    for sweep in {row.sweep.name: row.sweep for row in content.rows}.values():
        yield heading(f"{sweep.title} instance, {sweep.parameter.symbol} varies", 3)
        times = content.rows_of(sweep, Statistic.STOPPING_TIME)
        if times:
            yield _figure(sweep.figure, _caption(sweep))
        for statistic in Statistic:
            rows = content.rows_of(sweep, statistic)
            if rows:
                yield f"**{statistic.heading}** (`{rows[0].table}.csv`)"
                yield printed_grid(rows)
        if times:
            yield "**Where our stopping times lie**"
            yield quantile_grid(times)


def _caption(sweep: Sweep) -> str:
    return (
        f"Mean stopping times against {sweep.parameter.symbol}, {sweep.title.lower()} instance. "
        "Lines are ours with 95 % error bars, open markers are printed."
    )


def _figure(number: int, caption: str) -> str:
    return f"![Figure {number}]({figure_path(f'figure_{number}.png')})\n\n*Figure {number}. {caption}*"


def figure_path(name: str) -> str:
    """Where a figure's file lies, relative to the page."""
    return f"{FIGURE_FOLDER}/{name}"
