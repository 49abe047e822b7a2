"""Simulated results of other shapes than the noise models': skewed, heavy-tailed, of several clusters, on a grid.

For what is declared nowhere: how a search fares whose metric is latency, and what its verdict then is worth.
"""

from math import cosh, exp, gamma, pi, sinh, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from satisfice.arrays import Floats, Integers
from satisfice.errors import InvalidInstance
from satisfice.noise.poisson import draw_count
from satisfice.problem.means import checked_means

LOGNORMAL, GAMMA, WEIBULL, PARETO, CLUSTERS, SPIKES, ROUNDED, GEOMETRIC, COUNT, COIN = range(10)
JOHNSON, STUDENT, PAIRS, GAMMAS = range(10, 14)
"""How a Z is drawn from its two parameters; see the functions below."""


class Form(NamedTuple):
    """What a result looks like but for its mean and spread: how Z is drawn, and the mean and sd that it has then."""

    kind: int
    first: float
    second: float
    mean: float
    sd: float


def normal() -> Form:
    return lattice(0.0)


def lognormal(sigma: float) -> Form:
    """exp(sigma N)."""
    growth = exp(sigma * sigma)
    return Form(LOGNORMAL, sigma, 0.0, sqrt(growth), sqrt(growth * (growth - 1.0)))


def gamma_form(shape: float) -> Form:
    """Gamma; 1 is exponential."""
    return Form(GAMMA, shape, 0.0, shape, sqrt(shape))


def weibull(shape: float) -> Form:
    mean = gamma(1.0 + 1.0 / shape)
    return Form(WEIBULL, shape, 0.0, mean, sqrt(gamma(1.0 + 2.0 / shape) - mean * mean))


def pareto(index: float) -> Form:
    """From 1 on, with P(Z > z) = z^-index, index > 2."""
    mean = index / (index - 1.0)
    return Form(PARETO, index, 0.0, mean, sqrt(index / (index - 2.0)) / (index - 1.0))


def clusters(share: float, distance: float) -> Form:
    """Normal results, of which a share is that many standard deviations larger."""
    return Form(CLUSTERS, share, distance, share * distance, sqrt(1.0 + distance * distance * share * (1.0 - share)))


SPIKED_SD = 0.1
"""The sd of the results that have spikes, over their mean."""


def spikes(share: float, factor: float) -> Form:
    """Normal results around 1, of which a share is that many times as large."""
    mean = 1.0 + share * (factor - 1.0)
    square = (1.0 + SPIKED_SD**2) * (1.0 + share * (factor * factor - 1.0))
    return Form(SPIKES, share, factor, mean, sqrt(square - mean * mean))


def lattice(step: float) -> Form:
    """Standard normal results rounded to multiples of a step, 0 for none; the sd is that before rounding."""
    return Form(ROUNDED, step, 0.0, 0.0, 1.0)


def geometric(chance: float) -> Form:
    """1, 2, 3, ...: exponential results rounded up."""
    return Form(GEOMETRIC, chance, 0.0, 1.0 / chance, sqrt(1.0 - chance) / chance)


def counts(mean: float) -> Form:
    return Form(COUNT, mean, 0.0, mean, sqrt(mean))


def coin(chance: float) -> Form:
    """0 or 1; a chance of 0 is a constant, and its sd is that before it was one."""
    return Form(COIN, chance, 0.0, chance, sqrt(chance * (1.0 - chance)) or 1.0)


def johnson(growth: float, skew: float) -> Form:
    """sinh(growth (N + skew)): two heavy tails, the upper one longer (Johnson 1949)."""
    mean = exp(0.5 * growth * growth) * sinh(growth * skew)
    square = 0.5 * (exp(2.0 * growth * growth) * cosh(2.0 * growth * skew) - 1.0)
    return Form(JOHNSON, growth, skew, mean, sqrt(square - mean * mean))


def student(freedom: float, skew: float = 1.0) -> Form:
    """Student's t, more than two degrees of freedom, stretched by `skew` above 0 and by 1/skew below.

    Fernandez and Steel 1998; 1 is symmetric.
    """
    one_side = 2.0 * sqrt(freedom / pi) * gamma(0.5 * (freedom + 1.0)) / ((freedom - 1.0) * gamma(0.5 * freedom))
    mean = one_side * (skew - 1.0 / skew)
    square = freedom / (freedom - 2.0) * (skew**3 + skew**-3) / (skew + 1.0 / skew)
    return Form(STUDENT, freedom, skew, mean, sqrt(square - mean * mean))


