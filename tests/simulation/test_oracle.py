"""The oracle's floor: reproducible, the same interpreted and compiled, and where Wald says it is."""

from dataclasses import replace
from math import ceil, inf, log, sqrt
from typing import NamedTuple

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidInstance
from satisfice.noise.process import Bet, Distribution
from satisfice.problem.problem import Goal
from satisfice.search.verdict import Outcome
from satisfice.simulation.arms import RecordedArms
from satisfice.simulation.distributions import distributions_of
from satisfice.simulation.instance import Instance
from satisfice.simulation.oracle import add_oracle_runs, gain
from satisfice.stopping.error_budget import DEFAULT_REJECT_SHARE
from satisfice.theory import needs
from tests.helpers import cases

EVERY_NOISE = sf.problem_of(
    ["a >= 0", "b <= 0.3 ~ 0.05 : bernoulli", "c >= 0.5 ~ 0.1 : bounded(0, 1)", "d >= 0 : normal(2)"], error_rate=0.1
)
SDS = [3.0, 1.0, 1.0, 2.0]
PASSING, FAILING = [[2.0, 0.1, 0.7, 2.0], [-2.0, 0.9, 0.1, 2.0]], [[-2.0, 0.1, 0.7, 2.0], [2.0, 0.9, 0.7, 2.0]]


def every_noise(means):
    return Instance.of(EVERY_NOISE, sf.arms_for(EVERY_NOISE, means, sds=SDS))


class OwnArms(NamedTuple):
    """Arms whose distribution only their author knows: uniform on [mean - 1, mean + 1]."""

    means: np.ndarray

    def draw(self, rng, arm, results):
        for metric in range(results.shape[0]):
            results[metric] = self.means[arm, metric] + 2.0 * rng.random() - 1.0

    def rescaled(self, offset, slope):
        return self


@pytest.mark.parametrize("means", [PASSING, FAILING], ids=["found", "none"])
def test_interpreted_and_compiled_agree(means):
    found = {
        engine: sf.oracle_floor(every_noise(means), repetitions=60, seed=3, engine=engine)
        for engine in ("interpreted", "compiled")
    }
    assert found["interpreted"] == found["compiled"]


class Always(NamedTuple):
    """Arms whose results are their means."""

    means: np.ndarray

    def draw(self, rng, arm, results):
        results[:] = self.means[arm]


def test_an_oracle_pulls_until_every_bet_has_reached_its_level():
    """Of the first arm .35 a result and ln 1.75 are gained, of the second 2, where one metric is waited for alone."""
    bets = [[Bet(1.0, 0.0, 0.1, 0.2, 0.05), Bet(0.5, 1.0, 9.0, 1.5, 9.0)], [Bet(0.0, 0.0, 0.0, 1.0), Bet(0.0)]]
    levels = np.array([[3.0, 5.0], [7.0, -inf]])
    arms, totals = Always(np.array([[2.0, 1.0], [2.0, 0.0]])), np.zeros(3, np.int64)
    add_oracle_runs(np.random.default_rng(0), arms, np.array([0, 1]), np.array(bets), levels, totals)
    assert totals.tolist() == [max(ceil(3.0 / 0.35), ceil(5.0 / log(1.75))) + ceil(7.0 / 2.0)] * 3
    assert gain(np.array(bets[0][0]), 2.0) == pytest.approx(0.35)
    assert gain(np.array(bets[0][0]), -1.0) == pytest.approx(0.1 - 0.4 + 0.2)
    assert gain(np.array(bets[0][1]), 1.0) == pytest.approx(log(1.75))
    assert gain(np.array(bets[0][1]), 0.5 - 1.0 / 1.5) == -inf, "all is lost"


