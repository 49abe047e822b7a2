"""Margins: how many standard deviations of one result an arm's estimate is beyond its threshold, by which it is chosen.

Beside what evidence there is for it in scipy, in each model, for limits in both directions and at the ends of a range.
"""

from math import log, sqrt

import numpy as np
import pytest
from scipy.special import rel_entr
from scipy.stats import norm, t

import satisfice as sf
from satisfice.noise.kinds import ratio_of
from satisfice.noise.process import TOLERANCE, sample_margin


def margin_of(threshold: str, values: list[float], pooled: tuple[float, float] = (0.0, 0.0)) -> tuple[float, float]:
    """The margin of the second of two arms, and the standard deviation of one result in the metric's own unit."""
    problem = sf.problem_of([threshold])
    noise, slope = problem.noise(2), problem.standardisation().slopes[0]
    deficits, more = slope * (np.array(values) - problem.metrics[0].threshold), np.zeros(max(noise.extra, 1))
    for deficit in deficits.tolist():
        more[0] += deficit * deficit
        if noise.own_sums:
            noise.fold(0, more, deficit, 1.0)
    sums = 0, len(values), float(deficits.sum()), more, ratio_of(noise, 1, 0)
    margin, sd = noise.margin_and_sd(*sums, *pooled)
    return float(margin), float(sd) / abs(slope)


def of_coins(passed: int, pulls: int, limit: float) -> float:
    """The signed root of twice the relative entropy, half a one and half a zero being added."""
    chance = (passed + 0.5) / (pulls + 1)
    entropy = rel_entr([chance, 1 - chance], [limit, 1 - limit]).sum()
    return float(np.copysign(sqrt(2 * entropy), chance - limit))


@pytest.mark.parametrize(
    ("declared", "sd"), [("normal(2)", 2.0), ("normal(1, 5)", 5.0), ("subgaussian(3, 0.5)", 0.5), ("spread(3)", 3.0)]
)
def test_of_a_known_scale(declared, sd):
    for sign, side in ((">=", 1.0), ("<=", -1.0)):
        assert margin_of(f"x {sign} 10 : {declared}", [11.0, 14.0, 9.5]) == pytest.approx((side * 1.5 / sd, sd))


@pytest.mark.parametrize("declared", ["normal", "checked", "bounded(0, 100)"])
def test_of_an_unknown_scale(declared):
    """Where a normal variable is about as rare as Student's, and the sign of the distance."""
    values = np.random.default_rng(3).normal(12.0, 4.0, 9)
    student = sqrt(9) * (values.mean() - 10.0) / values.std(ddof=1)
    rare = -norm.ppf(t.sf(abs(student), 8)) * np.sign(student) / sqrt(9)
    for sign, side in ((">=", 1.0), ("<=", -1.0)):
        margin, sd = margin_of(f"x {sign} 10 : {declared}", values.tolist())
        assert margin == pytest.approx(side * rare, rel=0.01)
        assert sd == pytest.approx(sqrt((values.var() * 9 + (values.mean() - 10.0) ** 2) / 9))


@pytest.mark.parametrize("unit", [1.0, 1e-3, 1e4])
def test_of_a_model_of_ones_own_that_says_nothing_about_it(unit):
    """The mean in standard deviations of the sample; results that are all the same are far from a limit, or on it."""

    def found(deficits: np.ndarray) -> tuple[float, float]:
        sums = len(deficits), float(deficits.sum()), np.array([float((deficits**2).sum())])
        return sample_margin(*sums, np.zeros(6), 1.0, 0.0, 0.0)

    values = unit * np.array([1.0, 4.0, -0.5, 2.5])
    assert found(-values) == pytest.approx((1.75 * unit / values.std(), values.std()))
    assert found(values) == pytest.approx((-1.75 * unit / values.std(), values.std()))
    assert found(np.full(4, 2.0 * unit)) == pytest.approx((-1e6, 2e-6 * unit))
    assert found(np.zeros(4)) == (0.0, 0.0)


def test_of_an_unknown_scale_that_others_lend():
    """The pooled variance counts as so many results more."""
    values = [11.0, 14.0, 9.5]
    around, freedom = np.var(values) * 3 + 20 * 6.25, 2 + 20
    student = sqrt(3) * 1.5 / sqrt(around / freedom)
    slope = sf.problem_of(["x >= 10 : normal"]).standardisation().slopes[0]
    margin, sd = margin_of("x >= 10 : normal", values, (6.25 * slope**2, 20.0))
    assert margin == pytest.approx(-norm.ppf(t.sf(student, freedom)) / sqrt(3), rel=0.01)
    assert sd == pytest.approx(sqrt(around / freedom))


