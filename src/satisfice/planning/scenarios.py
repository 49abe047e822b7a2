"""What the configurations of a study might turn out to be like: scenarios in plain words, as means to simulate.

How far from its threshold a mean is, is counted in standard deviations of one evaluation, its *effect*: `just` and
`clearly` are two of them. A mean that passes lies that much inside its threshold, one that fails that much beyond the
end of its tolerance. For results in a range, where means cannot go beyond the ends, effects are counted on the scale
of the log-odds: for 0 or 1 an effect of 1 is pi/sqrt(3) (Chinn 2000), so that `just` (0.25) makes the odds 1.6 times
better or worse and `clearly` (1) 6 times.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidProblem, unknown_name
from satisfice.given import is_number, shown
from satisfice.layout.numbers import written
from satisfice.noise.beta import concentration_of
from satisfice.problem.metric import Direction, Metric
from satisfice.problem.problem import Problem
from satisfice.simulation.arms import arms_for
from satisfice.simulation.instance import Instance
from satisfice.theory.distributions import distribution_of

JUST, CLEARLY = 0.25, 1.0
"""How far from a threshold a mean is that just passes or fails, and one that clearly does."""


class ArmCounts(NamedTuple):
    """How many configurations are of each kind; the others clearly fail."""

    clearly_pass: int = 0
    just_pass: int = 0
    within_tolerance: int = 0
    just_fail: int = 0


SCENARIOS: dict[str, Callable[[int, int], ArmCounts]] = {
    "one clearly passes": lambda count, wanted: ArmCounts(clearly_pass=1),
    "one clearly passes, rest just fail": lambda count, wanted: ArmCounts(clearly_pass=1, just_fail=count - 1),
    "one just passes": lambda count, wanted: ArmCounts(just_pass=1),
    "one just passes, one just fails": lambda count, wanted: ArmCounts(just_pass=1, just_fail=min(1, count - 1)),
    "one just passes, rest just fail": lambda count, wanted: ArmCounts(just_pass=1, just_fail=count - 1),
    "half clearly pass": lambda count, wanted: ArmCounts(clearly_pass=ceil(count / 2)),
    "most just pass": lambda count, wanted: ArmCounts(just_pass=ceil(0.8 * count)),
    "all clearly fail": lambda count, wanted: ArmCounts(),
    "all just fail": lambda count, wanted: ArmCounts(just_fail=count),
    "all within tolerance": lambda count, wanted: ArmCounts(within_tolerance=count),
    "enough clearly pass": lambda count, wanted: ArmCounts(clearly_pass=wanted),
    "enough just pass": lambda count, wanted: ArmCounts(just_pass=wanted),
    "one too few clearly pass": lambda count, wanted: ArmCounts(clearly_pass=wanted - 1),
}
"""The scenarios by name, from the number of configurations and how many are wanted. The configurations that a name does
not mention clearly fail; enough is as many as are wanted, the same as one where any will do.

