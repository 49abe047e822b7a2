"""Shapes of results have the mean and the sd that they say, and what runs cost is summarised in order."""

import numpy as np
import pytest
from scipy import stats

from satisfice.errors import InvalidInstance
from satisfice.simulation import shapes
from satisfice.simulation.summary import spending_of

FORMS = {
    "normal": (shapes.normal, stats.norm()),
    "lognormal": (lambda: shapes.lognormal(0.5), stats.lognorm(0.5)),
    "gamma": (lambda: shapes.gamma_form(2.0), stats.gamma(2.0)),
    "weibull": (lambda: shapes.weibull(1.5), stats.weibull_min(1.5)),
    "pareto": (lambda: shapes.pareto(8.0), stats.pareto(8.0)),
    "clusters": (lambda: shapes.clusters(0.3, 4.0), None),
    "spikes": (lambda: shapes.spikes(0.2, 3.0), None),
    "geometric": (lambda: shapes.geometric(0.3), stats.geom(0.3)),
    "counts": (lambda: shapes.counts(3.0), stats.poisson(3.0)),
    "coin": (lambda: shapes.coin(0.2), stats.bernoulli(0.2)),
    "johnson": (lambda: shapes.johnson(0.8, 0.3), stats.johnsonsu(-0.3, 1.0 / 0.8)),
    "student": (lambda: shapes.student(8.0), stats.t(8)),
    "skewed student": (lambda: shapes.student(6.0, 1.4), None),
    "pairs": (lambda: shapes.lognormal_pairs(0.6, 0.4), None),
    "gamma difference": (lambda: shapes.gamma_difference(2.0, 0.5), None),
}
"""Each with the distribution of scipy that it is; the others are mixtures of two."""


def drawn_of(form: shapes.Form, count: int = 20_000) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.array([shapes.draw_form(rng, form.kind, form.first, form.second) for _ in range(count)])


@pytest.mark.parametrize("name", FORMS)
def test_a_shape_has_the_moments_that_it_says(name: str) -> None:
    """Of 20,000 draws, within six standard errors of the mean."""
    make, known = FORMS[name]
    form = make()
    drawn = drawn_of(form)
    assert drawn.mean() == pytest.approx(form.mean, abs=6 * form.sd / np.sqrt(drawn.size))
    assert drawn.std() == pytest.approx(form.sd, rel=0.08)
    if known is not None:
        assert (form.mean, form.sd) == pytest.approx((known.mean(), known.std()), rel=1e-12, abs=1e-12)


def test_mixtures_of_two_have_exact_moments_too() -> None:
    clusters, spikes = shapes.clusters(0.3, 4.0), shapes.spikes(0.2, 3.0)
    assert (clusters.mean, clusters.sd**2) == pytest.approx((1.2, 1.0 + 0.21 * 16.0))
    square = 0.8 * 1.01 + 0.2 * 9.0 * 1.01
    assert (spikes.mean, spikes.sd**2) == pytest.approx((1.4, square - 1.4**2))


def test_results_on_a_lattice_are_the_nearest_multiples_of_its_step() -> None:
    rounded, plain = drawn_of(shapes.lattice(0.5), 2000), drawn_of(shapes.normal(), 2000)
    assert (rounded % 0.5 == 0.0).all()
    assert np.abs(rounded - plain).max() <= 0.25
    assert len(set(plain)) == 2000


def test_a_coin_that_never_falls_has_a_unit_all_the_same() -> None:
    assert (shapes.coin(0.0).mean, shapes.coin(0.0).sd) == (0.0, 1.0)


def test_arms_of_a_shape_have_the_means_and_sds_that_were_asked_for() -> None:
    """A negative sd turns the long tail downwards; in another unit all of it moves along."""
    means, sds = [[1.0, 5.0], [2.0, -3.0]], [[0.5, -2.0], [1.0, -4.0]]
    arms = shapes.shaped_arms(means, (shapes.gamma_form(1.0), shapes.lognormal(0.5)), sds)
    offset, slope = np.array([1.0, -2.0]), np.array([2.0, -0.5])
    for one, at, by in ((arms, np.zeros(2), np.ones(2)), (arms.rescaled(offset, slope), offset, slope)):
        assert one.means == pytest.approx(at + by * np.array(means))
        for arm in range(2):
            rng, drawn = np.random.default_rng(2), np.zeros((8000, 2))
            for row in drawn:
                one.draw(rng, arm, row)
            sd = np.abs(by * sds[arm])
            assert (np.abs(drawn.mean(axis=0) - one.means[arm]) < 6 * sd / np.sqrt(8000)).all()
            assert drawn.std(axis=0) == pytest.approx(sd, rel=0.15)
            assert np.sign(stats.skew(drawn)).tolist() == np.sign(by * sds[arm]).tolist()


def test_as_many_shapes_as_metrics() -> None:
    with pytest.raises(InvalidInstance, match="a form for each of 2 metrics, got 1"):
        shapes.shaped_arms([[1.0, 5.0]], (shapes.normal(),))
    assert shapes.shaped_arms([[1.0, 5.0]], shapes.normal()).kinds.tolist() == [shapes.ROUNDED] * 2


def test_what_runs_have_cost() -> None:
    spent = spending_of(np.arange(1.0, 101.0))
    assert (spent.mean, spent.median, spent.maximum) == (50.5, 50.5, 100.0)
    assert spent.sd == pytest.approx(np.arange(1.0, 101.0).std(ddof=1))
    assert spent.standard_error == pytest.approx(spent.sd / 10.0)
    assert (spent.quantile_90, spent.quantile_99) == pytest.approx((90.1, 99.01))
