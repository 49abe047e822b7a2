"""Confidence limits: where the evidence is just enough, on both sides, and nothing where nothing is known."""

from math import inf, log, sqrt

import numpy as np
import pytest

import satisfice as sf
from satisfice.noise import intervals
from satisfice.noise.bernoulli import log_evidence_bernoulli
from satisfice.noise.betting import BETS, LOG_WEIGHTS, log_evidence_moments
from satisfice.noise.half_normal import log_evidence_normal
from satisfice.noise.half_student import log_evidence_student, scale_free_ratio
from satisfice.noise.process import sample_margin

LEVEL = log(2 / 0.05)
RESULTS = np.random.default_rng(8).normal(20.0, 3.0, size=60)


def test_normal() -> None:
    n, scale, origin = RESULTS.size, 3.0, 18.0
    low, high = intervals.interval_normal(n, (RESULTS - origin).sum(), origin, scale, 0.05)
    assert low < RESULTS.mean() < high
    assert log_evidence_normal(n, (RESULTS - low).sum() / scale) == pytest.approx(LEVEL, abs=1e-9)
    assert log_evidence_normal(n, (high - RESULTS).sum() / scale) == pytest.approx(LEVEL, abs=1e-9)
    elsewhere = intervals.interval_normal(n, (RESULTS - 25).sum(), 25.0, scale, 0.05)
    assert elsewhere == pytest.approx((low, high), abs=1e-9)


def test_student() -> None:
    n, origin = RESULTS.size, 18.0
    sums = (RESULTS - origin).sum(), ((RESULTS - origin) ** 2).sum()
    low, high = intervals.interval_student(n, *sums, origin, 0.05)
    assert low < RESULTS.mean() < high

    def evidence(shifted: np.ndarray) -> float:
        return log_evidence_student(n, scale_free_ratio(shifted.sum(), (shifted**2).sum()))

    assert evidence(RESULTS - low) == pytest.approx(LEVEL, abs=1e-9)
    assert evidence(high - RESULTS) == pytest.approx(LEVEL, abs=1e-9)
    known = intervals.interval_normal(n, sums[0], origin, float(RESULTS.std()), 0.05)
    assert (high - low) / (known.high - known.low) == pytest.approx(1.0, abs=0.15)


def test_student_knows_nothing_from_few_and_nearly_all_from_equal_results() -> None:
    assert intervals.interval_student(3, 1.0, 2.0, 0.0, 0.05) == (-inf, inf)
    low, high = intervals.interval_student(40, 40 * 7.0, 40 * 49.0, 0.0, 0.05)
    assert low == pytest.approx(7.0, abs=1e-5)
    assert high == pytest.approx(7.0, abs=1e-5)


@pytest.mark.parametrize(("pulls", "ones"), [(1, 0), (1, 1), (20, 0), (20, 20), (50, 13), (10**6, 3)])
def test_bernoulli(pulls: int, ones: int) -> None:
    low, high = intervals.interval_bernoulli(pulls, ones, 0.05)
    assert 0 <= low <= ones / pulls <= high <= 1
    if ones > 0:
        assert log_evidence_bernoulli(pulls, ones, low) >= LEVEL
        assert log_evidence_bernoulli(pulls, ones, low * (1 + 1e-9)) < LEVEL
    mirrored = intervals.interval_bernoulli(pulls, pulls - ones, 0.05)
    assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-12)
    assert low == 0 if ones == 0 else low > 0


def test_bounded() -> None:
    rng = np.random.default_rng(3)
    for values in (rng.beta(2, 5, size=300), rng.beta(20, 20, size=100), np.full(30, 0.25)):
        sums = values.sum(), (values**2).sum()
        low, high = intervals.interval_bounded(values.size, *sums, 0.05)
        assert 0 < low <= values.mean() <= high < 1
        assert log_evidence_moments(values.size, *sums, low, BETS, LOG_WEIGHTS) >= LEVEL
        mirrored = 1 - values
        back = intervals.interval_bounded(values.size, mirrored.sum(), (mirrored**2).sum(), 0.05)
        assert back == pytest.approx((1 - high, 1 - low), abs=1e-9)
        # far narrower than what the range alone gives, which is sub-Gaussian with scale 1/2
        coarse = intervals.interval_normal(values.size, sums[0], 0.0, 0.5, 0.05)
        assert high - low < 0.7 * (coarse.high - coarse.low)


def test_nothing_is_known_before_the_first_pull() -> None:
    assert intervals.interval_normal(0, 0.0, 5.0, 1.0, 0.05) == (-inf, inf)
    assert intervals.interval_student(0, 0.0, 0.0, 5.0, 0.05) == (-inf, inf)
    assert intervals.interval_bernoulli(0, 0, 0.05) == (0, 1)
    assert intervals.interval_bounded(0, 0.0, 0.0, 0.05) == (0, 1)


def test_they_shrink_like_one_over_the_root_of_n() -> None:
    widths = []
    for n in (10**4, 10**6, 10**8):
        low, high = intervals.interval_student(n, 0.0, float(n), 0.0, 0.05)
        widths.append((high - low) * sqrt(n))
    assert widths[0] < widths[1] < widths[2] < 1.5 * widths[0]


@pytest.mark.parametrize("noise", ["spread({})", "normal({})", "subgaussian({})", "normal", "checked"])
def test_an_interval_in_another_unit_is_the_same(noise: str) -> None:
    def interval(unit: float) -> np.ndarray:
        limit = f"x <= {19.0 * unit!r} : {noise.format(3.0 * unit)}"
        search = sf.Search(sf.problem_of([limit], 0.05), ["a"])
        for result in RESULTS * unit:
            search.tell("a", {"x": float(result)})
        return np.array(search.status(0).intervals[0])

    assert np.isfinite(interval(1.0)).all()
    assert interval(1000.0) == pytest.approx(1000.0 * interval(1.0), rel=1e-9)


def test_where_a_model_says_nothing_else_arms_are_chosen_by_the_mean_over_the_standard_deviation() -> None:
    deficits = 18.0 - RESULTS
    more = np.array([(deficits**2).sum()])
    margin, sd = sample_margin(deficits.size, float(deficits.sum()), more, np.zeros(0), 1.0, 0.0, 0.0)
    assert (margin, sd) == pytest.approx(((RESULTS.mean() - 18.0) / RESULTS.std(), RESULTS.std()))
    assert sample_margin(3, 0.0, np.zeros(1), np.zeros(0), 1.0, 0.0, 0.0) == (0.0, 0.0)


@pytest.mark.parametrize(
    "noise",
    ["spread(3)", "normal(3)", "subgaussian(3)", "normal", "checked", "bounded(-4, 60)", "bernoulli", "poisson"],
)
def test_an_interval_is_the_same_whatever_the_limit_is(noise: str) -> None:
    """It follows from the results: sums are kept from the limit on, and led back."""
    results = {"bernoulli": np.median(RESULTS) < RESULTS, "poisson": np.round(RESULTS)}.get(noise, RESULTS)
    limits = ("<= 0.3", ">= 0.3", "<= 0.8") if noise == "bernoulli" else ("<= 19", ">= 19", "<= 2.5", ">= 41")
    found = []
    for limit in limits:
        search = sf.Search(sf.problem_of([f"x {limit} : {noise}"], 0.05), ["a"])
        for result in results.tolist():
            search.tell("a", {"x": float(result)})
        found.append(tuple(search.status(0).intervals[0]))
    assert np.array(found) == pytest.approx(np.array([found[0]] * len(limits)), rel=1e-9)
    assert found[0][0] < results.mean() < found[0][1]
