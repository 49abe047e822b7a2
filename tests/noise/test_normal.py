"""Evidence for a known scale: the closed form is the integral, a martingale at theta, and its inverse errs upwards."""

from math import exp, inf, log, pi, sqrt

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import log_ndtr

from satisfice.noise.half_normal import (
    PRECISION_FOR_LARGE_GAPS,
    PRECISION_FOR_SMALL_GAPS,
    ROUNDING,
    log_evidence_normal,
    log_half_normal,
    log_tilted_tail,
    total_needed_normal,
)

PULLS = (1, 2, 7, 100, 12_345, 10**6, 10**9)
LEVELS = (0.0, 0.7, log(20), log(1000), log(1e12), 700.0)


@pytest.mark.parametrize("precision", [PRECISION_FOR_LARGE_GAPS, PRECISION_FOR_SMALL_GAPS])
@pytest.mark.parametrize(
    ("pulls", "total"), [(1, 0.3), (1, -2.0), (30, 12.0), (30, -9.0), (1000, 100.0), (1000, -80.0)]
)
def test_the_closed_form_is_the_average_over_half_normal_bets(pulls: int, total: float, precision: float) -> None:
    def weighted(bet: float) -> float:
        density = 2 * sqrt(precision / (2 * pi)) * exp(-precision * bet * bet / 2)
        return density * exp(bet * total - pulls * bet * bet / 2)

    peak = max(total, 0.0) / (pulls + precision)
    width = 1 / sqrt(pulls + precision)
    average = quad(weighted, 0, peak + 15 * width, points=[peak, peak + 3 * width], limit=200, epsrel=1e-11)[0]
    assert log_half_normal(pulls, total, precision) == pytest.approx(log(average), abs=1e-9)


def test_two_precisions_are_averaged() -> None:
    for pulls, total in ((5, 4.0), (500, 80.0), (500, -3.0)):
        each = [log_half_normal(pulls, total, r) for r in (PRECISION_FOR_LARGE_GAPS, PRECISION_FOR_SMALL_GAPS)]
        mixed = log(np.average(np.exp(each), weights=[1, 2]))
        assert log_evidence_normal(pulls, total) == pytest.approx(mixed, abs=1e-13)


def test_the_tilted_tail_for_all_arguments() -> None:
    z = np.concatenate([np.linspace(-40, 12, 2001), -np.geomspace(40, 1e8, 50), np.nextafter(-5 * sqrt(2), [-9, 0])])
    ours = np.array([log_tilted_tail(value) for value in z.tolist()])
    theirs = z * z / 2 + log(2) + log_ndtr(z)
    near = np.abs(z) <= 40
    np.testing.assert_allclose(ours[near], theirs[near], rtol=0, atol=2e-12)
    far = z < -40  # ln(2 Phi(z)) = -z^2/2 - ln(-z sqrt(pi/2)) - 1/z^2 + ...
    np.testing.assert_allclose(ours[far], -np.log(-z[far] * sqrt(pi / 2)) - 1 / z[far] ** 2, rtol=0, atol=1e-5)


def mean_after_one_more(pulls: int, total: float, shift: float) -> float:
    """E[E_{n+1} | S_n]/E_n when the next result is normal with this mean."""
    now = log_evidence_normal(pulls, total)

    def weighted(x: float) -> float:
        return exp(log_evidence_normal(pulls + 1, total + x) - now - (x - shift) ** 2 / 2) / sqrt(2 * pi)

    return float(quad(weighted, shift - 12, shift + 20, limit=400, epsabs=1e-13, epsrel=1e-11)[0])


@pytest.mark.parametrize(("pulls", "total"), [(0, 0.0), (1, 0.4), (1, -3.0), (20, 11.0), (20, -14.0), (900, 95.0)])
def test_it_is_a_martingale_at_theta_and_falls_below(pulls: int, total: float) -> None:
    assert mean_after_one_more(pulls, total, 0.0) == pytest.approx(1.0, abs=1e-9)
    assert mean_after_one_more(pulls, total, -0.1) < 1.0
    assert mean_after_one_more(pulls, total, -2.0) < 1.0
    assert mean_after_one_more(pulls, total, 0.1) > 1.0  # and it grows where the mean is above theta


@pytest.mark.parametrize(("pulls", "total"), [(0, 0.0), (3, 3.0), (50, 20.0), (50, -20.0)])
def test_coins_are_sub_gaussian(pulls: int, total: float) -> None:
    now = log_evidence_normal(pulls, total)
    up, down = (log_evidence_normal(pulls + 1, total + x) for x in (1.0, -1.0))
    assert (exp(up - now) + exp(down - now)) / 2 <= 1.0 + 1e-12


def test_it_starts_at_one() -> None:
    assert log_evidence_normal(0, 0.0) == 0.0


@pytest.mark.parametrize("pulls", PULLS)
def test_increasing_and_convex_in_the_total(pulls: int) -> None:
    totals = np.linspace(-20, 20, 801) * sqrt(pulls + 10)
    values = np.array([log_evidence_normal(pulls, total) for total in totals.tolist()])
    rises = np.diff(values)
    assert (rises > 0).all()
    assert (np.diff(rises) > -1e-12).all()


@pytest.mark.parametrize("pulls", PULLS)
@pytest.mark.parametrize("level", LEVELS)
def test_the_inverse_is_enough_and_hardly_more(pulls: int, level: float) -> None:
    needed = total_needed_normal(pulls, level)
    aimed_at = level + ROUNDING * (24 + level)  # what rounding may add to evidence never decides
    assert aimed_at <= log_evidence_normal(pulls, needed) <= level + 2e-14 * (24 + level)
    assert log_evidence_normal(pulls, needed * (1 - 1e-11)) < level


def test_the_inverse_rises_with_pulls_and_level() -> None:
    by_pulls = [total_needed_normal(n, 5.0) for n in range(1, 2000)]
    assert (np.diff(by_pulls) > 0).all()
    by_level = [total_needed_normal(77, level) for level in np.linspace(0, 40, 500).tolist()]
    assert (np.diff(by_level) > 0).all()
    assert total_needed_normal(77, inf) == inf
    assert total_needed_normal(77, -50.0) == 0.0  # reached by no evidence at all


@pytest.mark.parametrize(("level", "longest"), [(log(1000), 1.45), (log(20), 1.95)])
def test_mean_paths_cross_not_much_later_than_with_the_gap_known(level: float, longest: float) -> None:
    """Pulls at which S = gap n crosses, against 2 level/gap^2 of the sequential probability ratio test."""
    for gap in (0.01, 0.03, 0.1, 0.3, 1.0):
        oracle = 2 * level / gap**2
        pulls = int(longest * oracle) + 1
        assert gap * pulls >= total_needed_normal(pulls, level), gap
