"""Evidence for a known number of evaluations: wrong at most so often at the boundary, and worth more at its end.

Everything is exact: the chance that a path of 0/1 results ever crosses is a sum over paths, not a simulation.
"""

from math import log

import numpy as np
import pytest

from satisfice.errors import InvalidProblem
from satisfice.noise.bernoulli import BernoulliBy, classical_test, log_evidence_bernoulli, log_evidence_by, log_tail
from satisfice.problem.metric import as_metric


def crossing(evidence, chance, trials, level):
    """P(ln of the evidence ever reaches the level within so many trials), and the mean number of trials until then."""
    alive, crossed, used = np.array([1.0]), 0.0, 0.0
    for pulls in range(1, trials + 1):
        used += alive.sum()
        nxt = np.zeros(pulls + 1)
        nxt[1:] += chance * alive
        nxt[:-1] += (1.0 - chance) * alive
        over = np.array([nxt[ones] > 0.0 and evidence(pulls, ones) >= level for ones in range(pulls + 1)])
        crossed += nxt[over].sum()
        alive = np.where(over, 0.0, nxt)
    return crossed, used


def mixed(theta, trials, rate):
    return lambda pulls, ones: log_evidence_by(pulls, ones, theta, trials, rate)


@pytest.mark.parametrize(("theta", "trials", "rate"), [(0.85, 100, 0.05), (0.5, 60, 0.01), (0.05, 80, 0.1)])
def test_at_the_boundary_it_crosses_at_most_so_often(theta, trials, rate):
    wrong, _ = crossing(mixed(theta, trials, rate), theta, trials + 20, -log(rate))
    assert 0.3 * rate < wrong <= rate
    less, _ = crossing(mixed(theta, trials, rate), 0.97 * theta, trials, -log(rate))
    assert less < wrong


def test_a_broken_twin_is_caught():
    """Whichever says no first, the test at N or the usual evidence, each at the whole level."""
    theta, trials, rate = 0.85, 100, 0.05
    enough, size = classical_test(trials, rate, theta)

    def twin(pulls, ones):
        tested = log_tail(trials - pulls, enough - ones, theta) - size
        return np.logaddexp(tested, log_evidence_bernoulli(pulls, ones, theta))

    wrong, _ = crossing(twin, theta, trials, -log(rate))
    assert wrong > rate


def test_each_step_is_fair_at_the_boundary():
    """A martingale: what the next result is expected to leave is what there is, to rounding."""
    theta, trials, rate = 0.8, 40, 0.05
    for pulls in range(trials):
        for ones in range(pulls + 1):
            now = np.exp(log_evidence_by(pulls, ones, theta, trials, rate)) if pulls else 1.0
            up, down = (np.exp(log_evidence_by(pulls + 1, ones + more, theta, trials, rate)) for more in (1, 0))
            assert theta * up + (1 - theta) * down == pytest.approx(now, rel=1e-6)


def test_at_the_end_it_says_no_whenever_the_test_does():
    theta, trials, rate = 0.85, 200, 0.05
    enough, size = classical_test(trials, 0.5 * rate, theta)
    assert size <= log(0.5 * rate)
    assert log_tail(trials, enough - 1, theta) > log(0.5 * rate)
    assert log_evidence_by(trials, enough, theta, trials, rate) >= -log(rate)


def test_it_decides_more_often_within_the_budget_and_the_gain_is_what_the_page_says():
    """docs/how-to/pytest.md: true chance 0.93, limit 0.9 ~ 0.05, 200 evaluations, 5 %."""
    theta, trials, level = 0.85, 200, -log(0.05)
    usual, long = crossing(lambda pulls, ones: log_evidence_bernoulli(pulls, ones, theta), 0.93, trials, level)
    found, short = crossing(mixed(theta, trials, 0.05), 0.93, trials, level)
    best = np.exp(log_tail(trials, classical_test(trials, 0.05, theta)[0], 0.93))
    assert usual < found <= best + 1e-9
    print(
        f"usual {usual:.3f} after {long:.0f}, mixed {found:.3f} after {short:.0f}, classical {best:.3f} after {trials}"
    )
    assert found - usual > 0.5 * (best - usual)


def test_tails_are_those_of_sums():
    for trials, least, chance in ((10, 7, 0.6), (50, 49, 0.9), (200, 3, 0.001), (30, 0, 0.5), (5, 6, 0.5)):
        total = np.array([1.0])
        for _ in range(trials):
            total = np.convolve(total, [1.0 - chance, chance])
        expected = total[least:].sum()
        assert np.exp(log_tail(trials, least, chance)) == pytest.approx(expected, rel=1e-9, abs=1e-300)
    assert log_tail(5, 2, 0.0) == -np.inf
    assert log_tail(5, 2, 1.0) == 0.0


def test_a_budget_that_cannot_be_is_refused():
    metric = as_metric("passed >= 0.9 ~ 0.05 : bernoulli")
    for noise in (BernoulliBy(0, 0.05), BernoulliBy(10**7, 0.05), BernoulliBy(10, 1.0), BernoulliBy(2.5, 0.05)):
        with pytest.raises(InvalidProblem, match="must"):
            type(metric)(metric.name, metric.threshold, metric.direction, metric.tolerance, noise)
