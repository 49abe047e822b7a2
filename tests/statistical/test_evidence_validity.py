"""Evidence is wrong no more often than promised, under every noise model, where that is hardest: on the boundaries.

Every test is seeded and fails when a 99.9 % Clopper-Pearson interval lies above the error rate; that the estimates are
not far below it shows that the tests could fail, and so does a judge whose evidence is too large. Evidence of bounded
results comes from their first two moments, which is less than there is: it may be wrong as seldom as it likes.
"""

from math import log
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import binomtest

import satisfice as sf
from satisfice.core.stopping.evidence import Evidence
from satisfice.simulation.cell import Cell, run_cell
from satisfice.simulation.trial import FOUND, NONE

NOISE = {
    "normal(1)": (0.0, -1.0, 5.0),
    "normal": (0.0, -1.0, 5.0),
    "bernoulli": (0.5, 0.3, 0.9),
    "bounded(0, 1)": (0.5, 0.3, 0.9),
}
"""For each noise model a threshold, a mean far below it and one far above."""
TOLERANCE = 0.03
RUNS = 1500


def rate(thresholds, means, ending, *, error_rate, rule=None, stopping=None, correlation=None, budget=1500):
    """How often the runs end so, of how many; the budget leaves no time for a right answer on the boundary."""
    problem = sf.problem_of(thresholds, error_rate)
    sds = None if any("bern" in text or "bound" in text for text in thresholds) else 1.0
    arms = sf.arms_for(problem, means, sds=sds, correlation=correlation)
    cell = Cell(sf.Instance.of(problem, arms), rule or sf.Thompson(), stopping or Evidence(), RUNS, budget, 3)
    return int((run_cell(cell, threads=2).endings == ending).sum())


def check(wrong, error_rate, *, tight=True):
    interval = binomtest(wrong, RUNS).proportion_ci(0.999)
    assert interval.low <= error_rate
    if tight:
        assert wrong / RUNS >= error_rate / 20


@pytest.mark.parametrize("error_rate", [0.2, 0.05])
@pytest.mark.parametrize("noise", NOISE)
def test_accepting(noise, error_rate):
    """Two arms, each with one metric exactly at threshold - tolerance: any FOUND is wrong."""
    threshold, _, high = NOISE[noise]
    thresholds = [f"{name} >= {threshold} ~ {TOLERANCE} : {noise}" for name in "ab"]
    edge = threshold - TOLERANCE
    wrong = rate(thresholds, [[edge, high], [high, edge]], FOUND, error_rate=error_rate)
    check(wrong, error_rate, tight=noise != "bounded(0, 1)")


@pytest.mark.parametrize("error_rate", [0.2, 0.05])
@pytest.mark.parametrize("noise", NOISE)
def test_rejecting(noise, error_rate):
    """One arm exactly at both thresholds, the other far below: NONE is wrong."""
    threshold, low, _ = NOISE[noise]
    thresholds = [f"{name} >= {threshold} ~ {TOLERANCE} : {noise}" for name in "ab"]
    wrong = rate(thresholds, [[low, low], [threshold, threshold]], NONE, error_rate=error_rate)
    check(wrong, error_rate, tight=noise != "bounded(0, 1)")


@pytest.mark.parametrize("correlation", [0.99, -0.99])
def test_dependent_metrics(correlation):
    thresholds = [f"{name} >= 0 ~ {TOLERANCE} : normal(1)" for name in "ab"]
    far, edge = [-1.0, -1.0], [-TOLERANCE, -TOLERANCE]
    check(rate(thresholds, [edge, edge], FOUND, error_rate=0.2, correlation=correlation), 0.2, tight=correlation > 0)
    check(rate(thresholds, [far, [0.0, 0.0]], NONE, error_rate=0.2, correlation=correlation), 0.2)


class Luckiest(NamedTuple):
    """An adversary: always the arm that looks best, whatever is known of the others."""

    weight: float = 1.0

    def bonus(self, pulls, setting):
        return 0.0

    def priority(self, shortfall, excess, bonus):
        return -self.weight * shortfall


def test_chasing_the_luckiest_arm():
    thresholds = [f"a >= 0 ~ {TOLERANCE} : normal(1)"]
    check(rate(thresholds, np.full((10, 1), -TOLERANCE), FOUND, error_rate=0.2, rule=Luckiest()), 0.2)


class Boastful(NamedTuple):
    """Evidence too large by a factor."""

    factor: float = 3.0

    def judge(self, problem, arms):
        sound = Evidence().judge(problem, arms)
        return sound._replace(
            accept_level=sound.accept_level - log(self.factor),
            reject_level=sound.reject_level - log(self.factor),
            lone_level=sound.lone_level - log(self.factor),
        )


def test_the_tests_catch_evidence_that_is_too_large():
    """One arm and one metric, where nothing but the evidence stands between the truth and the answer."""
    caught = []
    for noise, (threshold, _, _) in list(NOISE.items())[:3]:
        thresholds = [f"a >= {threshold} ~ {TOLERANCE} : {noise}"]
        wrong = rate(thresholds, [[threshold - TOLERANCE]], FOUND, error_rate=0.2, stopping=Boastful())
        caught.append(binomtest(wrong, RUNS).proportion_ci(0.999).low > 0.2)
    assert all(caught)
