"""Evidence crosses 1/a with probability at most a where the mean is theta or below, looked at after every pull.

Every test is seeded and states its own error: it fails when the Clopper-Pearson 99.9 % interval of the crossing rate
lies above a, which happens to sound evidence once in 2,000 tests; and it has power: at mean = theta the rate must be
a/20 at least, and evidence made three times too large must be caught.
"""

from collections.abc import Callable
from functools import cache
from math import log

import numpy as np
import pytest
from scipy.special import log_ndtr
from scipy.stats import binomtest

from satisfice.arrays import Floats
from satisfice.noise.bernoulli import ones_needed_bernoulli
from satisfice.noise.betting import LOG_WEIGHTS
from satisfice.noise.half_normal import PRECISION_FOR_LARGE_GAPS, PRECISION_FOR_SMALL_GAPS, total_needed_normal
from satisfice.noise.half_student import ratio_needed_student
from satisfice.noise.poisson import log_evidence_poisson
from satisfice.stopping.error_budget import reject_shares
from tests.helpers.running_capitals import bets_at

PATHS, STEPS = 3000, 1000
RATES = (0.2, 0.05)

Bools = np.ndarray
Drawing = Callable[[np.random.Generator, tuple[int, int]], Floats]
"""Results of these paths (rows) and steps (columns)."""


def too_often(crossed: Bools, rate: float) -> bool:
    return bool(binomtest(int(crossed.sum()), crossed.size).proportion_ci(0.999).low > rate)


def check(crossed: Bools, rate: float, at_theta: bool = True) -> None:
    assert not too_often(crossed, rate), f"crossed {crossed.mean():.4f} of the time where {rate} is promised"
    if at_theta:
        assert crossed.mean() >= rate / 20


