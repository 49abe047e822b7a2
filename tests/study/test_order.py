"""Order-safety (theory of late results): evidence depends on the order of asking, never on the order of arriving."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

import satisfice as sf
from satisfice.study.state import StudyState, arrays_of
from tests.helpers.parts import results_of, study_in

EXAMPLE = runpy.run_path(str(Path(__file__).parent.parent.parent / "examples" / "late_results.py"))
arrivals, false_accepts, LIMIT = EXAMPLE["arrivals"], EXAMPLE["false_accepts"], EXAMPLE["LIMIT"]


@settings(max_examples=25)
@given(order=st.permutations(range(40)), cut=st.integers(1, 40))
def test_any_order_of_telling_gives_the_same_evidence(order: list[int], cut: int) -> None:
    in_turn, shuffled = study_in(), study_in()
    for pull in in_turn.ask(40):
        in_turn.tell(pull, results_of(pull))
    pulls = shuffled.ask(40)
    shuffled.exchange([(pulls[place], results_of(pulls[place])) for place in order[:cut]])
    for place in order[cut:]:
        shuffled.tell(pulls[place], results_of(pulls[place]))
    assert shuffled.statuses() == in_turn.statuses()
    assert shuffled.verdict() == in_turn.verdict()


@settings(max_examples=25)
@given(order=st.permutations(range(30)))
def test_where_capital_moves_each_config_still_has_a_line_of_its_own(order: list[int]) -> None:
    """It moves when configs are asked for: what comes back in whatever order leads to the same state."""
    given = {"thresholds": ["speed >= 1 : normal(1)", "loss <= 0.2 ~ 0.05 : bernoulli"], "stopping": "transfer"}
    in_turn, shuffled = study_in(**given), study_in(**given)
    for pull in in_turn.ask(30):
        in_turn.tell(pull, results_of(pull))
    pulls = shuffled.ask(30)
    for place in order:
        shuffled.tell(pulls[place], results_of(pulls[place]))
    assert shuffled.statuses() == in_turn.statuses()
    assert shuffled.verdict().accepted == in_turn.verdict().accepted


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), most=st.integers(1, 30))
def test_a_replay_asks_the_same_and_ends_the_same(seed: int, most: int) -> None:
    """Any number of pulls under way, results in any order: the log leads to the same state, bit for bit."""
    rng = np.random.default_rng(seed)
    study = study_in(seed=seed)
    waiting: list[sf.Pull] = []
    while study.outcome is sf.Outcome.UNDECIDED:
        waiting += study.ask(int(rng.integers(0, most - len(waiting) + 1)))
        if waiting:
            pull = waiting.pop(int(rng.integers(len(waiting))))
            study.tell(pull, results_of(pull, seed))
    replay = StudyState(study.spec, judge=lambda event: None)
    for event in study.events():
        replay.apply(event)
        if event.kind == "asked":
            assert replay.chosen == event.content["arm"]
    assert {key: value.tobytes() for key, value in arrays_of(replay).items()} == {
        key: value.tobytes() for key, value in arrays_of(study._durable.seen()).items()
    }


def test_early_arrivals_wait_and_are_counted() -> None:
    study = study_in(configs=["one"])
    pulls = study.ask(4)
    results = {"speed": 1.0, "loss": 0.0}
    for place, held in ((3, 1), (1, 2), (2, 3)):
        study.tell(pulls[place], results)
        assert (study.counts().held, study.counts().folded) == (held, 0)
    study.tell(pulls[0], results)
    assert (study.counts().held, study.counts().folded) == (0, 4)


def test_durations_that_depend_on_the_result_do_no_harm_in_ask_order() -> None:
    runs = 60
    assert binomtest(false_accepts(runs, 256, in_ask_order=True), runs).proportion_ci(0.999).low <= 0.05


def test_the_same_in_the_order_of_arrival_would_accept_the_bad_arm() -> None:
    """The proof that the test above can fail."""
    runs = 20
    assert binomtest(false_accepts(runs, 256, in_ask_order=False), runs).proportion_ci(0.999).low > 0.05


@pytest.mark.full
def test_durations_that_depend_on_the_result_do_no_harm_in_many_runs() -> None:
    runs = 2000
    assert binomtest(false_accepts(runs, 256, in_ask_order=True), runs).proportion_ci(0.999).low <= 0.05


def test_a_study_with_256_pulls_under_way_is_not_fooled_by_quick_good_results() -> None:
    """The same through a study: its limit is clearly broken, and the quick results alone would say the contrary."""
    for run in range(3):
        study = sf.create_study(["bad"], [LIMIT], storage="memory", seed=run)
        pulls: list[sf.Pull] = []
        quick = []
        for number, result in arrivals(np.random.default_rng([8, run]), 104.0, 256, 600):
            pulls += study.ask(number + 1 - len(pulls)) if number >= len(pulls) else []
            if number < len(pulls):
                quick.append(result)
                study.tell(pulls[number], {"latency_ms": result})
        assert np.mean(quick[:40]) < 95.0
        assert study.verdict().outcome is not sf.Outcome.FOUND
