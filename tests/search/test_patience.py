"""Results that can decide nothing are not looked at: for how long, and what that leaves in the state."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.search.earlier import Earlier
from satisfice.search.live_patience import MOST_RESULTS, Patience
from satisfice.search.state import UNSCORED


def looked_away(patience: Patience, results: float, within: float) -> int:
    """How many results of one metric, all the same, there is room for."""
    count = 0
    while patience.has_room_for([results], [within]):
        count += 1
    return count


@pytest.mark.parametrize(
    ("within", "below", "deficit", "count"),
    [
        ((0.01, 0.0), (0.005, 0.0), 0.0, 100),  # each adds a hundredth at most, whatever it is
        ((0.0, 0.125), (0.0, 0.0), -2.0, 4),  # a passing one an eighth for each unit
        ((0.0, 0.125), (0.0, 0.0), 2.0, MOST_RESULTS),  # which a failing one does not
        ((0.0, 0.0), (0.0, 0.25), 0.5, 8),
        ((0.0, 0.0), (0.0, 0.25), -0.5, MOST_RESULTS),
        ((0.0625, 0.125), (0.0, 0.0), -0.5, 16),
    ],
)
def test_there_is_room_until_what_results_may_add_is_spent(within, below, deficit, count):
    assert looked_away(Patience([within], [below], [0.0]), deficit, deficit) == count


def test_what_passes_by_the_tolerance_adds_to_the_evidence_too():
    assert looked_away(Patience([(0.0, 0.125)], [(0.0, 0.0)], [1.0]), -1.0, -1.0) == 4


@pytest.mark.parametrize("arms", [3, 200])
def test_before_the_first_result_nothing_waits_for_a_score(arms):
    """Of rules that draw, with few configurations and with many; each result then leaves one that waits, at most."""
    search = sf.Search(sf.problem_of(["x >= 0 : normal(1)"]), [str(arm) for arm in range(arms)], rule="thompson")
    assert search._state.counts[UNSCORED] == search._state.unscored.sum() == 0
    for arm in range(3):
        search.fold(arm, (0.1,))
        search.choose(arm)
        assert search._state.counts[UNSCORED] == search._state.unscored.sum()


@pytest.mark.parametrize("steered", [False, True])
def test_results_that_decide_nothing_wait_unless_earlier_ones_steer_the_search(steered):
    """After a few results of a coin that is far from decided the next ones are not looked at one by one."""
    said = Earlier(np.full((2, 1), 0.5), np.zeros((2, 1)), np.full((2, 1), 4)) if steered else None
    search = sf.Search(sf.problem_of(["x >= 0.5 : bernoulli"], 0.01), ["a", "b"], stopping=sf.Evidence(), earlier=said)
    waited = 0
    for number in range(30):
        search.fold(0, (float(number % 2),), scored=False)
        waited += 0 in search._absorb._waiting
    assert (waited > 5) is not steered
