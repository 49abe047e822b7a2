"""The page about the article: in short, what does not follow from the text and why, every table and figure."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from math import sqrt
from typing import Any

import numpy as np

from satisfice.layout.markdown import heading, table
from satisfice.paper.article import (
    BUDGET,
    MEDICAL,
    MEDICAL_REPETITIONS,
    SYNTHETIC,
    SYNTHETIC_AS_PRINTED,
    SYNTHETIC_REPETITIONS,
    Doubt,
    Statistic,
    Sweep,
    has_table,
    printed_number,
    sound_number,
)
from satisfice.paper.comparisons import (
    CellNumbers,
    ComparedNumber,
    ExtraRuns,
    LongRun,
    Planned,
    TextLUCB,
    TimeOuts,
    statistic_of,
)
from satisfice.paper.targets import Target


def passage(name: str, **numbers: Any) -> str:
    """The passage of that name, with the numbers in their places."""
    text = (files("satisfice.paper.page") / "passages" / f"{name}.md").read_text(encoding="utf-8")
    return text.strip().format(**numbers)


DASH = "\N{EN DASH}"
SHORT = {Statistic.STOPPING_TIME: "mean", Statistic.SD: "sd"}


def target_grid(targets: Sequence[Target]) -> str:
    """How far off the worst number of each kind is."""
    if not targets:
        return "No limit is stated for these tables: see them below."
    return table(
        ["printed numbers", "farthest off", "its z", "where", "limit", "within"],
        [
            (
                target.claim,
                f"{target.worst:+.1f} {target.unit}",
                DASH if target.z is None else f"{target.z:+.1f}",
                target.place,
                f"{target.limit:g} {target.unit}",
                "yes" if target.met else "**no**",
            )
            for target in targets
        ],
    )


def printed_grid(rows: Sequence[ComparedNumber]) -> str:
    """One table of the paper: ours, printed, and the difference, for each rule."""
    rules = list(dict.fromkeys(row.rule for row in rows))
    values = list(dict.fromkeys(row.value for row in rows))
    cells = {(row.value, row.rule): compared(row) for row in rows}
    symbol = rows[0].sweep.parameter.symbol
    return table([symbol, *rules], [(f"{value:.3f}", *(cells[value, rule] for rule in rules)) for value in values])


def compared(row: ComparedNumber) -> str:
    """Ours with its standard error, over printed with the difference."""
    rate = row.statistic is Statistic.ERROR_RATE_PERCENT
    digits = 2 if rate else 0
    ours = DASH if row.ours is None else f"{row.ours:,.{digits}f} ± {row.standard_error:,.{digits}f}"
    if row.printed is None:
        return f"{ours}<br>printed: {DASH}"
    flag = ", misprint" if row.misprint else ""
    off = row.difference if rate else row.difference_percent
    share = "" if not off else f" ({off:+.{2 if rate else 1}f}{'' if rate else ' %'}{_z(row)}{flag})"
    return f"{ours}<br>printed: {row.printed:,.{digits}f}{share}"


def column_grid(rows: Sequence[ComparedNumber]) -> str:
    """How far off whole columns are: differences averaged over the rows of a table."""
    tables = list(dict.fromkeys(row.table for row in rows))
    rules = list(dict.fromkeys(row.rule for row in rows))
    return table(["table", *rules], [(f"`{name}`", *(_column(rows, name, rule) for rule in rules)) for name in tables])


def _column(rows: Sequence[ComparedNumber], name: str, rule: str) -> str:
    differences = [
        row.difference_percent
        for row in rows
        if row.table == name and row.rule == rule and row.difference_percent is not None and not row.misprint
    ]
    return f"{sum(differences) / len(differences):+.1f} %"


def quantile_grid(rows: Sequence[ComparedNumber]) -> str:
    """Where the stopping times lie: median, 90 % and 99 % quantile, longest, and runs out of budget."""
    return table(
        ["rule", rows[0].sweep.parameter.symbol, "mean", "median", "90 %", "99 %", "longest", "out of budget"],
        [
            (row.rule, f"{row.value:.3f}", _number(row.ours), *_quantiles(row.numbers))
            for row in sorted(rows, key=lambda row: row.rule)
        ],
    )


def time_out_grid(found: Iterable[TimeOuts]) -> str:
    """The instance as printed: how many runs end at all."""
    return table(
        ["where", "rule", "runs", "out of budget", "printed mean"],
        [
            (
                _where(one.planned),
                one.planned.rule,
                f"{one.numbers.repetitions:,}",
                f"{one.numbers.timed_out_percent:.0f} %",
                _number(_printed(one.planned)),
            )
            for one in found
        ],
    )


def text_lucb_grid(found: Iterable[TextLUCB]) -> str:
    """The two MultiLUCBs and MultiTUCB beside the printed number."""
    return table(
        [
            "where",
            "printed MultiLUCB",
            "as released",
            "as in the text",
            "its 99 % quantile",
            "MultiTUCB",
            "its 99 % quantile",
        ],
        [
            (
                _where(one.planned),
                _number(_printed(one.planned)),
                _mean(one.released),
                _mean(one.numbers),
                _number(one.numbers.quantile_99),
                _mean(one.multitucb),
                _number(one.multitucb.quantile_99),
            )
            for one in found
        ],
    )


def long_run_grid(found: Iterable[LongRun], statistic: Statistic) -> str:
    """Printed numbers beside those of many more runs, and what single batches of runs give."""
    return table(
        [
            "where",
            "rule",
            f"printed {SHORT[statistic]}",
            "long run",
            "difference",
            "means of batches",
            "sds of batches",
        ],
        [_long_run_line(one, statistic) for one in found],
    )


def _long_run_line(one: LongRun, statistic: Statistic) -> tuple[str, ...]:
    printed, ours = _printed(one.planned, statistic), statistic_of(statistic, one.published)
    return (
        _where(one.planned),
        one.planned.rule,
        _number(printed),
        DASH if ours is None else f"{ours.value:,.0f} ± {ours.standard_error:,.0f}",
        f"{100 * (ours.value / printed - 1):+.1f} %" if printed and ours else DASH,
        _range(one.batch_means),
        _range(one.batch_sds),
    )


def _range(numbers: Sequence[float]) -> str:
    return f"{min(numbers):,.0f} to {max(numbers):,.0f}" if numbers else DASH


def _where(planned: Planned) -> str:
    return f"{planned.sweep.title.lower()}, {planned.sweep.parameter.symbol} = {planned.value:.3f}"


def _printed(planned: Planned, statistic: Statistic = Statistic.STOPPING_TIME) -> float | None:
    return printed_number(planned.sweep, statistic, planned.value, planned.rule)


def _mean(numbers: CellNumbers) -> str:
    return _number(numbers.published.mean.value if numbers.published.mean else None)


def _quantiles(numbers: CellNumbers) -> tuple[str, ...]:
    times = (numbers.median, numbers.quantile_90, numbers.quantile_99, numbers.longest)
    return (*(_number(time) for time in times), f"{numbers.timed_out_percent:.2f} %")


def _number(value: float | None) -> str:
    return DASH if value is None else f"{value:,.0f}"


def _z(row: ComparedNumber) -> str:
    return "" if row.z is None else f", z {row.z:+.1f}"


def printed_instance(found: Sequence[TimeOuts]) -> str:
    """The instance of the text cannot give the tables."""
    return passage(
        "printed_instance",
        gap=abs(SYNTHETIC_AS_PRINTED.shortfalls().min()),
        margin=-SYNTHETIC.shortfalls().min(),
        budget=BUDGET,
        grid=time_out_grid(found),
    )


def text_lucb(found: Sequence[TextLUCB]) -> str:
    """The tables show another rule than the text."""
    return passage(
        "text_lucb",
        grid=text_lucb_grid(found),
        faster=sum(one.numbers.plain_mean < one.released.plain_mean for one in found),
        lighter=sum(one.numbers.quantile_99 < one.multitucb.quantile_99 for one in found),
        settings=len(found),
    )


HEAVY_TAILED = ("MultiHDoC", "MultiTUCB")
"""The rules whose stopping times have very heavy tails on the medical instance."""


def long_runs(found: Sequence[LongRun]) -> Iterator[str]:
    """What more runs say where those of a table leave much to chance."""
    medical = [one for one in found if one.planned.sweep.instance is MEDICAL]
    heavy = [one for one in medical if one.planned.rule in HEAVY_TAILED]
    if heavy:
        yield _heavy_tails(heavy)
        yield from _ill_matched_numbers(heavy)
    synthetic = [one for one in found if one.planned.sweep.instance is not MEDICAL]
    if synthetic:
        yield from _chance("chance_in_sds", synthetic, Statistic.SD)
    failing = [one for one in medical if one.planned.rule not in HEAVY_TAILED]
    if failing:
        yield from _chance("chance_in_means", failing, Statistic.STOPPING_TIME)


def _chance(name: str, found: Sequence[LongRun], statistic: Statistic) -> Iterator[str]:
    """How far whole batches of a table's repetitions are from the printed number, and how far all of them together."""
    batches, long = _differences(found, statistic)
    if batches:
        yield passage(
            name,
            rule=found[0].planned.rule,
            batches=len(found[0].batches),
            batch=found[0].batch,
            farthest_batch=max(batches, key=abs),
            lowest=min(long),
            highest=max(long),
            grid=long_run_grid(found, statistic),
        )


