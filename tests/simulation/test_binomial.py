"""Exact intervals for rates, beside those of scipy."""

import pytest
from scipy.special import betainc, betaincinv

from satisfice.simulation.binomial import beta_probability, rate_interval


@pytest.mark.parametrize("level", [0.95, 0.999])
@pytest.mark.parametrize("count", [1, 2, 7, 100, 5_000, 1_000_000])
def test_the_interval_is_that_of_scipy(count, level):
    tail = (1.0 - level) / 2.0
    for hits in {0, 1, 2, count // 100, count // 20, count // 2, count - 1, count} & set(range(count + 1)):
        low = betaincinv(hits, count - hits + 1, tail) if hits else 0.0
        high = betaincinv(hits + 1, count - hits, 1.0 - tail) if hits < count else 1.0
        assert rate_interval(hits, count, level) == pytest.approx((low, high), rel=1e-9), hits


@pytest.mark.parametrize(("first", "second"), [(1, 1), (0.5, 0.5), (3, 4000), (250, 251), (1e5, 3)])
def test_the_probabilities_of_a_beta_are_those_of_scipy(first, second):
    mean, sd = first / (first + second), (first * second / (first + second + 1)) ** 0.5 / (first + second)
    for at in (mean - 2 * sd, mean - sd, mean, mean + sd, mean + 2 * sd, 1e-9, 1 - 1e-9):
        if 0.0 < at < 1.0:
            expected = pytest.approx(betainc(first, second, at), rel=1e-9, abs=1e-300)
            assert beta_probability(at, first, second) == expected
