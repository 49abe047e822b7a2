"""Compiled code computes the very floats of the interpreted one: draws, tables and sums, bit for bit."""

import numba
import numpy as np
import pytest

import cases
import satisfice as sf
from satisfice.core.rules import RULES
from satisfice.core.statistics import fold
from satisfice.core.stopping import BOUNDARIES
from satisfice.simulation import trial
from satisfice.simulation.compiled import compiled_run_block

SETTING = cases.synthetic().problem.setting(10)


def fill(rng, arms, results, deficits):
    for arm in range(results.shape[0]):
        for draw in range(results.shape[1]):
            arms.draw(rng, arm, results[arm, draw])
            fold(deficits, arm, results[arm, draw])


def filled(function, arms, count=400):
    results = np.empty((arms.means.shape[0], count, arms.means.shape[1]))
    deficits = np.zeros(arms.means.shape)
    function(np.random.default_rng(5), arms, results, deficits)
    return results, deficits


def heavy_beta():
    """Both parameters below 1: another algorithm of the generator."""
    problem = sf.problem_of(["share >= 0.5 : bounded(-1, 3)"])
    return sf.Instance.of(problem, sf.arms_for(problem, [[0.5], [2.0]], concentration=0.9))


@pytest.mark.parametrize("instance", [cases.unequal, cases.correlated, cases.mixed, cases.recorded, heavy_beta])
def test_draws_and_their_sums(instance):
    arms = instance().deficits()
    compiled_run_block(arms, sf.MultiTUCB(), sf.AlphaBoundary())  # tells numba about the methods of arms
    for compiled, plain in zip(filled(numba.njit(fill), arms), filled(fill, arms), strict=True):
        assert np.array_equal(compiled, plain)
        assert np.ptp(plain) > 0


@pytest.mark.parametrize(
    ("rule", "boundary"),
    [(rule, sf.AlphaBoundary) for rule in RULES.values()]
    + [(sf.MultiTUCB, other) for other in BOUNDARIES.values()][1:],
)
def test_tables(rule, boundary):
    compiled_run_block(rule(), boundary())  # tells numba about their methods
    nothing = trial.Tables(np.empty(0), np.empty(0))
    plain = trial.extended(nothing, rule(), boundary(), SETTING, 20_000)
    compiled = numba.njit(trial.extended)(nothing, rule(), boundary(), SETTING, 20_000)
    assert np.array_equal(compiled.widths[1:], plain.widths[1:])
    assert np.array_equal(compiled.bonuses[1:], plain.bonuses[1:])
    longer = trial.extended(
        trial.extended(nothing, rule(), boundary(), SETTING, 16), rule(), boundary(), SETTING, 20_000
    )
    assert np.array_equal(longer.widths[1:], plain.widths[1:])
    assert np.array_equal(longer.bonuses[1:], plain.bonuses[1:])
