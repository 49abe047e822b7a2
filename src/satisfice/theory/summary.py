"""All that is known in advance about an instance, in one value."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import isfinite
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from satisfice.errors import InvalidInstance, InvalidProblem
from satisfice.problem.goal import Goal
from satisfice.problem.problem import Problem
from satisfice.stopping.boundary import alpha
from satisfice.theory.bounds import UpperBound, corollary_slope, least_upper_bound, lower_bound_as_printed
from satisfice.theory.distributions import Distributions, distributions_for
from satisfice.theory.gaps import Case, Gaps, Standing, standings
from satisfice.theory.information import needs

ALPHA_AT = (1, 10, 100, 1_000, 10_000, 100_000)
"""The numbers of pulls at which a summary shows the paper's confidence width."""


Quantity = Callable[[], float | UpperBound | tuple["Width", ...]]

INFINITE = (
    "It is infinite: a mean lies so close to its threshold, or to the end of its tolerance, that no number of pulls "
    "tells on which side. Move that threshold, or change its tolerance."
)


class Width(NamedTuple):
    """The paper's confidence width alpha after `pulls` pulls of an arm."""

    pulls: int
    width: float


class Reason(NamedTuple):
    """Why a quantity has no value, as a sentence."""

    quantity: str
    sentence: str


@dataclass(frozen=True)
class Bounds:
    """The bounds on the pulls that an instance takes; see the functions of the same names.

    A quantity is None where it does not exist or is infinite, and then `reasons` says why. Shortfalls, excesses, widths
    and slack are in units in which every metric has this noise scale: their own, if all metrics have the same. A metric
    of unknown scale keeps its own unit; the paper has nothing to say about it.
    """

    case: Case
    error_rate: float
    noise_scale: float | None
    standings: tuple[Standing, ...]
    shortfalls: tuple[float, ...]
    excesses: tuple[float, ...]
    alpha: tuple[Width, ...] | None
    upper_bound: UpperBound | None
    corollary_slope: float | None
    lower_bound_as_printed: float | None
    characteristic_time: float | None
    practical_limit: float | None
    practical_limit_independent: float | None
    proven_limit: float | None
    reasons: tuple[Reason, ...]

    def reason(self, quantity: str) -> str | None:
        """Why that quantity is None, or None if it is not."""
        return next((each.sentence for each in self.reasons if each.quantity == quantity), None)

    def as_dict(self) -> dict[str, Any]:
        """The same in plain values that any JSON writer takes; arms are numbered from 1."""
        arms = zip(self.standings, self.shortfalls, self.excesses, strict=True)
        return {
            "case": str(self.case),
            "error_rate": self.error_rate,
            "noise_scale": self.noise_scale,
            "arms": [
                {"arm": arm, "standing": str(standing), "shortfall": shortfall, "excess": excess}
                for arm, (standing, shortfall, excess) in enumerate(arms, start=1)
            ],
            "alpha": None if self.alpha is None else [each._asdict() for each in self.alpha],
            "upper_bound": None if self.upper_bound is None else self.upper_bound._asdict(),
            "corollary_slope": self.corollary_slope,
            "lower_bound_as_printed": self.lower_bound_as_printed,
            "characteristic_time": self.characteristic_time,
            "practical_limit": self.practical_limit,
            "practical_limit_independent": self.practical_limit_independent,
            "proven_limit": self.proven_limit,
            "reasons": {each.quantity: each.sentence for each in self.reasons},
        }


def bounds(
    problem: Problem, means: ArrayLike, *, spread: ArrayLike | None = None, distributions: Distributions | None = None
) -> Bounds:
    """Everything that the theory says in advance about arms with these means, of shape (K, M).

    `spread` is the standard deviation of one evaluation, for metrics that are bounded or normal of unknown scale: a
    number, one for each metric, or of shape (K, M). Instead `distributions` may say how each metric of each arm is
    distributed.
    """
    instance = standings(problem, means)
    known = distributions_for(problem, means, spread) if distributions is None else distributions
    values: dict[str, Any] = {}
    reasons: list[Reason] = []
    for quantity, compute in _quantities(problem, means, instance, known).items():
        values[quantity], missing = _value_or_reason(compute)
        if missing is not None:
            reasons.append(Reason(quantity, missing))
    return Bounds(
        case=instance.case,
        error_rate=instance.setting.error_rate,
        standings=instance.standings,
        shortfalls=instance.shortfalls,
        excesses=instance.excesses,
        reasons=tuple(reasons),
        **values,
    )


def _quantities(
    problem: Problem, means: ArrayLike, instance: Gaps, distributions: Distributions
) -> dict[str, Quantity]:
    """What an instance may or may not have; what the paper has is for noise of known scales."""
    setting = instance.setting
    papers: dict[str, Quantity] = {
        "noise_scale": lambda: setting.noise_scale,
        "alpha": lambda: tuple(Width(pulls, alpha(pulls, setting)) for pulls in ALPHA_AT),
        "upper_bound": lambda: least_upper_bound(problem, means),
        "corollary_slope": lambda: corollary_slope(problem, means),
        "lower_bound_as_printed": lambda: lower_bound_as_printed(problem, means),
    }
    unknown = [metric for metric in problem.metrics if metric.noise.scale is None]
    if unknown:
        papers = dict.fromkeys(papers, lambda: _not_the_papers(unknown[0].name))
    elif problem.goal is not Goal.ANY:
        papers |= dict.fromkeys(("upper_bound", "corollary_slope", "lower_bound_as_printed"), _not_the_papers_goal)
    found = cache(lambda: needs(problem, means, distributions=distributions))
    return papers | {
        "characteristic_time": lambda: found().characteristic_time(),
        "practical_limit": lambda: found().practical_limit(),
        "practical_limit_independent": lambda: found().practical_limit(independent=True),
        "proven_limit": lambda: found().proven_limit(),
    }


def _not_the_papers(metric: str) -> float:
    raise InvalidProblem(
        f"The paper is about noise of known scale, and that of {metric!r} is declared unknown. Its figures exist for "
        "normal(SD), subgaussian(SCALE), bernoulli and bounded(LOW, HIGH)."
    )


def _not_the_papers_goal() -> float:
    raise InvalidProblem("The paper looks for any one arm: with another goal its bounds are about another question.")


def _value_or_reason(compute: Quantity) -> tuple[float | UpperBound | tuple[Width, ...] | None, str | None]:
    try:
        value = compute()
    except (InvalidInstance, InvalidProblem) as error:
        return None, str(error)
    number = value.pulls if isinstance(value, UpperBound) else value
    return (None, INFINITE) if isinstance(number, float) and not isfinite(number) else (value, None)
