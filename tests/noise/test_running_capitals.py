"""Running capitals: products of factors, result by result, against the same in logarithms of raw results."""

from math import exp, inf, log, sqrt

import numpy as np
import pytest

import satisfice as sf
from satisfice.noise import betting, bounded, spread
from satisfice.noise.process import TOLERANCE, Interval, Sums
from tests.equivalence import naive_evidence as naive

BOUNDED, SPREAD = "bounded(0, 1)", "spread(2)"


def folded(threshold: str, results: np.ndarray):
    """The noise table of one metric, and all that is kept of these results."""
    problem = sf.problem_of([threshold])
    noise, slope = problem.noise(1), problem.standardisation().slopes[0]
    more, deficits = np.zeros(noise.extra), slope * (results - problem.metrics[0].threshold)
    for deficit in deficits.tolist():
        more[0] += deficit * deficit
        noise.fold(0, more, deficit, 1.0)
    return noise, more, float(deficits.sum())


def evidence(threshold: str, results: np.ndarray) -> tuple[float, float]:
    """ln of the evidence within tolerance, and below."""
    noise, more, deficit = folded(threshold, results)
    return tuple(side(0, results.size, deficit, more, 1.0) for side in (noise.within, noise.below))


def of_unit(low: float, width: float) -> str:
    return f"m >= {low + 0.4 * width!r} ~ {0.1 * width!r} : bounded({low!r}, {low + width!r})"


@pytest.mark.parametrize("pulls", [1, 2, 40])
@pytest.mark.parametrize(("low", "width"), [(0.0, 1.0), (-3.0, 1e-4), (2.0, 1e4)])
def test_results_in_a_range(low, width, pulls):
    shares = np.random.default_rng(1).beta(2, 3, pulls)
    within, below = evidence(of_unit(low, width), low + width * shares)
    assert within == pytest.approx(naive.by_running_bets(shares.tolist(), 0.3, 0.4), abs=1e-9)
    assert below == pytest.approx(naive.by_running_bets((1 - shares).tolist(), 0.6, 0.4), abs=1e-9)


@pytest.mark.parametrize("pulls", [1, 2, 40])
@pytest.mark.parametrize("unit", [1.0, 1e-4, 1e4])
def test_results_of_any_shape(unit, pulls):
    results = np.random.default_rng(2).standard_t(3, pulls) + 5
    within, below = evidence(f"m <= {6 * unit!r} ~ {0.5 * unit!r} : spread({2 * unit!r})", unit * results)
    assert within == pytest.approx(naive.by_squares((-results).tolist(), -6.5, 2.0), abs=1e-9)
    assert below == pytest.approx(naive.by_squares(results.tolist(), 6.0, 2.0), abs=1e-9)


@pytest.mark.parametrize("mean", [0.05, 0.5, 0.95])
def test_many_results_neither_overflow_nor_vanish(mean):
    """Thousands of halvings and doublings, and still the sum of the logarithms."""
    results = (np.random.default_rng(3).random(6000) < mean).astype(float)
    within, below = evidence("m >= 0.5 ~ 0.1 : bounded(0, 1)", results)
    assert within == pytest.approx(naive.by_running_bets(results.tolist(), 0.4, 0.5), abs=1e-6)
    assert below == pytest.approx(naive.by_running_bets((1 - results).tolist(), 0.5, 0.5), abs=1e-6)
    within, below = evidence("m >= 0.5 ~ 0.1 : spread(0.5)", results)
    assert within == pytest.approx(naive.by_squares(results.tolist(), 0.4, 0.5), abs=1e-6)
    assert below == pytest.approx(naive.by_squares((-results).tolist(), -0.5, 0.5), abs=1e-6)


def test_a_turn_of_luck_after_long_is_not_lost():
    """What is taken for nothing beside the rest must be very little."""
    results = np.r_[np.zeros(300), np.ones(900)]
    assert evidence("m >= 0.5 : spread(0.5)", results)[0] == pytest.approx(
        naive.by_squares(results.tolist(), 0.5, 0.5), abs=1e-6
    )


@pytest.mark.parametrize("far", [1e30, 1e150, 1e307])
def test_enormous_results(far):
    for value in (far, -far):
        found = evidence("m >= 0 : spread(1)", np.array([0.1, value, 0.1, value, value]))
        assert all(np.isfinite(found))
    calm = evidence("m >= 0 : spread(1)", np.array([0.1, -50.0]))[0]
    assert evidence("m >= 0 : spread(1)", np.array([0.1, -far]))[0] == pytest.approx(calm, abs=0.5)


@pytest.mark.parametrize("chance", [0.5, 0.1, 0.01, 1e-4])
@pytest.mark.parametrize("tail", [1.0, -1.0])
@pytest.mark.parametrize("lower", [0.0, 0.5, 3.0])
def test_two_points_multiply_every_capital_by_one_at_most(chance, tail, lower):
    """Of the largest standard deviation there may be, with the mean at theta or below it."""
    sd = sqrt(chance * (1 - chance))
    points = [(tail * (1 - chance) / sd - lower, chance), (-tail * chance / sd - lower, 1 - chance)]
    mean = np.zeros(spread.BETS.size)
    for value, weight in points:
        more = np.zeros(spread.ANY_SHAPE.extra)
        spread.bet(more, spread.WITHIN, value)
        first = spread.WITHIN + betting.HELD
        mean += weight * more[first : first + spread.BETS.size] / spread.WEIGHTS
    assert (mean <= 1 + 1e-12).all()
    if lower == 0.0 and chance == 0.5:
        assert mean[:8] == pytest.approx(np.ones(8), abs=1e-12)  # nothing is lost by bets below 1


