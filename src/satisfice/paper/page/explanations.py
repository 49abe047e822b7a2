"""What does not come out as the text says, and why, told by the run itself."""

from collections.abc import Iterator, Sequence
from math import sqrt

import numpy as np

from satisfice.layout.markdown import heading
from satisfice.paper.differences import ComparedNumber, statistic_of
from satisfice.paper.experiments import (
    BUDGET,
    MEDICAL,
    MEDICAL_REPETITIONS,
    SYNTHETIC,
    SYNTHETIC_AS_PRINTED,
    SYNTHETIC_REPETITIONS,
)
from satisfice.paper.extra_runs import LongRun, TextLUCB, TimeOuts
from satisfice.paper.page.passage import passage
from satisfice.paper.page.tables import column_grid, long_run_grid, text_lucb_grid, time_out_grid
from satisfice.paper.printed_tables import Doubt, Statistic, has_table, printed_number, sound_number


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