PAIRED = 0.8
"""The correlation of the logarithms of both results of a pair."""


def lognormal_pairs(sigma: float, of_baseline: float) -> Form:
    """exp(sigma N) less exp(of_baseline N'), both normal numbers correlated."""
    one, other = sigma * sigma, of_baseline * of_baseline
    square = exp(2.0 * one) + exp(2.0 * other) - 2.0 * exp(0.5 * (one + other) + PAIRED * sigma * of_baseline)
    mean = exp(0.5 * one) - exp(0.5 * other)
    return Form(PAIRS, sigma, of_baseline, mean, sqrt(square - mean * mean))


def gamma_difference(shape: float, other: float) -> Form:
    """A gamma number less an independent one."""
    return Form(GAMMAS, shape, other, shape - other, sqrt(shape + other))


def draw_form(rng: np.random.Generator, kind: int, first: float, second: float) -> float:
    """One Z."""
    if kind == LOGNORMAL:
        return exp(first * rng.standard_normal())
    if kind == GAMMA:
        return rng.standard_gamma(first)
    if kind == WEIBULL:
        return rng.weibull(first)
    if kind == PARETO:
        return 1.0 + rng.pareto(first)
    if kind == CLUSTERS:
        return rng.standard_normal() + (second if rng.random() < first else 0.0)
    if kind == SPIKES:
        return (1.0 + SPIKED_SD * rng.standard_normal()) * (second if rng.random() < first else 1.0)
    if kind == ROUNDED:
        plain = rng.standard_normal()
        return np.floor(plain / first + 0.5) * first if first > 0.0 else plain
    if kind == GEOMETRIC:
        return 1.0 * rng.geometric(first)
    if kind == COUNT:
        return draw_count(rng, first, second)
    if kind >= JOHNSON:
        return draw_of_two_tails(rng, kind, first, second)
    return 1.0 if rng.random() < first else 0.0


def draw_of_two_tails(rng: np.random.Generator, kind: int, first: float, second: float) -> float:
    """One Z of a form with two long tails."""
    if kind == GAMMAS:
        return rng.standard_gamma(first) - rng.standard_gamma(second)
    plain = rng.standard_normal()
    if kind == JOHNSON:
        return sinh(first * (plain + second))
    if kind == PAIRS:
        beside = PAIRED * plain + sqrt(1.0 - PAIRED * PAIRED) * rng.standard_normal()
        return exp(first * plain) - exp(second * beside)
    size = abs(plain) * sqrt(0.5 * first / rng.standard_gamma(0.5 * first))
    return second * size if rng.random() * (1.0 + second * second) < second * second else -size / second


class ShapedArms(NamedTuple):
    """Independent metrics: result = low + spread * Z, Z drawn by the metric's form; `spread` may be negative.

    Means, low and spread have shape (K, M), the others (M,).
    """

    means: Floats
    low: Floats
    spread: Floats
    kinds: Integers
    first: Floats
    second: Floats

    def draw(self, rng: np.random.Generator, arm: int, results: Floats) -> None:
        for metric in range(results.shape[0]):
            unit = draw_form(rng, self.kinds[metric], self.first[metric], self.second[metric])
            results[metric] = self.low[arm, metric] + self.spread[arm, metric] * unit

    def rescaled(self, offset: Floats, slope: Floats) -> "ShapedArms":
        return self._replace(
            means=offset + slope * self.means, low=offset + slope * self.low, spread=slope * self.spread
        )


def shaped_arms(means: ArrayLike, forms: Form | tuple[Form, ...], sds: ArrayLike = 1.0) -> ShapedArms:
    """Arms with these means, of shape (K, M), and results of a form, or one for each metric.

    `sds` are standard deviations of one result; a negative one turns the form round, long tail downwards.
    """
    table = checked_means(means)
    each = (forms,) * table.shape[1] if isinstance(forms, Form) else tuple(forms)
    if len(each) != table.shape[1]:
        raise InvalidInstance(f"Expected a form for each of {table.shape[1]} metrics, got {len(each)}.")
    spread = np.broadcast_to(np.asarray(sds, dtype=np.float64), table.shape) / np.array([form.sd for form in each])
    low = table - spread * np.array([form.mean for form in each])
    kinds = np.array([form.kind for form in each], dtype=np.int64)
    first, second = (np.array([getattr(form, name) for form in each], dtype=float) for name in ("first", "second"))
    return ShapedArms(table, low, spread, kinds, first, second)
