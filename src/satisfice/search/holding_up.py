"""What holds a study up: the one metric that keeps a configuration from being decided, and why.

Verdicts, explanations, status and pages all say what stands here.
"""

from collections.abc import Mapping
from typing import NamedTuple

from satisfice.layout.numbers import counted, fixed, to_digits
from satisfice.problem.metric import Metric
from satisfice.search.hints import Hint
from satisfice.search.report import ArmSums, Report

LEAST_PROGRESS = 0.05
"""With less of the evidence than that nothing is said about how much more it takes."""

CLEAR = 2.0
"""From how many standard errors on an estimate is not said to sit on its limit."""

FEW_PULLS = 30
"""With fewer results an estimate is not said to sit on its limit."""


class HoldUp(NamedTuple):
    """The metric by its place, and why an arm is not decided, in words; `shape` if the shape of results is why."""

    place: int
    words: str
    shape: str | None = None


def held_up(report: Report, sums: ArmSums, hints: Mapping[str, Hint], least: int = 1) -> HoldUp | None:
    """What keeps an arm from being decided; None under a stopping rule that knows no evidence.

    `hints` are those about metrics, by label. An arm needs `least` results, whatever they are.
    """
    accept, reject = report.progress(sums)
    if not accept:
        return None
    metrics = report.problem.metrics
    failing = max(range(len(metrics)), key=lambda place: reject[place])
    if reject[failing] > max(min(accept), LEAST_PROGRESS):
        return _misses(report, failing, sums)
    hinted = [hints.get(metric.label) for metric in metrics]
    for place, hint in enumerate(hinted):
        if hint is not None and hint.blocks and accept[place] < 1.0:
            return HoldUp(place, hint.words)
    weakest = min(range(len(metrics)), key=lambda place: (accept[place], -reject[place]))
    found, hint = _missing(report, weakest, sums, accept[weakest], least), hinted[weakest]
    return found if hint is None else found._replace(words=f"{found.words}; {hint.words}")


def _missing(report: Report, place: int, sums: ArmSums, progress: float, least: int) -> HoldUp:
    """The evidence of a metric grows in proportion to the number of evaluations, once it grows at all."""
    metric, pulls = report.problem.metrics[place], sums.count_of(place)
    several = len(report.problem.metrics) > 1
    if progress >= 1.0 and sums.pulls < least:
        more = counted(least - sums.pulls, "more evaluation")
        return HoldUp(place, f"{more} of it: nothing is accepted before it has {least:,}")
    if pulls == 0:
        return HoldUp(place, f"{metric.label} of it is not measured yet")
    if (shape := _shape(report, place, sums)) is not None:
        return HoldUp(place, f"{metric.name} {shape}", shape)
    if fewest := _fewest(report, place, sums):
        if sums.deficits[place] > 0.0:
            return _misses(report, place, sums)
        return HoldUp(place, f"waiting for {counted(fewest, 'result')} since nothing is declared about {metric.label}")
    if progress > LEAST_PROGRESS:
        more = f"about {_rounded(pulls * (1.0 / progress - 1.0))} more evaluations of it at present estimates"
        return HoldUp(place, f"{metric.label} takes {more}" if several else more)
    score = report.score(place, sums)
    if pulls < FEW_PULLS or score > CLEAR:
        what = metric.label if several else "it"
        return HoldUp(place, f"too early to say what {what} takes, after {counted(pulls, 'evaluation')} of it")
    return _misses(report, place, sums) if score < -CLEAR else HoldUp(place, _sits_on_limit(metric))


def _misses(report: Report, place: int, sums: ArmSums) -> HoldUp:
    words, shape = f"{report.problem.metrics[place].label} rather misses its limit", _shape(report, place, sums)
    if shape is not None:
        return HoldUp(place, f"{words}, but {shape}", shape)
    fewest = _fewest(report, place, sums)
    waits = f": waiting for {counted(fewest, 'result')} since nothing is declared about it" if fewest else ""
    return HoldUp(place, words + waits)


def _shape(report: Report, place: int, sums: ArmSums) -> str | None:
    """What a decision about a metric waits for other than more results, in words that follow its name."""
    metric, claim = report.problem.metrics[place], report.claim(place, sums)
    if claim is None:
        return None
    return metric.process.waiting(metric.of_arm(sums.arm).noise, report.own_unit(place, metric, sums), claim)


def _sits_on_limit(metric: Metric) -> str:
    where = "the end of its tolerance" if metric.tolerance or metric.tolerance_ratio else "its limit"
    more = "a larger tolerance" if metric.tolerance or metric.tolerance_ratio else "a tolerance"
    return f"{metric.label} sits on {where}: {more} would end it"


def _fewest(report: Report, place: int, sums: ArmSums) -> int:
    """How many results the metric must have before anything is decided, if that is what it waits for; else 0."""
    metric, claim = report.problem.metrics[place], report.claim(place, sums)
    if claim is None:
        return 0
    return metric.process.fewest(metric.of_arm(sums.arm).noise, report.own_unit(place, metric, sums), claim)


def _rounded(count: float) -> str:
    """To one digit, or two below a hundred."""
    return fixed(to_digits(max(count, 1.0), 2 if count < 100 else 1), 0)