def standard(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return rng.standard_normal(shape)


def coins(rng: np.random.Generator, shape: tuple[int, int]) -> Floats:
    return 2.0 * rng.integers(0, 2, size=shape) - 1.0


@cache
def totals_needed(steps: int, level: float) -> Floats:
    return np.array([total_needed_normal(n, level) for n in range(1, steps + 1)])


@cache
def ratios_needed(steps: int, level: float) -> Floats:
    return np.array([ratio_needed_student(n, level) for n in range(1, steps + 1)])


@cache
def ones_needed(steps: int, level: float, theta: float) -> Floats:
    return np.array([ones_needed_bernoulli(n, level, theta) for n in range(1, steps + 1)])


@cache
def totals_enough(steps: int, level: float, theta: float, above: bool) -> Floats:
    """The least total count that suffices, or the largest, -1 where none does: evidence rises or falls with it."""
    found = []
    for n in range(1, steps + 1):
        none, all_of_them = (0, int(9 * n * theta + 99 + 20 * level)) if above else (int(n * theta), -1)
        while abs(all_of_them - none) > 1:
            middle = (none + all_of_them) // 2
            enough = log_evidence_poisson(n, 1.0 * middle, theta, above) >= level
            none, all_of_them = (none, middle) if enough else (middle, all_of_them)
        found.append(all_of_them)
    return np.array(found, dtype=np.float64)


def poisson_crossings(results: Floats, theta: float, level: float, above: bool) -> Bools:
    totals, enough = results.cumsum(axis=1), totals_enough(results.shape[1], level, theta, above)
    return (totals >= enough if above else totals <= enough).any(axis=1)


def normal_crossings(results: Floats, level: float) -> Bools:
    return (results.cumsum(axis=1) >= totals_needed(results.shape[1], level)).any(axis=1)


def student_crossings(results: Floats, level: float) -> Bools:
    ratios = results.cumsum(axis=1) / np.sqrt((results**2).cumsum(axis=1))
    return (ratios >= ratios_needed(results.shape[1], level)).any(axis=1)


def bernoulli_crossings(results: Floats, theta: float, level: float) -> Bools:
    return (results.cumsum(axis=1) >= ones_needed(results.shape[1], level, theta)).any(axis=1)


def normal_log_evidence(results: Floats) -> Floats:
    """By the formula, all paths and steps at once."""
    total, n = results.cumsum(axis=1), np.arange(1, results.shape[1] + 1)
    each = []
    for precision in (PRECISION_FOR_LARGE_GAPS, PRECISION_FOR_SMALL_GAPS):
        z = total / np.sqrt(n + precision)
        each.append(0.5 * np.log(precision / (n + precision)) + z * z / 2 + log_ndtr(z))
    return np.logaddexp(*each)  # ln 2 of the two tails and ln 1/2 of the average cancel


def bounded_log_evidence(results: Floats, theta: float) -> Floats:
    """By the definition, all paths and steps at once."""
    total = np.full(results.shape, -np.inf)
    for bet, log_weight in zip(bets_at(theta), LOG_WEIGHTS, strict=True):
        np.logaddexp(total, log_weight + np.log1p(bet * (results - theta)).cumsum(axis=1), out=total)
    return total


def moments_log_evidence(results: Floats, theta: float) -> Floats:
    """The lower bound from two moments, all paths and steps at once."""
    n, total, squares = np.arange(1, results.shape[1] + 1), results.cumsum(axis=1), (results**2).cumsum(axis=1)
    weight = np.minimum(total**2 / squares, n)
    evidence = np.full(results.shape, -np.inf)
    for bet, log_weight in zip(bets_at(theta), LOG_WEIGHTS, strict=True):
        capital = weight * np.log1p(bet * (total / weight - theta)) + (n - weight) * np.log1p(-bet * theta)
        np.logaddexp(evidence, log_weight + capital, out=evidence)
    return evidence


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("draw", [standard, coins])
def test_known_scale(draw: Drawing, rate: float) -> None:
    results = draw(np.random.default_rng(100), (PATHS, STEPS))
    check(normal_crossings(results, -log(rate)), rate)
    check(normal_crossings(results - 0.1, -log(rate)), rate, at_theta=False)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("scale", [1e-6, 1e9])
def test_unknown_scale(scale: float, rate: float) -> None:
    results = scale * np.random.default_rng(101).standard_normal((PATHS, STEPS))
    check(student_crossings(results, -log(rate)), rate)
    for gap in (0.03, 0.3):
        check(student_crossings(results - gap * scale, -log(rate)), rate, at_theta=False)


def test_paths_below_theta_cross_only_where_paths_at_theta_do() -> None:
    """What stands in for a supermartingale where the scale is unknown: domination, path by path."""
    results = np.random.default_rng(102).standard_normal((PATHS, 300))
    at = student_crossings(results, log(5))
    for gap in (0.01, 0.1, 1.0):
        below = student_crossings(results - gap, log(5))
        assert not (below & ~at).any()
        assert below.sum() < at.sum()


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("theta", [0.02, 0.5, 0.9])
def test_zeros_and_ones(theta: float, rate: float) -> None:
    uniform = np.random.default_rng(103).random((PATHS, STEPS))
    check(bernoulli_crossings(1.0 * (uniform < theta), theta, -log(rate)), rate)
    check(bernoulli_crossings(1.0 * (uniform < 0.9 * theta), theta, -log(rate)), rate, at_theta=False)


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("theta", [0.05, 4.0])
def test_counts(theta: float, rate: float, above: bool) -> None:
    rng = np.random.default_rng(111)
    check(poisson_crossings(1.0 * rng.poisson(theta, (PATHS, STEPS)), theta, -log(rate), above), rate)
    other = rng.poisson(theta * (0.95 if above else 1.05), (PATHS, STEPS))
    check(poisson_crossings(1.0 * other, theta, -log(rate), above), rate, at_theta=False)


@pytest.mark.parametrize("above", [True, False])
def test_evidence_of_counts_four_times_too_large_is_caught(above: bool) -> None:
    results = 1.0 * np.random.default_rng(112).poisson(4.0, (PATHS, STEPS))
    for rate in RATES:
        assert too_often(poisson_crossings(results, 4.0, -log(rate) - log(4), above), rate)


@pytest.mark.parametrize(
    ("draw", "theta"),
    [
        (lambda rng, shape: rng.random(shape), 0.5),
        (lambda rng, shape: rng.beta(0.2, 1.8, shape), 0.1),
        (lambda rng, shape: rng.beta(3, 1, shape), 0.75),
    ],
    ids=["uniform", "small", "large"],
)
def test_bounded_results(draw: Drawing, theta: float) -> None:
    results = draw(np.random.default_rng(104), (2000, 400))
    most = bounded_log_evidence(results, theta).max(axis=1)
    for rate in RATES:
        check(most >= -log(rate), rate)
    below = bounded_log_evidence(results * 0.95, theta).max(axis=1)
    check(below >= log(5), 0.2, at_theta=False)
    assert (moments_log_evidence(results, theta).max(axis=1) <= most + 1e-9).all()


@pytest.mark.parametrize("correlation", [-0.9, 0.0, 1.0])
def test_rejecting_by_the_average_over_metrics(correlation: float) -> None:
    """Both means at their thresholds, any dependence; one more metric of unknown scale has its own share."""
    rng = np.random.default_rng(105)
    first = rng.standard_normal((PATHS, 400))
    second = correlation * first + np.sqrt(1 - correlation**2) * rng.standard_normal(first.shape)
    rate = 0.2
    shares = reject_shares(rate, 2, 1)
    logs = [normal_log_evidence(-results) for results in (first, second)]
    averaged = (np.logaddexp(*logs) - log(2) >= shares.averaged_level).any(axis=1)
    lone = student_crossings(-first, shares.each_level)
    check(averaged, shares.averaged)
    check(lone, shares.each)
    check(averaged | lone, rate)


def test_a_product_is_evidence_for_independent_metrics_only() -> None:
    rng = np.random.default_rng(106)
    first, second = rng.standard_normal((2, PATHS, 400))
    independent = normal_log_evidence(first) + normal_log_evidence(second)
    check((independent >= log(5)).any(axis=1), 0.2)
    same = 2 * normal_log_evidence(first)
    assert too_often((same >= log(20)).any(axis=1), 0.05)


@pytest.mark.parametrize("crossings", [normal_crossings, student_crossings])
def test_evidence_three_times_too_large_is_caught(crossings: Callable[[Floats, float], Bools]) -> None:
    results = np.random.default_rng(107).standard_normal((PATHS, STEPS))
    for rate in RATES:
        assert too_often(crossings(results, -log(rate) - log(3)), rate)


def test_a_scale_taken_from_the_data_is_caught() -> None:
    """A plug-in scale in the bound for a known one, which theory forbids."""
    results = np.random.default_rng(108).standard_normal((PATHS, STEPS))
    counts = np.arange(1, STEPS + 1)
    mean = results.cumsum(axis=1) / counts
    spread = np.sqrt(np.maximum((results**2).cumsum(axis=1) / counts - mean**2, 1e-12))
    crossed = (results.cumsum(axis=1) >= totals_needed(STEPS, log(20)) * spread)[:, 1:].any(axis=1)
    assert too_often(crossed, 0.05)


@pytest.mark.full
@pytest.mark.parametrize("rate", [0.2, 0.05, 0.01])
def test_at_length(rate: float) -> None:
    """Forty thousand paths of four thousand steps: between a third and all of what is allowed cross."""
    level = -log(rate)
    rng = np.random.default_rng(109)
    known, unknown, counted = [], [], []
    for _ in range(40):
        results = rng.standard_normal((1000, 4000))
        known.append(normal_crossings(results, level))
        unknown.append(student_crossings(results, level))
        counted.append(bernoulli_crossings(1.0 * (results > 1.2815515655446004), 0.1, level))
    for crossed in (known, unknown, counted):
        check(np.concatenate(crossed), rate)
        assert np.concatenate(crossed).mean() >= rate / 3


@pytest.mark.full
@pytest.mark.parametrize("theta", [0.003, 0.3, 0.97])
def test_bounded_results_at_length(theta: float) -> None:
    rng = np.random.default_rng(110)
    most = []
    for _ in range(20):
        results = rng.beta(theta, 1 - theta, size=(1000, 1500))
        most.append(bounded_log_evidence(results, theta).max(axis=1))
    for rate in (0.2, 0.05, 0.01):
        check(np.concatenate(most) >= -log(rate), rate)
