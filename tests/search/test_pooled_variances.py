"""Noise scales that nobody declared: arms lend each other what they know of their spread, to choose, not to decide."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.rules import DEFAULT_RULE
from satisfice.search.absorb import update_margins
from satisfice.search.opening import seed_from
from satisfice.search.pooling import MOST_WEIGHT, VARIANCE, WEIGHT, first_pooling, next_pooling, pool
from satisfice.search.state import new_state, parts_of, with_second_names
from satisfice.search.tournament import SCORE
from satisfice.simulation.cell import Cell, run_cell, run_once
from satisfice.stopping import judge_of
from satisfice.stopping.decision import KEEP

UNKNOWN = sf.problem_of(["a >= 0 ~ 0.1 : normal"], 0.1)


def sums(samples):
    """Sums of deficits and of squares, and numbers of pulls, of arms with these results."""
    deficits = np.array([[-sum(sample)] for sample in samples])
    more = np.array([[[float(np.square(sample).sum())]] for sample in samples])
    return deficits, more, np.array([len(sample) for sample in samples])


def shared(samples):
    pooled = np.zeros((2, 1))
    pool(pooled, *sums(samples), UNKNOWN.noise(len(samples)))
    return pooled[VARIANCE, 0], pooled[WEIGHT, 0]


def test_the_variance_is_that_within_arms():
    variance, weight = shared([[1.0, 3.0], [10.0, 12.0, 14.0], [100.0]])
    assert variance == pytest.approx((2.0 + 8.0) / 3)
    assert weight == 3.0


def test_alike_arms_lend_each_other_much_and_unlike_ones_little():
    rng = np.random.default_rng(0)
    alike = [rng.normal(mean, 2.0, 4) for mean in range(200)]
    unlike = [rng.normal(0.0, scale, 4) for scale in np.geomspace(0.1, 10, 200)]
    assert shared(alike) == (pytest.approx(4.0, rel=0.15), MOST_WEIGHT)
    assert shared(unlike)[1] < 2.0


def test_one_result_says_more_once_the_spread_is_known():
    deficits, more, pulls = sums([[3.0]])
    parts = parts_of(DEFAULT_RULE, judge_of(sf.Evidence(), UNKNOWN, 1), UNKNOWN, 1, np.zeros(0))
    state = with_second_names(new_state(parts, extra=1)._replace(deficits=deficits, more=more), parts.noise)
    update_margins(state, parts.noise, 0, pulls[0])
    assert state.margins[0, 0] == 0.5
    state.pooled[:, 0] = 1.0, 30.0
    update_margins(state, parts.noise, 0, pulls[0])
    assert 2.5 < state.margins[0, 0] < 3.0
    assert state.tolerances[0, 0] == pytest.approx(0.1)


@pytest.mark.parametrize(("rule", "turns"), [("pandora", [16, 64, 256]), ("thompson", [116, 164, 356])])
def test_variances_are_pooled_after_a_few_results_beyond_the_first_round_and_then_ever_more_seldom(rule, turns):
    """The default rule opens arms as it needs them and has no first round; others evaluate each arm once before.

    What comes beyond the first round is four times as much at each next time: it takes a look at every arm.
    """
    search = sf.Search(UNKNOWN, [str(arm) for arm in range(100)], rule=rule)
    values = np.random.default_rng(3).normal(0.0, 1.0, turns[-1] + 40).tolist()
    pooled, found = 0.0, []
    for number, value in enumerate(values):
        search.fold(number // 2 % 100, (value,))
        search.choose(number + 1)
        if search._state.pooled[VARIANCE, 0] != pooled:
            pooled = search._state.pooled[VARIANCE, 0]
            found.append(number + 1)
    assert found == turns


@pytest.mark.parametrize("rule", [sf.Pandora(), pytest.param(sf.Thompson(), marks=pytest.mark.full)])
def test_compiled_as_interpreted_and_as_a_search(rule):
    """Beyond the second pooling; a search asked one at a time pulls the same where the rule draws nothing."""
    arms = sf.gaussian_arms(np.linspace(-0.6, 0.1, 12)[:, None], 1.0)
    cell = Cell(sf.Instance.of(UNKNOWN, arms), rule, sf.Evidence(), 1, 600, 5)
    plain, fast = run_once(cell), run_once(cell, engine="compiled")
    assert plain[:2] == fast[:2]
    assert np.array_equal(plain[2], fast[2])
    assert len(plain[2]) > next_pooling(12, first_pooling(12, 12))
    if isinstance(rule, sf.Pandora):
        rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(5, spawn_key=(0,))))
        search = sf.Search(
            UNKNOWN, [str(arm) for arm in range(12)], rule=rule, stopping=sf.Evidence(), seed=seed_from(rng)
        )
        results = np.zeros(1)
        for arm in plain[2].tolist():
            assert search.ask() == str(arm)
            arms.draw(rng, arm, results)
            search.tell(str(arm), {"a": results[0]})


def test_a_restored_search_goes_on_as_if_nothing_had_happened():
    names = [str(arm) for arm in range(8)]
    rng = np.random.default_rng(2)
    whole, state = sf.Search(UNKNOWN, names), {}
    for step in range(200):
        if step == 60:
            state = {key: value.copy() for key, value in whole.state().items()}
            restored = sf.Search(UNKNOWN, names)
            restored.restore(state)
        arm = whole.ask()
        value = float(rng.normal(-0.1 * int(arm), 1.0))
        whole.tell(arm, {"a": value})
        if state:
            assert restored.ask() == arm
            restored.tell(arm, {"a": value})
    assert all(np.array_equal(value, restored.state()[key]) for key, value in whole.state().items())


def test_an_unknown_scale_costs_little_among_many_arms():
    """With three results an arm the arms' own spreads tell nothing."""
    means = np.full((400, 1), -0.8)
    means[200] = 0.8
    needed = [
        run_cell(
            Cell(
                sf.Instance.of(sf.problem_of([f"a >= 0 ~ 0.1 : {noise}"], 0.05), sf.gaussian_arms(means, 1.0)),
                sf.Pandora(),
                sf.Evidence(),
                300,
                50_000,
                1,
            )
        ).pulls.mean()
        for noise in ("normal(1)", "normal")
    ]
    assert needed[1] < 1.12 * needed[0]


@pytest.mark.parametrize("thresholds", [["a >= 0 : normal"], ["a >= 0 : normal @ x", "b >= 0 : normal @ y"]])
def test_pooling_brings_no_arm_into_play_that_is_decided_or_has_no_result(thresholds):
    """All that have results are scored anew; who was accepted or rejected before is not asked for again."""
    search = sf.Search(sf.problem_of(thresholds, 0.1, goal="all"), [str(arm) for arm in range(60)])
    rng, decided_when_pooled, pooled = np.random.default_rng(9), 0, 0.0
    while (arm := search.ask()) is not None:
        measured = ("a",) if len(thresholds) == 1 else ("a",) if search.wanted == ("x",) else ("b",)
        mean = 3.0 if int(arm) % 2 else -3.0
        search.tell(arm, dict.fromkeys(measured, mean + rng.normal()))
        state = search._state
        leaves = state.board[state.board.shape[0] // 2 :, SCORE][:60]
        out = (state.decisions != KEEP) | (state.pulls == 0)
        assert np.array_equal(leaves == -np.inf, out)
        if state.pooled[VARIANCE, 0] != pooled:
            pooled, decided_when_pooled = state.pooled[VARIANCE, 0], int((state.decisions != KEEP).sum())
            assert (state.pulls == 0).any() or decided_when_pooled
    assert decided_when_pooled > 2