@pytest.mark.parametrize("declared", ["normal", "checked", "bounded(0, 100)"])
def test_one_result_of_an_unknown_scale_says_on_which_side_it_is(declared):
    assert margin_of(f"x >= 10 : {declared}", [30.0])[0] == 0.5
    assert margin_of(f"x <= 10 : {declared}", [30.0])[0] == -0.5
    assert margin_of(f"x <= 10 : {declared}", [10.0])[0] == 0.0


@pytest.mark.parametrize("passed", [0, 3, 8, 10])
@pytest.mark.parametrize("limit", [0.25, 0.5, 0.97])
def test_of_zeros_and_ones(passed, limit):
    values, chance = [1.0] * passed + [0.0] * (10 - passed), (passed + 0.5) / 11
    margin, sd = margin_of(f"x >= {limit} : bernoulli", values)
    assert (margin, sd) == pytest.approx((of_coins(passed, 10, limit), sqrt(chance * (1 - chance))))
    assert margin_of(f"x <= {limit} : bernoulli", values)[0] == pytest.approx(-margin)


@pytest.mark.parametrize(
    ("threshold", "expected"),
    [("x >= 0", 1.0), ("x <= 1", 1.0), ("x >= 1", -1.0), ("x <= 0", -1.0), ("x >= -0.5", 1.0), ("x <= 1.5", 1.0)],
)
@pytest.mark.parametrize("values", [[0.0], [1.0], [0.0, 1.0, 1.0]])
def test_of_zeros_and_ones_at_the_ends_of_their_range(threshold, expected, values):
    """What no result can miss passes by one, and what takes all of them misses by one, whatever came."""
    assert margin_of(f"{threshold} : bernoulli", values)[0] == expected


@pytest.mark.parametrize("limit", [0.5, 4.0, 30.0])
@pytest.mark.parametrize("counts", [[0.0], [3.0, 5.0, 7.0], [40.0, 28.0]])
def test_of_counts(limit, counts):
    """The same of Poisson distributions, half an event being added to the total."""
    mean = (sum(counts) + 0.5) / (len(counts) + 1)
    root = sqrt(2 * (mean * log(mean / limit) - mean + limit))
    side = 1.0 if mean > limit else -1.0
    assert margin_of(f"x >= {limit} : poisson", counts) == pytest.approx((side * root, sqrt(mean)))
    assert margin_of(f"x <= {limit} : poisson", counts) == pytest.approx((-side * root, sqrt(mean)))


def test_of_many_zeros_and_ones_in_one_result():
    """An evaluation is worth as many as it has: 40 of them in four results of a share."""
    problem = sf.problem_of(["share(x <= 200) >= 0.75 : independent"])
    search = sf.Search(problem, ["a", "b"])
    for passed in (9, 10, 8, 7):
        search.tell("b", {"x": [100.0] * passed + [300.0] * (10 - passed)})
    assert search._state.margins[1, 0] == pytest.approx(sqrt(10) * of_coins(34, 40, 0.75))


def test_a_tolerance_is_told_in_the_same_unit():
    noise = sf.problem_of(["x >= 10 ~ 0.5 : normal(2)"]).noise(1)
    slope = abs(sf.problem_of(["x >= 10 ~ 0.5 : normal(2)"]).standardisation().slopes[0])
    assert noise.numbers[0][TOLERANCE] == pytest.approx(0.5 * slope)


def standing_of(values: list[float], limit: str = "size <= 800", pooled: tuple[float, float] = (0.0, 0.0)) -> float:
    """By how many standard errors the mean is within the tolerance."""
    margin, sd = margin_of(limit, values, pooled)
    return sqrt(len(values)) * (margin + (10.0 / sd if "~" in limit else 0.0))


@pytest.mark.parametrize("limit", ["size <= 800", "size <= 800 ~ 10"])
@pytest.mark.parametrize("pooled", [(0.0, 0.0), (4.0, 30.0)])
@pytest.mark.parametrize("values", [[750.0], [750.0, 750.0, 751.0]])
def test_results_of_one_value_or_two_neither_attract_nor_repel(limit, pooled, values):
    standings = [standing_of(values * times, limit, pooled) for times in (3, 10, 100, 1000, 100_000)]
    bounds = [max(-2.0, 3.0 - 0.5 * log(len(values) * times)) for times in (3, 10, 100, 1000, 100_000)]
    assert standings == pytest.approx(bounds)
    assert standing_of([850.0] * 100) == pytest.approx(-2.0)


def test_a_third_value_or_no_repetition_leaves_the_margin_as_it_is():
    for values in ([750.0, 750.0, 751.0, 752.0], [750.0, 751.0], [750.0]):
        assert margin_of("size <= 800", values) == margin_of("size <= 800 : normal", values)
    assert standing_of([750.0, 750.0, 751.0, 752.0] * 25) > 20.0