@pytest.mark.parametrize("theta", [0.01, 0.4, 0.97])
def test_a_range_multiplies_every_capital_by_one_at_most(theta):
    for points in ([(0.0, 1 - theta), (1.0, theta)], [(theta, 1.0)], [(0.0, 0.5), (theta, 0.5)]):
        mean = np.zeros(bounded.BETS.size)
        for value, weight in points:
            more = np.zeros(bounded.BOUNDED.extra)
            bounded.bet(more, bounded.WITHIN, value - theta, theta, 2.0)
            first = bounded.WITHIN + betting.HELD
            mean += weight * more[first : first + bounded.BETS.size] / bounded.WEIGHTS
        assert (mean <= 1 + 1e-12).all()


def test_weights_add_up():
    for weights in (bounded.WEIGHTS, spread.WEIGHTS):
        assert weights.sum() == pytest.approx(1.0, abs=1e-15)
    with pytest.raises(ValueError, match="a multiple of four bets"):
        betting.weighted(np.ones(5))


@pytest.mark.parametrize("level", [0.0, 0.5, 3.0, 20.0, 300.0])
def test_the_quick_look_agrees(level):
    more = np.zeros(8)
    for shifts in (-1.0, 0.0, 1.0):
        for log_total in np.linspace(-200, 200, 81) + level - shifts * betting.LOG_SHIFT:
            if abs(log_total) < 207:
                more[betting.TOTAL], more[betting.SHIFTS] = exp(log_total), shifts
                now = betting.log_capital(more, 0, 10)
                assert betting.capital_reaches(more, 0, 10, level) == (now >= level)
    assert not betting.capital_reaches(more, 0, 10, inf)


@pytest.mark.parametrize(
    ("threshold", "results", "expected"),
    [
        ("m >= 0.1 ~ 0.2 : bounded(0, 1)", [0.0], (inf, None)),  # no mean is below the end of the tolerance
        ("m >= 0.1 ~ 0.1 : bounded(0, 1)", [0.0, 0.0], (0.0, None)),
        ("m >= 0.1 ~ 0.1 : bounded(0, 1)", [0.0, 1e-6], (inf, None)),
        ("m >= 1.5 ~ 0.2 : bounded(0, 1)", [1.0], (0.0, inf)),
        ("m >= 1 : bounded(0, 1)", [1.0, 1.0], (0.0, 0.0)),
        ("m >= 1 : bounded(0, 1)", [1.0, 0.5], (0.0, inf)),
        ("m >= -1 : bounded(0, 1)", [0.0], (inf, 0.0)),
    ],
)
def test_limits_at_the_ends_of_a_range(threshold, results, expected):
    for found, wanted in zip(evidence(threshold, np.array(results)), expected, strict=True):
        assert wanted is None or found == wanted


def test_zeros_are_no_evidence_however_they_are_rounded():
    """A sum of thresholds less a sum of results is not quite zero: no evidence that cannot be wrong follows."""
    for threshold in (0.1, 0.3, 0.7):
        results = np.zeros(1000)
        assert evidence(f"m >= {threshold} ~ {threshold} : bounded(0, 1)", results)[0] == 0.0


def interval_of(results: np.ndarray, sd: float, error_rate: float = 0.05, origin: float = 0.0) -> Interval:
    moved = results - origin
    sums = Sums(results.size, float(moved.sum()), np.array([float((moved**2).sum())]), origin)
    return spread.ANY_SHAPE.interval(spread.Spread(sd), sums, error_rate)


def test_the_interval_of_any_shape():
    results = np.random.default_rng(4).lognormal(0, 1, 400)
    sd = sqrt((exp(1) - 1) * exp(1))
    low, high = interval_of(results, sd)
    assert low < exp(0.5) < high
    assert high - low < 6.5 * sd / sqrt(results.size)
    assert interval_of(results, sd, origin=3.0) == pytest.approx((low, high), rel=1e-9)
    scaled = interval_of(1e4 * results, 1e4 * sd)
    assert scaled == pytest.approx((1e4 * low, 1e4 * high), rel=1e-9)
    assert interval_of(results[:2], sd) == (-inf, inf)


def test_intervals_of_any_shape_cover():
    rng = np.random.default_rng(5)
    missed = 0
    for _ in range(300):
        results = ((rng.random(256) < 0.01) - 0.01) / sqrt(0.01 * 0.99)
        ends = [interval_of(results[:pulls], 1.0, 0.2) for pulls in (4, 8, 16, 32, 64, 128, 256)]
        missed += not all(low <= 0 <= high for low, high in ends)
    assert missed <= 0.2 * 300


def test_a_larger_spread_than_declared_is_noticed():
    rng = np.random.default_rng(6)
    problem = sf.problem_of(["m <= 0 ~ 0.1 : spread(1)"])

    def warned(results: np.ndarray) -> bool:
        search = sf.Search(problem, ["x", "y"])
        for value in results.tolist():
            search.fold(0, (value,))
        return any("standard deviation of" in one for one in search.warnings())

    assert all(warned(2.5 * rng.standard_normal(200)) for _ in range(10))
    spiky = ((rng.random((100, 400)) < 0.005) - 0.005) / sqrt(0.005 * 0.995)
    assert sum(map(warned, spiky)) == 0
    assert not any(warned(rng.standard_normal(200)) for _ in range(20))


def test_the_tolerance_is_at_the_place_that_the_tests_think():
    assert sf.problem_of(["m >= 1 ~ 0.25 : spread(2)"]).noise(1).numbers[0][TOLERANCE] == 0.25
    assert log(2) * 256 == betting.LOG_SHIFT
