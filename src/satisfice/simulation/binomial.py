"""Exact intervals for rates: how often something happens, from a number of independent runs."""

from math import exp, lgamma, log, log1p

INTERVAL = 0.95
TINY = 1e-300


def rate_interval(hits: int, count: int, level: float = INTERVAL) -> tuple[float, float]:
    """The interval of Clopper and Pearson (1934) for a rate."""
    tail = (1.0 - level) / 2.0
    low = 0.0 if hits == 0 else _beta_quantile(tail, hits, count - hits + 1)
    high = 1.0 if hits == count else _beta_quantile(1.0 - tail, hits + 1, count - hits)
    return low, high


def _beta_quantile(share: float, first: float, second: float) -> float:
    """Where the distribution function of a Beta is that share: Newton's steps, halving where they would leave."""
    low, high, at = 0.0, 1.0, first / (first + second)
    for _ in range(200):
        reached = beta_probability(at, first, second)
        low, high = (low, at) if reached > share else (at, high)
        density = _power(at, first, second) / (at * (1.0 - at))
        before, at = at, at - (reached - share) / density if density > 0.0 else low
        if not low < at < high:
            at = (low + high) / 2.0
        if abs(at - before) <= 1e-15 * at:
            break
    return at


def beta_probability(at: float, first: float, second: float) -> float:
    """The regularised incomplete beta function, by its continued fraction (DLMF 8.17.22) where that is quick."""
    if at > (first + 1.0) / (first + second + 2.0):
        return 1.0 - beta_probability(1.0 - at, second, first)
    above, below = 1.0, 1.0 / _apart_from_0(1.0 - (first + second) * at / (first + 1.0))
    value = below
    for step in range(1, 100_000):
        even = step * (second - step) * at / ((first + 2 * step - 1.0) * (first + 2 * step))
        odd = -(first + step) * (first + second + step) * at / ((first + 2 * step) * (first + 2 * step + 1.0))
        for factor in (even, odd):  # Lentz's method
            below = 1.0 / _apart_from_0(1.0 + factor * below)
            above = _apart_from_0(1.0 + factor / above)
            value *= above * below
        if abs(above * below - 1.0) < 1e-16:
            break
    return _power(at, first, second) / first * value


def _power(at: float, first: float, second: float) -> float:
    """at^first (1 - at)^second / B(first, second)."""
    scale = lgamma(first + second) - lgamma(first) - lgamma(second)
    return exp(scale + first * log(at) + second * log1p(-at))


def _apart_from_0(value: float) -> float:
    return value if abs(value) > TINY else TINY
