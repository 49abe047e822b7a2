"""Shapes of results have the mean and the sd that they say, and what runs cost is summarised in order."""

import numpy as np
import pytest

from satisfice.simulation import shapes
from satisfice.simulation.summary import spending_of

FORMS = {
    "normal": shapes.normal(),
    "lognormal": shapes.lognormal(0.5),
    "gamma": shapes.gamma_form(2.0),
    "weibull": shapes.weibull(1.5),
    "pareto": shapes.pareto(8.0),
    "clusters": shapes.clusters(0.3, 4.0),
    "spikes": shapes.spikes(0.2, 3.0),
    "geometric": shapes.geometric(0.3),
    "counts": shapes.counts(3.0),
    "coin": shapes.coin(0.2),
}


@pytest.mark.parametrize("name", FORMS)
def test_a_shape_has_the_moments_that_it_says(name: str) -> None:
    """Of 20,000 draws, within six standard errors of the mean."""
    kind, first, second, mean, sd = FORMS[name]
    rng = np.random.default_rng(1)
    drawn = np.array([shapes.draw_form(rng, kind, first, second) for _ in range(20_000)])
    assert drawn.mean() == pytest.approx(mean, abs=6 * sd / np.sqrt(drawn.size))
    assert drawn.std() == pytest.approx(sd, rel=0.08)


def test_what_runs_have_cost() -> None:
    spent = spending_of(np.arange(1.0, 101.0))
    assert (spent.mean, spent.median, spent.maximum) == (50.5, 50.5, 100.0)
    assert spent.sd == pytest.approx(np.arange(1.0, 101.0).std(ddof=1))
    assert spent.standard_error == pytest.approx(spent.sd / 10.0)
    assert (spent.quantile_90, spent.quantile_99) == pytest.approx((90.1, 99.01))
