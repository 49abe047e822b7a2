"""All that is known in advance about an instance, in one value."""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any, NamedTuple

from numpy.typing import ArrayLike

from satisfice.core.problem import Problem
from satisfice.core.stopping.alpha import alpha
from satisfice.core.theory.characteristic import characteristic_time, practical_limit
from satisfice.core.theory.gaps import Case, Standing, gaps
from satisfice.core.theory.lower import lower_bound_as_printed
from satisfice.core.theory.upper import UpperBound, corollary_slope, least_upper_bound
from satisfice.errors import InvalidInstance, InvalidProblem

ALPHA_AT = (1, 10, 100, 1_000, 10_000, 100_000)
"""The numbers of pulls at which a summary shows the paper's confidence width."""


QUANTITIES: dict[str, Callable[[Problem, ArrayLike], float | UpperBound]] = {
    "upper_bound": least_upper_bound,
    "corollary_slope": corollary_slope,
    "lower_bound_as_printed": lower_bound_as_printed,
    "characteristic_time": characteristic_time,
    "practical_limit": practical_limit,
}
"""The quantities that an instance may or may not have."""

INFINITE = (
    "It is infinite: a mean lies so close to its threshold, or to the end of its tolerance, that no number of pulls "
    "tells on which side. Move that threshold, or change its tolerance."
)


class Width(NamedTuple):
    """The paper's confidence width alpha after so many pulls of an arm."""

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
    and slack are in units in which every metric has this noise scale: their own, if all metrics have the same.
    """

    case: Case
    error_rate: float
    noise_scale: float
    standings: tuple[Standing, ...]
    shortfalls: tuple[float, ...]
    excesses: tuple[float, ...]
    alpha: tuple[Width, ...]
    upper_bound: UpperBound | None
    corollary_slope: float | None
    lower_bound_as_printed: float | None
    characteristic_time: float | None
    practical_limit: float | None
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
            "alpha": [each._asdict() for each in self.alpha],
            "upper_bound": None if self.upper_bound is None else self.upper_bound._asdict(),
            "corollary_slope": self.corollary_slope,
            "lower_bound_as_printed": self.lower_bound_as_printed,
            "characteristic_time": self.characteristic_time,
            "practical_limit": self.practical_limit,
            "reasons": {each.quantity: each.sentence for each in self.reasons},
        }


def bounds(problem: Problem, means: ArrayLike) -> Bounds:
    """Everything that the theory says in advance about arms with these means, of shape (K, M)."""
    instance = gaps(problem, means)
    values: dict[str, Any] = {}
    reasons: list[Reason] = []
    for quantity, function in QUANTITIES.items():
        values[quantity], missing = _value_or_reason(function, problem, means)
        if missing is not None:
            reasons.append(Reason(quantity, missing))
    return Bounds(
        case=instance.case,
        error_rate=instance.setting.error_rate,
        noise_scale=instance.setting.noise_scale,
        standings=instance.standings,
        shortfalls=instance.shortfalls,
        excesses=instance.excesses,
        alpha=tuple(Width(pulls, alpha(pulls, instance.setting)) for pulls in ALPHA_AT),
        reasons=tuple(reasons),
        **values,
    )


def _value_or_reason(
    function: Callable[[Problem, ArrayLike], float | UpperBound], problem: Problem, means: ArrayLike
) -> tuple[float | UpperBound | None, str | None]:
    try:
        value = function(problem, means)
    except (InvalidInstance, InvalidProblem) as error:
        return None, str(error)
    number = value.pulls if isinstance(value, UpperBound) else value
    return (value, None) if isfinite(number) else (None, INFINITE)