def _differences(found: Sequence[LongRun], statistic: Statistic) -> tuple[list[float], list[float]]:
    """By how many percent single batches and whole long runs are off the printed numbers, misprints left aside."""
    batches, long = [], []
    for one in found:
        printed = sound_number(one.planned.sweep, statistic, one.planned.value, one.planned.rule)
        ours = statistic_of(statistic, one.published)
        if printed and ours is not None:
            long.append(100.0 * (ours.value / printed - 1.0))
            parts = [statistic_of(statistic, batch) for batch in one.batches]
            batches += [100.0 * (part.value / printed - 1.0) for part in parts if part is not None]
    return batches, long


def _heavy_tails(found: Sequence[LongRun]) -> str:
    """A few runs decide some of the means."""
    margins = -MEDICAL.shortfalls()
    narrowest = int(np.argmin(np.where(margins > 0, margins, np.inf)))
    widest = max(found, key=lambda one: max(one.batch_means) / min(one.batch_means))
    return passage(
        "heavy_tails",
        narrow=MEDICAL.arm_names[narrowest],
        margin=margins[narrowest],
        batches=len(widest.batches),
        batch=widest.batch,
        rule=widest.planned.rule,
        place=f"{widest.planned.sweep.parameter.symbol} = {widest.planned.value:g}",
        lowest=min(widest.batch_means),
        highest=max(widest.batch_means),
        grid=long_run_grid(found, Statistic.STOPPING_TIME),
    )


