"""Counts: evidence that is a sum of likelihood ratios, on both sides, intervals, and what is refused or doubted."""

import re
from math import exp, inf, log, nan

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import poisson

import satisfice as sf
from satisfice.errors import InvalidInstance, InvalidResult
from satisfice.noise.betting import BETS, LARGEST_STAKE, LOG_WEIGHTS
from satisfice.noise.poisson import COUNTS, Poisson
from satisfice.noise.poisson import log_evidence_poisson as evidence
from satisfice.noise.process import Sums
from tests.helpers.edge_cases import check_rate

THETAS = (0.003, 0.4, 7.0, 900.0)
NOTHING = np.zeros(0)


def alternatives(theta: float, *, above: bool) -> np.ndarray:
    """The means that are bet on."""
    steps = BETS / np.sqrt(theta)
    return theta * (1 + steps) if above else theta * (1 - np.minimum(steps, LARGEST_STAKE))


def direct(counts: np.ndarray, theta: float, *, above: bool) -> float:
    ratios = [
        (poisson.logpmf(counts, mean) - poisson.logpmf(counts, theta)).sum()
        for mean in alternatives(theta, above=above)
    ]
    return float(logsumexp(LOG_WEIGHTS + ratios))


def sums(counts: np.ndarray, origin: float = 0.0) -> Sums:
    moved = counts - origin
    return Sums(counts.size, float(moved.sum()), np.array([float((moved**2).sum())]), origin)


@pytest.mark.parametrize("above", [True, False])
@pytest.mark.parametrize("theta", THETAS)
def test_it_averages_likelihood_ratios(theta: float, above: bool) -> None:
    rng = np.random.default_rng(1)
    for mean in (0.0, theta / 2, theta, 2 * theta):
        counts = rng.poisson(mean, 40)
        expected = direct(counts, theta, above=above)
        assert evidence(40, float(counts.sum()), theta, above) == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("theta", [0.003, 0.4, 7.0])
def test_it_is_a_martingale_at_theta_and_falls_on_the_wrong_side(theta: float) -> None:
    chances = poisson(theta)
    for pulls, total in ((1, 0.0), (10, 8.0), (200, 90.0)):
        for above, wrong in ((True, poisson(0.9 * theta)), (False, poisson(1.1 * theta))):
            now = evidence(pulls, total, theta, above)
            growth = [exp(evidence(pulls + 1, total + x, theta, above) - now) for x in range(60)]
            assert chances.pmf(range(60)) @ growth == pytest.approx(1.0, abs=1e-9)
            assert wrong.pmf(range(60)) @ growth < 1.0


def test_monotone_in_the_total_and_in_theta() -> None:
    for theta in THETAS:
        assert (np.diff([evidence(50, 1.0 * total, theta, above=True) for total in range(99)]) > 0).all()
        assert (np.diff([evidence(50, 1.0 * total, theta, above=False) for total in range(99)]) < 0).all()
    grid = np.geomspace(1e-6, 1e4, 500).tolist()
    for pulls, total in ((1, 0.0), (1, 3.0), (50, 0.0), (50, 400.0)):
        assert (np.diff([evidence(pulls, total, theta, above=True) for theta in grid]) <= 1e-9).all()
        assert (np.diff([evidence(pulls, total, theta, above=False) for theta in grid]) >= -1e-9).all()


def test_theta_that_no_mean_is_below() -> None:
    assert evidence(9, 0.0, 0.0, above=True) == evidence(9, 3.0, 0.0, above=False) == 0.0
    assert evidence(9, 1.0, 0.0, above=True) == evidence(9, 0.0, -0.5, above=True) == inf


def test_deficits_say_what_counts_say() -> None:
    """Through the table of a problem, in both directions, whatever the other metric's unit is."""
    problem = sf.problem_of(["a <= 3 ~ 0.5 : poisson", "b >= 3 ~ 0.5 : poisson", "c >= 0 : normal(170)"])
    table, slopes = problem.noise(2), problem.standardisation().slopes
    rng = np.random.default_rng(2)
    for pulls in (1, 7, 400):
        counts = rng.poisson(2.7, pulls)
        total = float(counts.sum())
        for metric, above in ((0, False), (1, True)):
            deficit = float((slopes[metric] * (counts - 3.0)).sum())
            end = 2.5 if above else 3.5
            within, below = (method(metric, pulls, deficit, NOTHING, 1.0) for method in (table.within, table.below))
            assert within == pytest.approx(evidence(pulls, total, end, above), abs=1e-9)
            assert below == pytest.approx(evidence(pulls, total, 3.0, not above), abs=1e-9)
            margin, _ = table.margin_and_sd(metric, pulls, deficit, NOTHING, 1.0, 0.0, 0.0)
            assert (margin > 0) == (((total + 0.5) / (pulls + 1) > 3.0) == above)


