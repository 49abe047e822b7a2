"""Evidence for an unknown scale: the closed form is the integral, a martingale of scale-free data, safe at edges."""

from math import exp, inf, log, nextafter, pi, sqrt

import numpy as np
import pytest
from scipy.integrate import dblquad, quad
from scipy.special import gammaln
from scipy.stats import chi, t

from satisfice.noise.checked import LATE
from satisfice.noise.half_normal import ROUNDING, log_evidence_normal
from satisfice.noise.half_student import (
    EARLY,
    Mixture,
    central_probability,
    gamma_ratio,
    log_evidence_student,
    log_half_student,
    ratio_needed_student,
    scale_free_ratio,
)

PULLS = (1, 2, 3, 10, 59, 60, 61, 1000, 10**6, 10**9)
LEVELS = (0.0, 0.5, log(20), log(1000), log(1e12), 100.0)
MIXTURES = (EARLY, LATE)
PRECISIONS = (EARLY.large_gaps, LATE.large_gaps, EARLY.small_gaps)


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize(("pulls", "ratio"), [(1, 1.0), (1, -1.0), (2, 1.2), (5, 2.0), (5, -0.7), (12, 2.0)])
def test_the_closed_form_is_the_average_over_effect_and_scale(pulls: int, ratio: float, precision: float) -> None:
    def weighted(effect: float, v: float) -> float:
        density = 2 * sqrt(precision / (2 * pi)) * exp(-precision * effect * effect / 2) * chi.pdf(v, pulls)
        return float(density * exp(effect * ratio * v - pulls * effect * effect / 2))

    far = 9 / sqrt(pulls + precision) + max(ratio, 0.0) * (sqrt(pulls) + 9) / (pulls + precision)
    average = dblquad(weighted, 0, sqrt(pulls) + 9, 0, far, epsabs=1e-9, epsrel=1e-7)[0]
    value = log_half_student(pulls, ratio, precision, gamma_ratio(pulls))
    assert value == pytest.approx(log(average), abs=1e-6)


def test_the_formula_with_a_distribution_function_of_another_make() -> None:
    for pulls in (1, 2, 3, 17, 80, 3000, 10**5):
        for ratio in np.linspace(-0.999, 0.999, 41) * min(sqrt(pulls), 9.0):
            for c in PRECISIONS:
                rest = pulls + c - ratio**2
                log_tail = t.logcdf(sqrt(pulls) * ratio / sqrt(rest), pulls)
                formula = log(2) + log_tail + 0.5 * log(c / (pulls + c)) + pulls / 2 * log((pulls + c) / rest)
                value = log_half_student(pulls, float(ratio), c, gamma_ratio(pulls))
                if ratio >= 0:
                    assert value == pytest.approx(formula, abs=1e-9)
                else:  # a lower bound is enough there, and it is a close one
                    assert formula - 0.02 <= value <= formula + 1e-6


def test_probabilities_and_gammas() -> None:
    for pulls in (*range(1, 70), 1000, 10**6):
        assert gamma_ratio(pulls) == pytest.approx(exp(gammaln((pulls + 1) / 2) - gammaln(pulls / 2)), rel=1e-8)
    for pulls in range(1, 200):
        assert gamma_ratio(pulls) * gamma_ratio(pulls + 1) == pytest.approx(pulls / 2, rel=3e-15)
    for pulls in (1, 2, 5, 50, 10**6):
        for square in (1e-9, 0.1, 1.0, 4.0, 20.0):
            y = square / (pulls + square)
            growth = -pulls / 2 * np.log1p(-y)
            value = central_probability(pulls, y, growth, gamma_ratio(pulls))
            assert value == pytest.approx(1 - 2 * t.sf(sqrt(square), pulls), abs=1e-12)
            assert value >= 1 - exp(-growth)  # the bound that the code stops at
    assert central_probability(5, 0.0, 0.0, gamma_ratio(5)) == 0.0


def mean_after_one_more(pulls: int, ratio: float, mixture: Mixture) -> float:
    """E[E_{n+1} | scale-free past]/E_n at mean = theta.

    The length sqrt(Q) of a normal vector is independent of its direction and chi-distributed, so the next result in
    units of it is Student-distributed over sqrt(n): S' = S + x and Q' = Q + x^2 make u' = (u + w)/sqrt(1 + w^2).
    """
    now = log_evidence_student(pulls, ratio, mixture)

    def weighted(angle: float) -> float:  # w = tan(angle): the whole line in a finite interval
        w = np.tan(angle)
        density = t.pdf(w * sqrt(pulls), pulls) * sqrt(pulls) * (1 + w * w)
        later = log_evidence_student(pulls + 1, (ratio + w) / sqrt(1 + w * w), mixture)
        return float(exp(later - now) * density)

    return float(quad(weighted, -pi / 2 + 1e-9, pi / 2 - 1e-9, limit=400, epsabs=1e-12, epsrel=1e-9)[0])