def _ill_matched_numbers(found: Sequence[LongRun]) -> Iterator[str]:
    """Printed means that are above those of all our batches with an sd as small as the printed one."""
    cases = [case for one in found if (case := _ill_matched(one)) is not None]
    if cases:
        yield passage(
            "ill_matched",
            places=" and ".join(place for place, _, _ in cases),
            calm=sum(calm for _, calm, _ in cases),
            excesses=" and ".join(f"{excess:,.0f}" for _, _, excess in cases),
            paper=MEDICAL_REPETITIONS["paper_repetitions"],
            one_run=BUDGET / MEDICAL_REPETITIONS["paper_repetitions"],
        )


def _ill_matched(one: LongRun) -> tuple[str, int, float] | None:
    """Place, number of calm batches, and by how much the printed mean is above their average, where it stands out."""
    place = (one.planned.value, one.planned.rule)
    mean, sd = (
        printed_number(one.planned.sweep, statistic, *place) for statistic in (Statistic.STOPPING_TIME, Statistic.SD)
    )
    batches = zip(one.batch_means, one.batch_sds, strict=True)
    calm = [batch_mean for batch_mean, batch_sd in batches if sd is not None and batch_sd <= sd]
    if mean is None or sd is None or len(calm) < 2 or sd > mean or mean <= max(calm):
        return None
    symbol = one.planned.sweep.parameter.symbol
    return f"{one.planned.rule} at {symbol} = {one.planned.value:g}", len(calm), mean - sum(calm) / len(calm)


