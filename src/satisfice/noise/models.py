"""What is assumed about the noise of a metric."""

from collections.abc import Sequence
from math import inf, isfinite
from numbers import Real
from typing import NamedTuple, Protocol

import numpy as np

from satisfice.errors import InvalidProblem


def written(number: float) -> str:
    """A number in the fewest digits that read back as the same number."""
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def _listed(numbers: float | tuple[float, ...]) -> str:
    return ", ".join(map(written, numbers)) if isinstance(numbers, tuple) else written(numbers)


class NoiseModel(Protocol):
    """A declaration about a metric's noise."""

    @property
    def scale(self) -> float | None:
        """The sub-Gaussian scale that the declaration implies, None when it implies none."""


class Normal(NamedTuple):
    """Gaussian noise; sd is None when it is not known, and several numbers where every arm has its own."""

    sd: float | tuple[float, ...] | None = None

    @property
    def scale(self) -> float | None:
        return max(self.sd) if isinstance(self.sd, tuple) else self.sd

    def __str__(self) -> str:
        return "normal" if self.sd is None else f"normal({_listed(self.sd)})"


class SubGaussian(NamedTuple):
    """E exp(l (x - mean)) <= exp(l^2 scale^2 / 2) for all l (paper, Definition 1)."""

    sub_gaussian_scale: float | tuple[float, ...]

    @property
    def scale(self) -> float:
        return max(self.sub_gaussian_scale) if isinstance(self.sub_gaussian_scale, tuple) else self.sub_gaussian_scale

    def __str__(self) -> str:
        return f"subgaussian({_listed(self.sub_gaussian_scale)})"


class Bernoulli(NamedTuple):
    """Results are 0 or 1, which is sub-Gaussian with scale 1/2 (Hoeffding 1963)."""

    @property
    def scale(self) -> float:
        return 0.5

    def __str__(self) -> str:
        return "bernoulli"


class Bounded(NamedTuple):
    """Results lie in [low, high], which is sub-Gaussian with scale (high - low)/2 (Hoeffding 1963)."""

    low: float
    high: float

    @property
    def scale(self) -> float:
        return (self.high - self.low) / 2

    def __str__(self) -> str:
        return f"bounded({written(self.low)}, {written(self.high)})"


def scales_by_arm(noise: object) -> tuple[float, ...]:
    """The scales of the arms, in their order, where each has its own; else nothing."""
    if isinstance(noise, Normal | SubGaussian) and isinstance(noise[0], tuple):
        return noise[0]
    return ()


def noise_of_arm(noise: NoiseModel, place: int) -> NoiseModel:
    """What is declared about one arm."""
    own = scales_by_arm(noise)
    return noise if not own else type(noise)(own[place])  # type: ignore[call-arg]  # Normal or SubGaussian


def _check_numbers(noise: object, metric: str) -> None:
    if isinstance(noise, type) or not hasattr(type(noise), "scale"):
        raise InvalidProblem(
            f"Metric {metric!r}: the noise must be Normal(sd), SubGaussian(scale), Bernoulli() or Bounded(low, high), "
            f"got {noise!r}."
        )
    for number in scales_by_arm(noise) or (noise if isinstance(noise, tuple) else ()):
        if number is not None and not isinstance(number, Real):
            raise InvalidProblem(f"Metric {metric!r}: {type(noise).__name__} expects numbers, got {number!r}.")


def checked_noise(noise: NoiseModel, metric: str) -> NoiseModel:
    """The noise model itself, if its numbers make sense."""
    if isinstance(noise, Normal | SubGaussian) and isinstance(noise[0], Sequence | np.ndarray):
        noise = type(noise)(tuple(noise[0]))
    _check_numbers(noise, metric)
    for scale in scales_by_arm(noise):
        if not 0 < scale < inf:
            raise InvalidProblem(f"Metric {metric!r}: every noise scale must be positive and finite, got {scale}.")
    match noise:
        case Bounded(low, high) if not (isfinite(low) and isfinite(high) and low < high):
            raise InvalidProblem(
                f"Metric {metric!r}: bounded(low, high) expects two finite numbers with low < high, "
                f"got low = {low}, high = {high}."
            )
        case _ if noise.scale is None and not isinstance(noise, Normal):
            raise InvalidProblem(
                f"Metric {metric!r}: {type(noise).__name__} has no scale, and only normal noise may leave it to be "
                "estimated. Give it a sub-Gaussian scale."
            )
        case _ if noise.scale is not None and not 0 < noise.scale < inf:
            raise InvalidProblem(
                f"Metric {metric!r}: the noise scale must be a positive finite number, got {noise.scale}. "
                "Give the standard deviation of a single evaluation."
            )
    return noise