@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize(
    ("pulls", "ratio"), [(1, 1.0), (1, -1.0), (2, 1.3), (4, -1.5), (10, 2.9), (60, 4.0), (300, -1.0)]
)
def test_it_is_a_martingale_of_the_scale_free_data(pulls: int, ratio: float, mixture: Mixture) -> None:
    assert mean_after_one_more(pulls, ratio, mixture) == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("mixture", MIXTURES)
def test_the_first_pull_shows_a_sign_only(mixture: Mixture) -> None:
    up, down = log_evidence_student(1, 1.0, mixture), log_evidence_student(1, -1.0, mixture)
    assert (exp(up) + exp(down)) / 2 == pytest.approx(1.0, abs=1e-14)


def test_given_the_raw_past_it_is_no_supermartingale() -> None:
    """Why it may not be averaged with other metrics: small squares so far, and the next result raises it on average."""
    pulls, total, squares = 10, -2.0, 1.0  # results of spread 1 would have squares around 10
    now = log_evidence_student(pulls, total / sqrt(squares))

    def weighted(x: float) -> float:
        later = log_evidence_student(pulls + 1, (total + x) / sqrt(squares + x * x))
        return exp(later - now - x * x / 2) / sqrt(2 * pi)

    assert quad(weighted, -12, 12, limit=200)[0] > 1.05


def test_results_below_theta_lower_every_ratio() -> None:
    rng = np.random.default_rng(4)
    tape = rng.normal(size=200)
    for shift in (0.01, 0.3, 5.0):
        below = tape - shift
        for n in (1, 2, 10, 200):
            at = scale_free_ratio(tape[:n].sum(), (tape[:n] ** 2).sum())
            lower = scale_free_ratio(below[:n].sum(), (below[:n] ** 2).sum())
            assert lower <= at + 1e-12


def test_edges() -> None:
    assert scale_free_ratio(0.0, 0.0) == 0.0
    assert log_evidence_student(7, 0.0) < 0  # all results equal theta: no evidence
    for pulls in PULLS:
        most = sqrt(pulls)
        for ratio in (most, nextafter(most, inf), most * 1.01):  # rounding beyond Cauchy and Schwarz changes nothing
            assert log_evidence_student(pulls, ratio) == pytest.approx(log_evidence_student(pulls, most), rel=1e-7)
        assert log_evidence_student(pulls, -most) > -inf
    # the most that so few pulls may show (module docstring)
    n, c = 6, EARLY.large_gaps
    assert log_half_student(n, sqrt(n), c, gamma_ratio(n)) <= log(2) + (n - 1) / 2 * log((n + c) / c)


@pytest.mark.parametrize("pulls", PULLS)
def test_increasing_in_the_ratio(pulls: int) -> None:
    ratios = np.linspace(-1, 1, 1001) * min(sqrt(pulls), 40.0)
    values = [log_evidence_student(pulls, ratio) for ratio in ratios.tolist()]
    assert (np.diff(values) > 0).all()


@pytest.mark.parametrize("mixture", MIXTURES)
@pytest.mark.parametrize("pulls", PULLS)
@pytest.mark.parametrize("level", LEVELS)
def test_the_inverse_is_enough_and_hardly_more(pulls: int, level: float, mixture: Mixture) -> None:
    needed = ratio_needed_student(pulls, level, mixture)
    if needed == inf:
        assert log_evidence_student(pulls, sqrt(pulls), mixture) < level + 1e-13 * (24 + level)
    else:
        assert 0 < needed <= sqrt(pulls)
        aimed_at = level + ROUNDING * (24 + level)  # what rounding may add to evidence never decides
        assert log_evidence_student(pulls, needed, mixture) >= aimed_at
        assert log_evidence_student(pulls, needed * (1 - 1e-12), mixture) < level


def test_few_pulls_can_not_suffice() -> None:
    assert ratio_needed_student(1, 1.0) == inf
    assert ratio_needed_student(7, log(1000)) == inf
    assert ratio_needed_student(8, log(1000)) < sqrt(8)
    assert ratio_needed_student(5, -20.0) == 0.0


def test_for_many_pulls_it_is_the_evidence_of_a_known_scale() -> None:
    """Where the squares are n times the variance; the precisions differ, so up to what that may be worth."""
    for total in (-2000.0, 500.0, 4000.0):
        n = 10**6
        known = log_evidence_normal(n, total)
        unknown = log_evidence_student(n, total / sqrt(n))
        assert unknown == pytest.approx(known, abs=1.0)
