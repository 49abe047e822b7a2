"""Normal noise, of known scale or not, and sub-Gaussian noise."""

from collections.abc import Sequence
from math import inf, log, log1p, sqrt
from numbers import Real
from typing import NamedTuple, TypeVar

import numpy as np

from satisfice.errors import InvalidInstance, InvalidProblem
from satisfice.given import is_number, shown
from satisfice.layout.numbers import counted, listed, rounded, written
from satisfice.noise import known_scale, unknown_scale
from satisfice.noise.intervals import interval_normal, interval_student
from satisfice.noise.process import (
    Bet,
    Distribution,
    Interval,
    KnownCalm,
    Process,
    Shape,
    Sums,
    no_contradiction,
    positive_scale,
)

Scales = float | tuple[float, ...]


class Normal(NamedTuple):
    """Gaussian noise; sd is None when it is not known, and several numbers where every arm has its own."""

    sd: Scales | None = None

    @property
    def scale(self) -> float | None:
        return max(self.sd) if isinstance(self.sd, tuple) else self.sd

    @property
    def process(self) -> Process:
        return UNKNOWN_SCALE if self.sd is None else KNOWN_SCALE

    def __str__(self) -> str:
        return "normal" if self.sd is None else f"normal({listed(self.sd)})"


class SubGaussian(NamedTuple):
    """E exp(l (x - mean)) <= exp(l^2 scale^2 / 2) for all l (paper, Definition 1)."""

    sub_gaussian_scale: Scales

    @property
    def scale(self) -> float:
        return max(self.sub_gaussian_scale) if isinstance(self.sub_gaussian_scale, tuple) else self.sub_gaussian_scale

    @property
    def process(self) -> Process:
        return KNOWN_SCALE

    def __str__(self) -> str:
        return f"subgaussian({listed(self.sub_gaussian_scale)})"


Model = TypeVar("Model", Normal, SubGaussian)


def _checked(model: Model) -> Model:
    if not isinstance(model, Normal | SubGaussian):
        return positive_scale(model)  # a model of a user's own with a scale
    given = model[0]
    if not isinstance(given, Sequence | np.ndarray):
        if given is not None and not isinstance(given, Real):
            raise InvalidProblem(f"{type(model).__name__} expects numbers, got {shown(given)}.")
        positive_scale(model)
        return model
    for scale in given:
        if not isinstance(scale, Real):
            raise InvalidProblem(f"{type(model).__name__} expects numbers, got {shown(scale)}.")
        if not is_number(scale) or not scale > 0:
            raise InvalidProblem(f"every noise scale must be positive and finite, got {shown(scale)}.")
    return type(model)(tuple(given))


def _by_arm(model: Model) -> tuple[float, ...]:
    """The scales of the arms, in their order, where each has its own."""
    own = isinstance(model, Normal | SubGaussian) and isinstance(model[0], tuple)
    return model[0] if own else ()  # type: ignore[return-value]  # `_checked` made it a tuple


def _of_arm(model: Model, arm: int) -> Model:
    own = _by_arm(model)
    return type(model)(own[arm]) if own else model


def _assumption(model: Model) -> str:
    if not isinstance(model, Normal):
        return f"sub-Gaussian noise of scale at most {written(model.scale)} ({model})"
    if model.sd is None:
        return "normal noise of unknown variance"
    stated = f"the declared standard deviations ({model})" if isinstance(model.sd, tuple) else written(model.sd)
    return f"normal noise with a standard deviation of at most {stated}"


def _condition(model: Model) -> str:
    if not isinstance(model, Normal):  # also a model of a user's own with a scale
        return f"is {model}"
    if model.sd is None:
        return "is normal"
    stated = "the declared sds" if isinstance(model.sd, tuple) else f"an sd of at most {written(model.sd)}"
    return f"is normal with {stated}"


def _known_interval(model: Model, sums: Sums, error_rate: float) -> Interval:
    return interval_normal(sums.pulls, sums.total, sums.origin, _scale(model), error_rate)


def _unknown_interval(model: Normal, sums: Sums, error_rate: float) -> Interval:
    return interval_student(sums.pulls, sums.total, float(sums.more[0]), sums.origin, error_rate)


