"""Newton's method for how much evidence needs: its slopes are derivatives, and it begins where there is enough.

With another slope it may still arrive, in sixty steps for four: what inverses give away then is time.
"""

from math import inf, log, sqrt

import pytest

from satisfice.noise import half_normal, half_student
from satisfice.noise.half_student import EARLY, Mixture, gamma_ratio, log_evidence_student, log_half_student

MIXTURES = (EARLY, Mixture(4.0, 500.0, 0.25))
PULLS = (3, 20, 400)


def derivative(function, at: float) -> float:
    """To about nine digits."""
    step = 1e-4 * max(1.0, at)
    far, near = (function(at + 2 * step) - function(at - 2 * step)), (function(at + step) - function(at - step))
    return (8 * near - far) / (12 * step)


@pytest.mark.parametrize("pulls", PULLS)
@pytest.mark.parametrize("share", [0.05, 0.3, 0.8])
def test_slopes_of_an_unknown_scale(pulls, share):
    ratio, gammas = share * sqrt(pulls), gamma_ratio(pulls)
    for precision in (1.0, 30.0, 500.0):
        exact = derivative(lambda u: log_half_student(pulls, u, precision, gammas), ratio)  # noqa: B023 - called at once
        assert half_student._half_student_slope(pulls, ratio, precision, gammas) == pytest.approx(exact, rel=1e-6)
    for mixture in MIXTURES:
        exact = derivative(lambda u: log_evidence_student(pulls, u, mixture), ratio)  # noqa: B023 - the same
        assert half_student._slope(pulls, ratio, mixture, gammas) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("pulls", PULLS)
@pytest.mark.parametrize("total", [0.5, 4.0, 60.0])
def test_slopes_of_a_known_scale(pulls, total):
    first, second = (half_normal.log_half_normal(pulls, total, precision) for precision in (6.0, 300.0))
    for precision in (6.0, 300.0):
        exact = derivative(lambda s: half_normal.log_half_normal(pulls, s, precision), total)  # noqa: B023 - the same
        assert half_normal._half_normal_slope(pulls, total, precision) == pytest.approx(exact, rel=1e-6)
    exact = derivative(lambda s: half_normal.log_evidence_normal(pulls, s), total)
    assert half_normal._slope(pulls, total, second - first) == pytest.approx(exact, rel=1e-6)


@pytest.mark.parametrize("level", [0.0, 0.5, 3.0, 12.0])
@pytest.mark.parametrize("precision", [1.0, 30.0, 500.0])
def test_it_begins_where_there_is_enough_and_not_far_beyond(level, precision):
    for pulls in (*PULLS, 5000):
        total = half_normal._enough(pulls, level, precision)
        reached = half_normal.log_half_normal(pulls, total, precision)
        assert level <= reached + 1e-12 <= level + log(2.0) + 1e-9
        ratio, gammas = half_student._enough(pulls, level, precision), gamma_ratio(pulls)
        reached = log_half_student(pulls, ratio, precision, gammas)
        if ratio < sqrt(pulls):
            assert level <= reached <= level + log(3.0)


@pytest.mark.parametrize("level", [1.0, 8.0])
@pytest.mark.parametrize("pulls", [40, 3000])
def test_it_arrives_in_a_few_steps(pulls, level, monkeypatch):
    taken = {"normal": 0, "student": 0}

    def counted(name, slope):
        def count(*given):
            taken[name] += 1
            return slope(*given)

        return count

    monkeypatch.setattr(half_normal, "_slope", counted("normal", half_normal._slope))
    monkeypatch.setattr(half_student, "_slope", counted("student", half_student._slope))
    assert half_normal.total_needed_normal(pulls, level) < inf
    assert half_student.ratio_needed_student(pulls, level) < inf
    assert 1 <= min(taken.values()) <= max(taken.values()) <= 8
