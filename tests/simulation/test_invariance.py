"""What must not matter does not: units, the order of arms, and whether numbers were standardised at all."""

from math import inf, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import satisfice as sf
from satisfice.rules import RULES
from satisfice.simulation.cell import run_once
from satisfice.stopping import alpha
from tests.helpers import cases

DIRECTIONS = (">=", "<=", ">=")
THRESHOLDS, TOLERANCES, SCALES = (1.5, 20.0, 0.25), (0.125, 0.0, 0.0625), (1.0, 8.0, 0.5)
MEANS = np.array([[1.75, 19.0, 0.75], [2.5, 12.0, 0.5], [1.25, 16.0, 1.0], [3.0, 26.0, 0.0]])


def in_units(units):
    """One instance, with every metric in a unit of its own."""
    metrics = tuple(
        sf.Metric(
            f"m{m}", THRESHOLDS[m] * unit, direction, tolerance=TOLERANCES[m] * unit, noise=sf.Normal(SCALES[m] * unit)
        )
        for m, (unit, direction) in enumerate(zip(units, DIRECTIONS, strict=True))
    )
    return sf.Instance.of(sf.Problem(metrics, 0.1), sf.gaussian_arms(MEANS * units, np.array(SCALES) * units))


def order_of(instance, rule, seed):
    ending, found, order = run_once(cases.cell(instance, RULES[rule], budget=300, seed=seed))
    return ending, found, order.tolist()


@settings(max_examples=15)
@given(st.tuples(*[st.integers(-12, 12).map(lambda power: 2.0**power)] * 3), st.integers(0, 1000))
@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "multihdoc"])
def test_units_do_not_matter(rule, units, seed):
    """Milliseconds or seconds, the same pulls. Powers of two, since other factors round differently."""
    assert order_of(in_units(units), rule, seed) == order_of(in_units((1.0, 1.0, 1.0)), rule, seed)


@settings(max_examples=15)
@given(st.tuples(*[st.integers(-12, 0).map(lambda power: 2.0**power)] * 2), st.integers(0, 1000))
def test_units_of_all_but_the_noisiest_metric_do_not_matter_to_multihdoc(units, seed):
    """Its bonus has no noise scale in it (paper, Algorithm 3): the unit of the noisiest metric is the unit of all."""
    instance = in_units((units[0], 1.0, units[1]))
    assert order_of(instance, "multihdoc", seed) == order_of(in_units((1.0, 1.0, 1.0)), "multihdoc", seed)


class TapeArms:
    """Arms with all their results written down beforehand, of shape (K, N, M); each arm reads its own in order."""

    def __init__(self, tapes):
        self.tapes = tapes
        self.means = tapes.mean(axis=1)
        self.read = [0] * len(tapes)

    def draw(self, rng, arm, results):
        results[:] = self.tapes[arm, self.read[arm]]
        self.read[arm] += 1

    def rescaled(self, offset, slope):
        return TapeArms(offset + slope * self.tapes)


@settings(max_examples=10)
@given(st.permutations(range(6)), st.integers(0, 1000))
@pytest.mark.parametrize("rule", ["multitucb", "multihdoc", "multilucb", "multiapt"])  # others draw, or go in order
def test_the_order_of_arms_does_not_matter(rule, order, seed):
    """The same results under other numbers: the same arms are pulled, after the first round in the same order."""
    problem = sf.problem_of(["a >= 0.5 ~ 0.1 : normal(1)", "b <= 0 : normal(2)"], 0.1)
    rng = np.random.default_rng(seed)
    tapes = rng.normal(rng.normal(0, 1, (6, 1, 2)), [1, 2], (6, 300, 2))
    ending, found, pulled = order_of(sf.Instance.of(problem, TapeArms(tapes)), rule, 0)
    new_ending, new_found, new_pulled = order_of(sf.Instance.of(problem, TapeArms(tapes[list(order)])), rule, 0)
    assert new_ending == ending
    assert (order[new_found] if new_found >= 0 else -1) == found
    assert [order[arm] for arm in new_pulled[6:]] == pulled[6:]


SIZES = st.floats(1e-6, 1e6)


@given(
    SIZES, st.lists(st.tuples(st.floats(-1e6, 1e6), st.one_of(st.just(0.0), SIZES)), min_size=1, max_size=5), st.data()
)
def test_with_one_noise_scale_all_numbers_are_the_papers(scale, metrics, data):
    """Not close to them: sigma, eps and xi - mu are untouched by standardisation."""
    count = len(metrics)
    means = np.array([data.draw(st.lists(st.floats(-1e6, 1e6), min_size=count, max_size=count))])
    problem = sf.Problem(
        tuple(
            sf.Metric(f"m{place}", threshold, tolerance=tolerance, noise=sf.Normal(scale))
            for place, (threshold, tolerance) in enumerate(metrics)
        )
    )
    standard = problem.standardisation()
    assert standard.slopes == (-1.0,) * count
    assert standard.tolerances == tuple(tolerance for _, tolerance in metrics)
    assert problem.setting(1).noise_scale == scale
    arms = sf.Instance.of(problem, sf.gaussian_arms(means, scale)).deficits()
    assert arms.means[0].tolist() == [threshold - mean for (threshold, _), mean in zip(metrics, means[0], strict=True)]
    assert np.abs(arms.sds).tolist() == [[scale] * count]


@given(st.integers(1, 1000), st.integers(1, 50), st.floats(1e-9, 0.999), SIZES, st.integers(2, 10**9))
def test_alpha_is_proposition_3(arms, metrics, error_rate, scale, pulls):
    """As printed, falling from the second pull on, and wider for a smaller error rate, more arms and more metrics."""
    setting = sf.Setting(arms, metrics, error_rate, scale)
    printed = sqrt(2 * scale**2 * log(pi**2 * arms * metrics * pulls**2 / (3 * error_rate)) / pulls)
    width = alpha(pulls, setting)
    assert width == pytest.approx(printed, rel=1e-12)
    assert alpha(pulls + 1, setting) < width or pulls > 10**6
    assert alpha(2 * pulls, setting) < width
    assert alpha(pulls, setting._replace(error_rate=error_rate / 2)) > width
    assert alpha(pulls, setting._replace(arms=arms + 1000)) > width
    assert alpha(pulls, setting._replace(metrics=metrics + 50)) > width
    assert sf.AlphaBoundary().width(pulls, setting) == width
    assert sf.AlphaBoundary().width(1, setting) == inf
