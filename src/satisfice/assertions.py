"""An assertion about something random: repeat it until it is certain that it passes, or that it does not."""

import warnings
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

from satisfice.errors import InvalidSpec, NotDecided, NotPassed, StudyStopped, users_level
from satisfice.given import is_number, shown
from satisfice.layout.numbers import counted
from satisfice.noise import Bernoulli
from satisfice.problem.grammar import noise_name
from satisfice.problem.metric import Metric, as_metric
from satisfice.search.verdict import Outcome, Verdict
from satisfice.statistics import MEAN
from satisfice.study.attempts import MISTAKES, is_async
from satisfice.study.create import create_study
from satisfice.study.retry import ExceptionTypes

PASSED = "passed"
"""A metric of this name is 0 or 1 where nothing else is declared."""

Undecided = Literal["fail", "skip", "pass"]
"""What follows where the budget ends before anything is certain."""


def assert_passes(
    function: Callable[[], Any],
    thresholds: str | Metric | Iterable[str | Metric],
    *,
    max_evaluations: int = 1000,
    error_rate: float = 0.05,
    undecided: Undecided = "fail",
    failures: ExceptionTypes = AssertionError,
    **options: Any,
) -> Verdict:
    """Call a function until it is certain whether it passes; AssertionError if it does not.

    It returns a dict of metrics or, where there is one limit on a 0/1 metric, True, False, or nothing for having
    passed; an exception in `failures` is a 0 there, and any other one comes through. An `async def` is awaited. Where
    the budget of `max_evaluations` ends before it is certain, `undecided` says what follows: 'fail', 'skip' (the test,
    by pytest), or 'pass', with a warning. `options` are those of `Study.run`, such as workers.
    With one limit on a 0/1 metric the budget is part of the evidence: at its end it is worth a classical test.
    A metric called `passed` is such a one if nothing else is declared: 'passed >= 0.9' alone is enough.
    """
    if undecided not in ("fail", "skip", "pass"):
        raise InvalidSpec(f"Expected undecided as 'fail', 'skip' or 'pass', got {shown(undecided)}.")
    metrics = _metrics(thresholds)
    limits = " and ".join(map(str, metrics))
    if any(metric.process.items(metric.noise) for metric in metrics):
        raise InvalidSpec(
            "assert_passes repeats a function without arguments, which cannot know the item to evaluate. Take a study: "
            'sf.create_study(["it"], thresholds).run(lambda config, item: ...).'
        )
    by_budget = metrics[0].process.by_budget if len(metrics) == 1 else None
    if by_budget is not None and isinstance(max_evaluations, int) and max_evaluations > 0:
        metrics = [replace(metrics[0], noise=by_budget(metrics[0].noise, max_evaluations, error_rate))]
    evaluate = _Repeated(function, metrics[0].name if by_budget is not None else None, failures)
    name = str(getattr(function, "__qualname__", None) or type(function).__name__)
    study = create_study([name], metrics, error_rate=error_rate, storage="memory")
    try:
        how = evaluate.awaited if is_async(function) else evaluate
        verdict = study.run(how, max_evaluations=max_evaluations, **options)
    except StudyStopped as error:
        raise (error if error.__cause__ is None else error.__cause__) from None
    if verdict.outcome is Outcome.FOUND:
        return verdict
    said = f"{name}: {limits}: {study.explain(name)}"
    if verdict.outcome is Outcome.NONE:
        raise NotPassed(f"{said}; {verdict.certainty}") from evaluate.last_failure
    _not_decided(f"UNDECIDED after {counted(verdict.evaluations, 'evaluation')}. {said}", undecided)
    return verdict


class _Repeated:
    """A function without arguments as an evaluation."""

    def __init__(self, function: Callable[[], Any], metric: str | None, failures: ExceptionTypes) -> None:
        self._function, self._metric = function, metric
        self._failures = failures if isinstance(failures, type) else tuple(failures)
        self.last_failure: BaseException | None = None

    def __call__(self, config: Any) -> Mapping[str, Any]:
        try:
            return self._results(self._function())
        except self._failures as error:
            return self._failed(error)

    async def awaited(self, config: Any) -> Mapping[str, Any]:
        try:
            made: Awaitable[Any] = self._function()
            return self._results(await made)
        except self._failures as error:
            return self._failed(error)

    def _results(self, found: Any) -> Mapping[str, Any]:
        if self._metric is None or isinstance(found, Mapping):
            return found  # type: ignore[no-any-return]  # the study says what is wrong with it
        if found is None:
            return {self._metric: 1}
        return {self._metric: int(found) if isinstance(found, bool) or is_number(found) else found}

    def _failed(self, error: BaseException) -> Mapping[str, Any]:
        if self._metric is None or isinstance(error, MISTAKES):
            raise error
        self.last_failure = error
        return {self._metric: 0}


def _metrics(thresholds: str | Metric | Iterable[str | Metric]) -> list[Metric]:
    return [_declared(one) for one in ([thresholds] if isinstance(thresholds, str | Metric) else thresholds)]


def _declared(threshold: str | Metric) -> Metric:
    """The metric; a limit on how often something passed is one on zeros and ones unless something else is declared."""
    metric = as_metric(threshold)
    undeclared = isinstance(threshold, str) and noise_name(threshold) is None
    if metric.name == PASSED and metric.statistic == MEAN and undeclared:
        return replace(metric, noise=Bernoulli())
    return metric


def _not_decided(sentence: str, undecided: Undecided) -> None:
    advice = "Give a larger max_evaluations or tolerance, or say by undecided='skip' or 'pass' what that means."
    if undecided == "fail":
        raise NotDecided(f"{sentence}. {advice}")
    if undecided == "skip":
        import pytest  # noqa: PLC0415 - who skips a test has it

        pytest.skip(sentence)
    warnings.warn(sentence, UserWarning, stacklevel=users_level())