A configuration that fails misses one metric, the first one the first metric, the second one the second, and so on in
turn, and clearly passes the others. One that lies within tolerance is in the middle of the tolerance of one metric, or
at its threshold if it has none, and clearly passes the others.
"""


@dataclass(frozen=True)
class Guesses:
    """What is assumed: the standard deviation of one evaluation of each metric, and how far just and clearly are."""

    spread: tuple[float, ...]
    just: float = JUST
    clearly: float = CLEARLY

    def by_metric(self, problem: Problem) -> dict[str, float]:
        """The standard deviations of metrics that are not coins."""
        pairs = zip(problem.metrics, self.spread, strict=True)
        return {metric.name: spread for metric, spread in pairs if not metric.drawn.process.mean_fixes_spread}


def guesses_for(problem: Problem, spread: Mapping[str, float] | None, just: float, clearly: float) -> Guesses:
    """Guesses that make sense; `spread` is needed for metrics that are undeclared, bounded or normal of unknown sd."""
    given = {} if spread is None else spread
    if not isinstance(given, Mapping):
        raise InvalidProblem(
            f"Expected the spread as standard deviations by metric, as in {{'a': 2.5}}, got {shown(spread, 60)}."
        )
    for name in given:
        if name not in problem.measured:
            raise unknown_name("metric with a threshold", name, problem.measured)
    for what, value in (("just", just), ("clearly", clearly)):
        _positive(value, f"{what!r}, the distance from a threshold in standard deviations of one evaluation,")
    if just > clearly:
        raise InvalidProblem(
            f"Expected 'just' to be no more than 'clearly', got {written(just)} and {written(clearly)}."
        )
    return Guesses(tuple(_spread(metric, given) for metric in problem.metrics), float(just), float(clearly))


def _spread(metric: Metric, given: Mapping[str, Any]) -> float:
    process = metric.drawn.process
    if process.mean_fixes_spread:
        if metric.name in given:
            raise InvalidProblem(
                f"Metric {metric.name!r} is {metric.noise}: its mean says how much it varies. Delete its spread."
            )
        return 1.0
    if metric.name not in given and process.open_spread:
        raise InvalidProblem(
            f"Metric {metric.name!r} ({metric.drawn.noise}) leaves open how much its results vary. Give a guess of the "
            f"standard deviation of one evaluation: spread = {{ {metric.name} = ... }}."
        )
    value = given.get(metric.name, process.scale_at(metric.drawn.noise, metric.threshold))
    _positive(value, f"the spread of {metric.name!r}")
    if metric.is_plain:
        distribution_of(metric, metric.threshold, float(value))  # raises if no distribution has it
    return float(value)


def _positive(value: Any, what: str) -> None:
    if not is_number(value) or not float(value) > 0:
        raise InvalidProblem(f"Expected {what} as a positive number, got {shown(value)}.")


def instance_of(name: str, problem: Problem, count: int, guesses: Guesses) -> Instance:
    """The arms of a scenario, those that pass last."""
    kinds = SCENARIOS[name](count, problem.setting(count).wanted)
    rows: list[list[float]] = []
    failing = count - sum(kinds)
    for place in range(count):
        at, rest = place % len(problem.metrics), guesses.clearly
        if place < failing:
            rows.append(_row(problem, guesses, at, -guesses.clearly, rest))
        elif place < failing + kinds.just_fail:
            rows.append(_row(problem, guesses, at, -guesses.just, rest))
        elif place < failing + kinds.just_fail + kinds.within_tolerance:
            rows.append(_row(problem, guesses, at, 0.0, rest))
        else:
            effect = guesses.just if place < count - kinds.clearly_pass else guesses.clearly
            rows.append(_row(problem, guesses, at, effect, effect))
    arms = arms_for(problem, rows, sds=guesses.spread, concentration=_concentrations(problem, guesses))
    return Instance.of(problem, arms, name=name)


def chosen_scenarios(problem: Problem, count: int, names: Sequence[str] | None = None) -> list[str]:
    """The scenarios of these names, or all; without those that are the same as an earlier one for this question."""
    if names is not None:
        if isinstance(names, str) or not names or not all(isinstance(name, str) for name in names):
            raise InvalidProblem(
                f"Expected scenarios as a list of names, got {shown(names, 80)}. Known: {', '.join(SCENARIOS)}."
            )
        for name in names:
            if name not in SCENARIOS:
                raise unknown_name("scenario", name, SCENARIOS)
    known: dict[ArmCounts, str] = {}
    for name in SCENARIOS if names is None else names:
        known.setdefault(SCENARIOS[name](count, problem.setting(count).wanted), name)
    return list(known.values())


def _row(problem: Problem, guesses: Guesses, at: int, effect: float, others: float) -> list[float]:
    return [
        mean_at(metric, spread, effect if index == at else others)
        for index, (metric, spread) in enumerate(zip(problem.metrics, guesses.spread, strict=True))
    ]


def mean_at(metric: Metric, spread: float, effect: float) -> float:
    """The mean that passes by that effect, or misses the tolerance by it if negative; at 0 in mid-tolerance."""
    better = 1.0 if metric.direction is Direction.AT_LEAST else -1.0
    threshold, tolerance = metric.shown_limit
    edge = threshold - better * tolerance * (0.0 if effect > 0 else 0.5 if effect == 0 else 1.0)
    process, noise = metric.drawn.process, metric.drawn.noise
    low, high = process.bounds(noise)
    if not low < edge < high:
        side = "pass" if effect >= 0 else "fail"
        raise InvalidProblem(
            f"Metric {metric.name!r} lies in [{written(low)}, {written(high)}]: no mean can {side} {str(metric)!r} by "
            "a margin. Choose a threshold, and a tolerance, that leave room on both sides."
        )
    beyond = process.mean_beyond(noise, edge, better * effect, spread)
    return beyond if metric.is_plain else metric.statistic.moved(edge, beyond - edge)


def _concentrations(problem: Problem, guesses: Guesses) -> Floats:
    """Of the Beta distributions: those that have the guessed spread at the threshold."""
    return np.array(
        [
            concentration_of(metric.drawn.process.bounds(metric.drawn.noise), metric.threshold, spread)
            for metric, spread in zip(problem.metrics, guesses.spread, strict=True)
        ]
    )
