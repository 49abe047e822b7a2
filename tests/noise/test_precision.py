"""Inverses against fifty digits: never below the true root, and above it by a few units of the last place only."""

from decimal import Decimal, getcontext, localcontext
from math import inf, log, sqrt

import pytest

from satisfice.noise import half_normal as normal
from satisfice.noise.checked import LATE
from satisfice.noise.half_normal import log_evidence_normal, total_needed_normal
from satisfice.noise.half_student import EARLY, Mixture, log_evidence_student, ratio_needed_student

PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")
PULLS = (1, 2, 5, 9, 14, 40, 61, 333, 4096, 10**6, 10**9)
LEVELS = (0.0, log(5), log(20), log(1000), log(1e12), 60.0)


@pytest.fixture(autouse=True)
def _fifty_digits():  # type: ignore[no-untyped-def]
    with localcontext():
        getcontext().prec = 60
        yield


def exact_normal(pulls: int, total: float) -> Decimal:
    """ln E_n for S >= 0, with erf(x) = 2/sqrt(pi) exp(-x^2) sum_k 2^k x^(2k+1)/(2k+1)!!."""
    evidence = Decimal(0)
    for precision, share in (
        (normal.PRECISION_FOR_LARGE_GAPS, Decimal(1) / 3),
        (normal.PRECISION_FOR_SMALL_GAPS, Decimal(2) / 3),
    ):
        spread = Decimal(precision) + pulls
        square = Decimal(total) ** 2 / spread
        term = series = (square / 2).sqrt()
        k = 0
        while term > series * Decimal("1e-55"):
            term *= square / (2 * k + 3)
            series += term
            k += 1
        erf = 2 / PI.sqrt() * (-square / 2).exp() * series
        evidence += share * (Decimal(precision) / spread).sqrt() * (square / 2).exp() * (1 + erf)
    return evidence.ln()


def exact_gammas(pulls: int) -> Decimal:
    """Gamma((n + 1)/2)/Gamma(n/2) by its recurrence from where four terms of Stirling's series give thirty digits."""
    factor, n = Decimal(1), Decimal(pulls)
    while n < 4000:
        factor *= n / (n + 1)
        n += 2
    z = n / 2
    tail = -1 / (8 * z) + 1 / (192 * z**3) - 1 / (640 * z**5) + Decimal(17) / (14336 * z**7)
    return factor * z.sqrt() * tail.exp()


def exact_student(pulls: int, ratio: float, mixture: Mixture) -> Decimal:
    """ln E_n for u >= 0."""
    evidence = Decimal(0)
    for precision, share in ((mixture.large_gaps, mixture.share), (mixture.small_gaps, 1 - mixture.share)):
        spread = Decimal(precision) + pulls
        y = Decimal(ratio) ** 2 / spread
        term = series = Decimal(1)
        k = 0
        while term > series * Decimal("1e-50"):
            term *= y * (pulls + 1 + 2 * k) / (3 + 2 * k)
            series += term
            k += 1
        shrinking = ((1 - y).ln() * pulls / 2).exp()
        central = 2 * (y / PI).sqrt() * shrinking * exact_gammas(pulls) * series
        evidence += (Decimal(precision) / spread).sqrt() / shrinking * (1 + central) * Decimal(share)
    return evidence.ln()


@pytest.mark.parametrize("pulls", PULLS)
def test_normal(pulls: int) -> None:
    for level in LEVELS:
        needed = total_needed_normal(pulls, level)
        excess = exact_normal(pulls, needed) - Decimal(level)
        assert 0 <= excess <= Decimal("2e-14") * Decimal(24 + level), level
        error = abs(exact_normal(pulls, needed) - Decimal(log_evidence_normal(pulls, needed)))
        assert error <= Decimal(normal.ROUNDING) * Decimal(24 + level) / 2


@pytest.mark.parametrize("mixture", [EARLY, LATE])
@pytest.mark.parametrize("pulls", PULLS)
def test_student(pulls: int, mixture: Mixture) -> None:
    for level in LEVELS:
        needed = ratio_needed_student(pulls, level, mixture)
        if needed == inf:
            assert exact_student(pulls, sqrt(pulls), mixture) < Decimal(level)
        else:
            value = exact_student(pulls, needed, mixture)
            a_little_less = exact_student(pulls, needed * (1 - 1e-15), mixture)
            lost = abs(value - a_little_less)  # what the last places of u are worth
            assert 0 <= value - Decimal(level) <= Decimal("2e-14") * Decimal(24 + level) + 8 * lost, level
            error = abs(value - Decimal(log_evidence_student(pulls, needed, mixture)))
            assert error <= Decimal(normal.ROUNDING) * Decimal(24 + level) + lost
