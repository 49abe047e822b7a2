"""Compiled code computes the very floats of the interpreted one: draws, tables and sums, bit for bit."""

import numba
import numpy as np
import pytest

import satisfice as sf
from satisfice.arrays import copy
from satisfice.rules import RULES
from satisfice.search.absorb import fold
from satisfice.search.state import new_state, parts_of
from satisfice.simulation import runs, trial
from satisfice.simulation.engine import compiled
from satisfice.stopping import STOPPING_RULES, judge_of
from tests.helpers import cases

SETTING = cases.synthetic().problem.setting(10)


def fill(rng, arms, results, state, noise):
    for arm in range(results.shape[0]):
        for draw in range(results.shape[1]):
            arms.draw(rng, arm, state.results)
            fold(state, noise, arm)
            copy(state.results, results[arm, draw])


def filled(function, instance, parts, count=400):
    arms = instance.deficits()
    results = np.empty((arms.means.shape[0], count, arms.means.shape[1]))
    state = new_state(parts, extra=max(1, parts.noise.extra))
    function(np.random.default_rng(5), arms, results, state, parts.noise)
    return results, state.deficits, state.more


def heavy_beta():
    """Both parameters below 1: another algorithm of the generator."""
    problem = sf.problem_of(["share >= 0.5 : bounded(-1, 3)"])
    return sf.Instance.of(problem, sf.arms_for(problem, [[0.5], [2.0]], concentration=0.9))


@pytest.mark.parametrize(
    "instance", [cases.unequal, cases.correlated, cases.mixed, cases.recorded, cases.counts, heavy_beta]
)
def test_draws_and_their_sums(instance):
    drawn = instance()
    count = len(drawn.arm_names)
    judge = judge_of(sf.Evidence(), drawn.problem, count)
    parts = parts_of(sf.Pandora(), judge, drawn.problem, count, np.zeros(0))
    compiled(runs.run_block, drawn.arms, parts, trial.Budget(1))  # tells numba about the methods of arms and noise
    for fast, plain in zip(filled(numba.njit(fill), drawn, parts), filled(fill, drawn, parts), strict=True):
        assert np.array_equal(fast, plain)
        assert np.ptp(plain) > 0


@pytest.mark.parametrize(
    ("rule", "stopping"),
    [(rule, sf.AlphaBoundary) for rule in RULES.values()]
    + [(sf.MultiTUCB, other) for other in STOPPING_RULES.values()][1:],
)
def test_tables(rule, stopping):
    third = "c >= 0.5 : normal(2)" if stopping is sf.TransferredEvidence else "c >= 0.5 : bounded(0, 1)"
    problem = sf.problem_of(["a >= 0.5 : normal(1)", "b >= 0.5 : bernoulli", third], 0.01)
    judge = judge_of(stopping(), problem, SETTING.arms)
    bonuses, fast_bonuses = (
        longer(np.empty(0), rule(), SETTING, 2_000)
        for longer in (trial.bonus_table, compiled(trial.bonus_table, rule()))
    )
    assert np.array_equal(bonuses[1:], fast_bonuses[1:])
    plain, fast = trial.longer_judge(judge, 2_000), compiled(trial.longer_judge, judge)(judge, 2_000)
    again = trial.longer_judge(trial.longer_judge(judge, 16), 2_000)
    if stopping is sf.TransferredEvidence:
        plain, fast, again = plain.evidence, fast.evidence, again.evidence
    for table, other, longer in zip(plain, fast, again, strict=True):
        if isinstance(table, np.ndarray) and table.shape[-1] == 2_000:
            assert np.array_equal(table[..., 1:], other[..., 1:])
            assert np.array_equal(table[..., 1:], longer[..., 1:])
