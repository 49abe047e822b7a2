"""What a model says to oracles and plans: how a result counts, where a mean lies beyond a limit, how it is drawn."""

from math import inf, isfinite, log, sqrt

import numpy as np
import pytest

from satisfice.errors import InvalidInstance
from satisfice.noise.beta import beta_distribution, beta_parameters
from satisfice.noise.process import Shape
from satisfice.problem.metric import as_metric
from satisfice.simulation.oracle import gain

COIN, COUNT, SPREAD = (as_metric(f"x >= 0.5 : {noise}") for noise in ("bernoulli", "poisson", "spread(3)"))
SURELY = 1e6
"""More than any evidence that is asked for."""


def gain_of(metric, mean: float, edge: float, result: float) -> float:
    return gain(np.array(metric.process.best_bet(metric.noise, mean, edge, None)), result)


@pytest.mark.parametrize("mean", [0.0, 0.2, 0.9, 1.0])
@pytest.mark.parametrize("edge", [0.3, 0.7])
def test_a_zero_or_a_one_counts_as_its_chances_say(mean, edge):
    for result, at_mean, at_edge in ((1.0, mean, edge), (0.0, 1.0 - mean, 1.0 - edge)):
        found = gain_of(COIN, mean, edge, result)
        assert found == pytest.approx(log(at_mean / at_edge), rel=1e-6) if at_mean > 0.0 else found < -SURELY


def test_what_cannot_be_at_the_edge_is_sure_evidence():
    assert gain_of(COIN, 0.4, 0.0, 1.0) > SURELY
    assert gain_of(COIN, 0.4, 1.0, 0.0) > SURELY
    assert gain_of(COUNT, 2.0, 0.0, 1.0) > SURELY
    assert gain_of(COUNT, 0.0, 3.0, 1.0) < -SURELY
    assert gain_of(COUNT, 0.0, 3.0, 0.0) == 3.0


@pytest.mark.parametrize("result", [0.0, 1.0, 7.0])
def test_a_count_counts_as_its_chances_say(result):
    assert gain_of(COUNT, 4.0, 2.5, result) == pytest.approx(result * log(4.0 / 2.5) - 4.0 + 2.5)


def test_a_bet_that_multiplies_is_lost_with_all_it_had():
    """ln(1 + 2 y) around an edge of 0.5, which is nothing at 0 and less than that below."""
    bet = np.array([0.5, 1.0, 0.0, 2.0, 0.0])
    assert gain(bet, 1.0) == pytest.approx(log(2.0))
    assert (gain(bet, 0.0), gain(bet, -1.0)) == (-inf, -inf)
    assert isfinite(gain(bet, 0.001))


@pytest.mark.parametrize(("metric", "edge", "sd"), [(COIN, 0.5, 0.5), (COUNT, 9.0, 3.0), (SPREAD, 2.0, 3.0)])
def test_a_mean_beyond_a_limit_moves_by_standard_deviations(metric, edge, sd):
    """At first by as many as the effect says, for a coin by Chinn's (2000) part; and never out of the range."""

    def beyond(effect: float) -> float:
        return metric.process.mean_beyond(metric.noise, edge, effect, sd)

    per_sd = 0.25 * np.pi / sqrt(3.0) / sd if metric is COIN else 1.0
    assert beyond(0.0) == pytest.approx(edge)
    assert (beyond(1e-5) - beyond(-1e-5)) / 2e-5 == pytest.approx(per_sd * sd, rel=1e-4)
    if metric is SPREAD:
        assert beyond(-4.0) == -10.0
    else:
        assert 0.0 < beyond(-4.0) < edge < beyond(4.0) < (1.0 if metric is COIN else inf)
    if metric is COIN:
        assert beyond(1.5) == pytest.approx(1.0 - beyond(-1.5))


def test_how_a_mean_is_simulated():
    def shape(metric, mean: float, spread: float | None) -> Shape:
        return metric.process.simulated(metric.noise, mean, spread, 1.0)

    assert shape(SPREAD, 2.0, None)[:2] == (2.0, 3.0)
    assert shape(SPREAD, 2.0, 0.5)[:2] == (2.0, 0.5)
    assert shape(COIN, 0.25, None) == (0.0, 1.0, 0.25, 0.0)
    assert shape(COUNT, 0.0, None) == (0.0, 1.0, 0.0, 0.0)
    for metric, mean in ((COIN, -0.1), (COIN, 1.1), (COUNT, -0.1)):
        with pytest.raises(InvalidInstance, match="its means must"):
            shape(metric, mean, None)
    assert [shape(COIN, mean, None).first for mean in (0.0, 1.0)] == [0.0, 1.0]


@pytest.mark.parametrize(("mean", "edge"), [(0.7, 0.4), (0.2, 0.4)])
def test_a_bet_on_a_range_is_the_same_in_every_unit(mean, edge):
    """From 0 to 1, and from -2 to 6: what it multiplies by at each result is the same."""

    def bet_in(low: float, high: float):
        metric, size = as_metric(f"x >= {low} : bounded({low}, {high})"), high - low
        law = beta_distribution(low, high, *beta_parameters(low, high, low + size * mean, 0.2 * size))
        return np.array(metric.process.best_bet(metric.noise, low + size * mean, low + size * edge, law))

    unit, other = bet_in(0.0, 1.0), bet_in(-2.0, 6.0)
    for share in (0.0, 0.3, 0.4, 0.9, 1.0):
        assert gain(other, -2.0 + 8.0 * share) == pytest.approx(gain(unit, share))
    assert (gain(unit, 0.9) > 0.0) == (mean > edge)
