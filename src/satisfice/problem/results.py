"""Results as they come in: checked once, at the edge."""

from collections.abc import Mapping, Sequence
from typing import TypeGuard

import numpy as np

from satisfice.errors import InvalidResult, RuledOut
from satisfice.given import is_number, shown
from satisfice.problem.metric import Metric
from satisfice.problem.problem import NOTHING, Problem
from satisfice.statistics import MEAN
from satisfice.statistics.raw import LARGEST, Raw, Unexpected, checked_raw, weight_of

Row = tuple[Raw, ...]
"""What one evaluation returned, in the order in which the problem has what is measured."""


def checked_results(problem: Problem, results: object, left_out: frozenset[str] = NOTHING) -> Row:
    """The values in the order of `problem.measured`, of a kind that their limits allow; further ones are left out.

    So is what is `left_out` because it is known for certain: its value is None.
    """
    if type(results) is not dict and not isinstance(results, Mapping):
        raise InvalidResult(
            f"Expected the results as a mapping from metric to number, got {shown(results, 60)}.", is_mistake=True
        )
    names = problem.measured
    missing = [name for name in names if name not in results and name not in left_out]
    if missing:
        raise InvalidResult(
            f"Expected a number for each of {', '.join(names)}, but {missing[0]!r} is missing.", is_mistake=True
        )
    found: dict[str, Raw] = {}
    for metric in problem.metrics:
        if metric.name in left_out:
            found[metric.name] = None
            continue
        value = results[metric.name]
        plain = type(value) in (float, int) and metric.is_plain and -LARGEST <= value <= LARGEST
        if plain and metric.process.fits(metric.noise, value):  # by far the most frequent case
            number = float(value)
            if number is value or metric.process.fits(metric.noise, number):
                found[metric.name] = number
                continue
        alone = metric.statistic == MEAN and not metric.beside_baseline
        fits = alone and _fits(metric, value)
        if (alone and not fits and not _several(value)) or (metric.beside_baseline and _is_truth(value)):
            raise _refused(value)(
                f"Expected {metric.process.expected(metric.noise)} for {metric.name!r} ({metric.noise}), got "
                f"{shown(value)}."
            )
        try:
            found[metric.name] = raw = metric.statistic.recorded(value)
            if metric.beside_baseline:
                continue
            observed = _observed(metric, raw)
            if not (fits and observed is value) and not _fits(metric, observed):
                raise Unexpected(f"{metric.process.expected(metric.noise)} ({metric.noise})")
        except Unexpected as error:
            raise _refused(value)(f"Expected {error} for {metric.name!r}, got {shown(value, 60)}.") from None
    return tuple(found.values())


def checked_pair(problem: Problem, results: Row, baseline: object, left_out: frozenset[str] = NOTHING) -> Row:
    """What the baseline returned beside it, in the order of `problem.compared`; None for what is `left_out`."""
    if not problem.compared:
        return ()
    wanted = [name for name in problem.compared if name not in left_out]
    if wanted and (not isinstance(baseline, Mapping) or any(name not in baseline for name in wanted)):
        raise InvalidResult(
            f"Expected the baseline's results for {', '.join(problem.compared)} as well, got {shown(baseline, 60)}. "
            "One evaluation is one of the config and one of the baseline, back to back."
        )
    found: dict[str, Raw] = {}
    for metric in problem.metrics:
        if metric.beside_baseline and metric.name in left_out:
            found[metric.name] = None
        elif metric.beside_baseline:
            value = baseline[metric.name]  # type: ignore[index]  # it is wanted, and so it is a mapping
            try:
                raw = checked_raw(value)
                observed = metric.observed(results[problem.measured.index(metric.name)], raw)
                if not _fits(metric, observed.value):
                    raise Unexpected(metric.process.expected(metric.noise))
            except Unexpected as error:
                raise _refused(value)(
                    f"Expected {error} for {metric.name!r} of the baseline, got {shown(value, 60)}."
                ) from None
            found[metric.name] = raw
    return tuple(found.values())


def _observed(metric: Metric, raw: Raw) -> float:
    """The number that enters the evidence; one number has no share that could be normal."""
    if metric.statistic.takes_lists and metric.process.pooled and weight_of(raw) == 1:
        raise Unexpected(
            f"a list of several numbers, since the share of one is 0 or 1 and never {metric.noise} (leave "
            f"': {metric.noise}' out)"
        )
    return metric.observed(raw).value


def _refused(value: object) -> type[InvalidResult]:
    """What a value is that was refused: a number which there should not be, or no number at all, as true and false."""
    return RuledOut if is_number(value) and -LARGEST <= float(value) <= LARGEST else InvalidResult


def _plain(value: object) -> TypeGuard[float]:
    """Whether it is one number, or true or false: what a model, from outside perhaps, may be asked about."""
    return _is_truth(value) or is_number(value)


def _is_truth(value: object) -> bool:
    return isinstance(value, bool | np.bool_)


def _several(value: object) -> bool:
    return isinstance(value, Mapping | Sequence) and not isinstance(value, str | bytes)


def _fits(metric: Metric, value: object) -> bool:
    return _plain(value) and metric.process.fits(metric.noise, value)