def test_the_seed_decides():
    instance = cases.medical()
    one, same, other = (sf.oracle_floor(instance, repetitions=200, seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert one.mean != other.mean


def test_the_papers_instances():
    """Three of the synthetic arm's four metrics are equally hard: the slowest of three Wald times.

    For continuous evidence these are inverse Gaussian, whose largest of three has a mean of 7,647 and 10,391 (level
    error rate/10). The medical arm has one hard metric and needs 5,044/25 = 200 at least. Four standard errors.
    """
    for instance, shared, expected in (
        (cases.synthetic(), False, 7_647),
        (cases.synthetic(), True, 10_391),
        (cases.medical(), False, 222),
        (cases.medical(), True, 284),
    ):
        found = sf.oracle_floor(instance, shared=shared, repetitions=1000, seed=1)
        assert found.answer is Outcome.FOUND
        assert abs(found.mean - expected) < 4 * found.standard_error


def test_one_metric_takes_what_wald_says():
    """E T = (ln(1/level) + overshoot)/I, the overshoot of a normal walk with step sd s being about 0.583 s."""
    instance = cases.gaussian([[0.2]], [0.0], error_rate=0.01)
    found = sf.oracle_floor(instance, repetitions=20_000, seed=1)
    information = 0.2**2 / 2
    expected = (log(100) + 0.583 * sqrt(2 * information)) / information
    assert abs(found.mean - expected) < 4 * found.standard_error


def test_without_a_good_arm_the_arms_add_up():
    means = cases.SYNTHETIC_MEANS.copy()
    means[6, 0] = 0.5
    instance = cases.gaussian(means, [0.6, 0.5, 0.6, 0.5], sd=1.2, tolerance=0.005, error_rate=0.005)
    whole, shared = (sf.oracle_floor(instance, shared=share, seed=1) for share in (False, True))
    assert (whole.answer, whole.arm) == (Outcome.NONE, None)
    limit = needs(instance.problem, means).practical_limit()
    assert limit - 3 * whole.standard_error < whole.mean < 1.05 * limit
    assert shared.level == pytest.approx(0.005 * DEFAULT_REJECT_SHARE)
    assert shared.mean > whole.mean


def test_the_easiest_on_paper_need_not_be_the_one_to_name():
    """Five metrics of the same difficulty take longer than one that is a little harder."""
    problem = sf.problem_of([f"m{i} >= 0 : normal(1)" for i in range(5)])
    means = [[0.30] * 5, [0.29, 3.0, 3.0, 3.0, 3.0]]
    found = sf.oracle_floor(Instance.of(problem, sf.gaussian_arms(means, 1.0), arm_names=["even", "uneven"]))
    assert found.arm == "uneven"


def test_between_good_and_failing_the_cheaper_answer_counts():
    problem = sf.problem_of(["a >= 0 ~ 1 : normal(1)"])
    for mean, answer in ((-0.1, Outcome.FOUND), (-0.9, Outcome.NONE)):
        assert sf.oracle_floor(Instance.of(problem, sf.gaussian_arms([[mean]], 1.0))).answer is answer


def test_to_classify_all_takes_the_sum():
    one = cases.gaussian([[0.5], [-0.5]], [0.0])
    every = replace(one, problem=replace(one.problem, goal=Goal.ALL))
    found = sf.oracle_floor(every, repetitions=4000)
    assert found.answer is Outcome.FOUND
    assert abs(found.mean - 2 * sf.oracle_floor(one, repetitions=4000).mean) < 8 * found.standard_error


@pytest.mark.parametrize(("mean", "says"), [(0.0, "just at a threshold"), (1e-5, "too many to simulate")])
def test_what_never_ends_gets_a_sentence(mean, says):
    with pytest.raises(InvalidInstance, match=says):
        sf.oracle_floor(cases.gaussian([[mean]], [0.0]))


class TestDistributions:
    def test_of_mixed_arms(self):
        (a, b, c, d), _ = distributions_of(every_noise(PASSING))
        assert (b, d) == (None, None)
        assert a == Distribution(2.0, 3.0)
        assert (c.mean, c.sd) == (pytest.approx(0.7), pytest.approx(sqrt(0.7 * 0.3 / 11)))

    def test_of_normal_arms(self):
        problem = sf.problem_of(["a >= 0", "b >= 0 : normal(1)"])
        instance = Instance.of(problem, sf.gaussian_arms([[1.0, 1.0], [2.0, 2.0]], [[1.0, 1.0], [3.0, 1.0]]))
        assert distributions_of(instance) == [[Distribution(1.0, 1.0), None], [Distribution(2.0, 3.0), None]]

    def test_of_recorded_arms(self):
        rows = np.array([[0.25], [0.75], [0.5]])
        arms = RecordedArms(np.array([[0.5], [0.5]]), rows, np.array([0, 2, 3]))
        found = distributions_of(Instance.of(sf.problem_of(["a >= 0.1 : bounded(0, 1)"]), arms))
        assert found == [[Distribution(0.5, 0.25, (0.25, 0.75), (0.5, 0.5))], [Distribution(0.5, 0.0, (0.5,), (1.0,))]]

    def test_of_arms_of_ones_own(self):
        problem = sf.problem_of(["a >= 0"])
        ((found,),) = distributions_of(Instance.of(problem, OwnArms(np.array([[3.0]]))))
        assert found.mean == pytest.approx(3.0, abs=0.03)
        assert found.sd == pytest.approx(sqrt(1 / 3), abs=0.01)