@pytest.mark.parametrize(("pulls", "total"), [(1, 0), (1, 1), (20, 0), (50, 13), (300, 90_000), (10**6, 3)])
def test_limits_are_where_the_evidence_is_just_enough(pulls: int, total: int) -> None:
    level = log(2 / 0.05)
    low, high = COUNTS.interval(Poisson(), Sums(pulls, 1.0 * total, NOTHING, 0.0), 0.05)
    assert 0 <= low <= total / pulls < high
    assert evidence(pulls, total, high * (1 + 1e-9), above=False) >= level > evidence(pulls, total, high * 0.999, False)
    assert low == 0 if total == 0 else evidence(pulls, total, low, above=True) >= level
    if total:
        assert evidence(pulls, total, low * 1.001, above=True) < level
    elsewhere = COUNTS.interval(Poisson(), Sums(pulls, total - 7.0 * pulls, NOTHING, 7.0), 0.05)
    assert elsewhere == pytest.approx((low, high), rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("mean", [0.05, 6.0])
def test_intervals_cover_at_all_times(mean: float) -> None:
    rng = np.random.default_rng(3)
    missed = []
    for _ in range(200):
        counts = rng.poisson(mean, 100)
        intervals = [COUNTS.interval(Poisson(), sums(counts[:pulls]), 0.2) for pulls in (1, 4, 20, 100)]
        missed.append(any(not low <= mean <= high for low, high in intervals))
    check_rate(np.array(missed), 0.2)


@pytest.mark.parametrize("value", [2.5, -1, -0.5, nan, inf, "3", None, True])
def test_what_is_no_count_is_refused(value: object) -> None:
    search = sf.Search(sf.problem_of(["errors <= 3 : poisson"]), ["a"])
    sentence = f"Expected a whole number, zero or more for 'errors' (poisson), got {value!r}. Nothing was recorded."
    with pytest.raises(InvalidResult, match=re.escape(sentence)):
        search.tell("a", {"errors": value})
    assert search.verdict.evaluations == 0


def test_a_search_finds_who_has_few_errors_or_none() -> None:
    for means, expected in (((9.0, 1.0, 4.0), ("FOUND", "b")), ((9.0, 6.0, 5.0), ("NONE", None))):
        search = sf.Search(sf.problem_of(["errors <= 3 ~ 0.2 : poisson"], 0.01), ["a", "b", "c"])
        rng = np.random.default_rng(4)
        while (arm := search.ask()) is not None:
            search.tell(arm, {"errors": np.int64(rng.poisson(means["abc".index(arm)]))})
        assert (search.verdict.outcome, search.verdict.arm) == expected
        assert search.verdict.assumptions[0] == "errors: every result is a count with a Poisson distribution"


def test_counts_that_come_in_clusters_are_doubted() -> None:
    search = sf.Search(sf.problem_of(["errors <= 8 : poisson"]), ["honest", "clustered"])
    rng = np.random.default_rng(5)
    for honest, clustered in zip(rng.poisson(5, 300), rng.negative_binomial(1, 1 / 6, 300), strict=True):
        search.fold(0, (float(honest),))
        search.fold(1, (float(clustered),))
    (words,) = search.warnings()
    assert words.startswith("errors of clustered: poisson was declared, but the variance of 300 counts is ")
    assert "events come in clusters" in words


def test_honest_counts_are_seldom_doubted() -> None:
    rng = np.random.default_rng(6)
    doubted = [
        COUNTS.contradiction(Poisson(), sums(rng.poisson(mean, pulls), 2.0), log(1 / 0.01)) is not None
        for mean, pulls in ((0.2, 200), (3.0, 12), (3.0, 300), (500.0, 40))
        for _ in range(500)
    ]
    check_rate(np.array(doubted), 0.01)


def test_means_below_zero_get_a_sentence() -> None:
    problem = sf.problem_of(["errors <= 3 : poisson"])
    with pytest.raises(InvalidInstance, match="its means must be zero or more, but arm 2 has -1"):
        sf.arms_for(problem, [[1.0], [-1.0]])