def _contradiction(model: Model, sums: Sums, doubt: float) -> str | None:
    """Whether the sample variance is far above the declared one, which would void the guarantee.

    For normal noise (n - 1) variance/sd^2 is chi-square distributed, and exceeds d + 2 sqrt(d x) + 2 x, d = n - 1, with
    probability at most e^-x (Laurent and Massart 2000); `doubt` is x.
    """
    freedom, scale = sums.pulls - 1, _scale(model)
    around_mean = sums.more[0] - sums.total * sums.total / sums.pulls
    if around_mean <= scale**2 * (freedom + 2 * sqrt(freedom * doubt) + 2 * doubt):
        return None
    return (
        f"the standard deviation of {counted(sums.pulls, 'result')} is {rounded(sqrt(around_mean / freedom))}. The "
        "guarantee does not hold then. Declare a larger scale, or leave it to be estimated"
    )


def _known_information(model: Model, mean: float, edge: float, known: Distribution | None) -> float:
    ratio = (mean - edge) / _scale(model)
    return 0.5 * ratio * ratio


def _unknown_information(model: Normal, mean: float, edge: float, known: Distribution | None) -> float:
    sd = _sd(known)
    ratio = (mean - edge) / sd if sd > 0.0 else inf
    return 0.5 * log1p(ratio * ratio)


def _known_bet(model: Model, mean: float, edge: float, known: Distribution | None) -> Bet:
    precision = _scale(model) ** -2
    return Bet(edge, 0.0, -0.5 * precision * (mean - edge) ** 2, precision * (mean - edge))


def _unknown_bet(model: Normal, mean: float, edge: float, known: Distribution | None) -> Bet:
    gap, variance = mean - edge, _sd(known) ** 2
    wider = variance + gap * gap
    constant = 0.5 * log(wider / variance) - gap * gap / (2.0 * variance)
    return Bet(edge, 0.0, constant, gap / variance, -0.5 * (1.0 / variance - 1.0 / wider))


def _simulated(model: Model, mean: float, spread: float | None, concentration: float) -> Shape:
    sd = model.scale if spread is None else spread
    if sd is None:
        raise InvalidInstance("it does not say how noisy one evaluation is")
    return Shape(mean, sd)


def _scale(model: Model) -> float:
    return float(model.scale or 0.0)


def _sd(known: Distribution | None) -> float:
    if known is None:
        raise InvalidInstance("how much its results vary must be known")
    return known.sd


def _draw(rng: np.random.Generator, first: float, second: float) -> float:
    return rng.standard_normal()


KNOWN_SCALE = Process(
    name="known scale",
    within=known_scale.within,
    below=known_scale.below,
    margin_and_sd=known_scale.margin,
    needed_within=known_scale.needed,
    needed_below=known_scale.needed,
    enough_within=known_scale.enough_within,
    enough_below=known_scale.enough_below,
    most_within=known_scale.most_within,
    most_below=known_scale.most_below,
    needed_at_least=known_scale.needed_at_least,
    calm=KnownCalm(
        known_scale.enough_within, known_scale.enough_below, known_scale.margin, between=known_scale.between
    ),
    draw=_draw,
    checked=_checked,
    by_arm=_by_arm,
    of_arm=_of_arm,
    assumption=_assumption,
    condition=_condition,
    interval=_known_interval,
    contradiction=_contradiction,
    near_normal=lambda model: isinstance(model, Normal),  # not for any sub-Gaussian shape
    information=_known_information,
    best_bet=_known_bet,
    distribution=lambda model, mean, spread: Distribution(mean, spread),
    simulated=_simulated,
    of_shape=lambda shape: Distribution(shape.low, shape.spread),
    extra=0,
    transferable=True,
    open_spread=False,
    needs_by_level=True,
    gaussian=True,
)

UNKNOWN_SCALE = KNOWN_SCALE._replace(
    name="unknown scale",
    within=unknown_scale.within,
    below=unknown_scale.below,
    margin_and_sd=unknown_scale.margin,
    needed_within=unknown_scale.needed,
    needed_below=unknown_scale.needed,
    enough_within=unknown_scale.enough_within,
    enough_below=unknown_scale.enough_below,
    most_within=unknown_scale.most_within,
    most_below=unknown_scale.most_below,
    condition=lambda model: "is normal",
    interval=_unknown_interval,
    contradiction=no_contradiction,
    near_normal=lambda model: True,
    information=_unknown_information,
    best_bet=_unknown_bet,
    extra=1,
    averaged=False,
    transferable=False,
    pooled=True,
    open_spread=True,
)