def scatter(rows: Sequence[ComparedNumber]) -> Iterator[str]:
    """Whether the paper's numbers scatter as its repetitions say; told by no fewer runs than the paper's."""
    synthetic = [row for row in rows if row.sweep.instance is SYNTHETIC]
    paper = SYNTHETIC_REPETITIONS["paper_repetitions"]
    if synthetic and all(row.numbers.repetitions >= paper for row in synthetic):
        excess = _excess_variance([row for row in synthetic if row.statistic is Statistic.STOPPING_TIME])
        if excess is not None and excess > 1:
            yield passage("scatter", paper=paper, grid=column_grid(synthetic), runs=_rounded(paper / excess))


def _excess_variance(rows: Sequence[ComparedNumber]) -> float | None:
    """How many times the variance that its repetitions imply a printed mean has, averaged over these rows."""
    ratios = [
        (row.difference**2 - row.standard_error**2) / row.printed_error**2
        for row in rows
        if row.difference is not None and row.standard_error is not None and row.printed_error and not row.misprint
    ]
    return sum(ratios) / len(ratios) if ratios else None


def _rounded(count: float) -> float:
    return round(count, -2) if count >= 100 else round(count)


def misprints(rows: Sequence[ComparedNumber]) -> Iterator[str]:
    """Printed numbers that cannot be right."""
    lines = [_misprint(row, row.doubt) for row in rows if row.doubt is not None and row.ours is not None]
    if lines:
        yield "\n".join([heading("Misprints", 3), "", *lines])


def _misprint(row: ComparedNumber, doubt: Doubt) -> str:
    mean, sd, rate = (
        printed_number(row.sweep, statistic, row.value, row.rule) if has_table(row.sweep, statistic) else None
        for statistic in Statistic
    )
    return passage(
        doubt,
        place=row.where,
        instance=row.sweep.title.lower(),
        printed=row.printed,
        ours=row.ours,
        budget=BUDGET,
        most=sqrt(mean * (BUDGET - mean)) if mean else None,  # Bhatia and Davis 2000
        rate=rate,
        sd=sd,
        implied=_implied_mean(row, sd, rate),
    )


def _implied_mean(row: ComparedNumber, sd: float | None, rate_percent: float | None) -> float | None:
    """The published mean m that goes with an sd s and an error rate e: s^2 = v + (m e)^2, with v from our runs.

    All runs together have the mean m (1 - e), so their variance v around it is less by (m e)^2 than around m.
    """
    mean, our_sd = row.numbers.published.mean, row.numbers.published.sd
    if not sd or not rate_percent or mean is None or our_sd is None:
        return None
    failed = row.numbers.published.error_rate_percent.value / 100.0
    variance = our_sd.value**2 - (mean.value * failed) ** 2
    return sqrt(max(sd**2 - variance, 0.0)) / (rate_percent / 100.0)


def counting(rows: Sequence[ComparedNumber]) -> Iterator[str]:
    """The tables' definitions, and where they matter most."""
    yield passage("counting")
    failing = [
        row
        for row in rows
        if row.statistic is Statistic.STOPPING_TIME and row.ours is not None and row.numbers.timed_out_percent >= 1
    ]
    if failing:
        most = max(failing, key=lambda row: row.numbers.timed_out_percent)
        yield passage(
            "failures",
            place=most.where,
            instance=most.sweep.title.lower(),
            failed=most.numbers.timed_out_percent,
            published=most.ours,
            plain=most.numbers.plain_mean,
        )


def smaller_things() -> str:
    """The rest."""
    return passage("smaller_things", arms=len(MEDICAL.arm_names))


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
