"""A search told from outside: it asks, it is told, it never loses count, and it refuses what is no result."""

import re
from math import inf, log, nan
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import IncompleteRule, InvalidProblem, InvalidResult, UnknownName
from satisfice.noise.half_normal import total_needed_normal
from satisfice.rules import RULES
from satisfice.rules.protocol import RESCORED_PER_CHOICE
from satisfice.search import choose
from satisfice.search.state import LAST, UNSCORED

PROBLEM = sf.problem_of(
    ["latency <= 100 ~ 5 : normal(10)", "passed >= 0.5 ~ 0.1 : bernoulli", "share >= 1 : bounded(0, 4)"], 0.1
)
GOOD = {"latency": 60.0, "passed": 1, "share": 3.0}
BAD = {"latency": 110.0, "passed": 0, "share": 0.5}


def answered(search, results):
    """Ask and tell until there is a verdict; `results` of each arm never change."""
    order = []
    while (arm := search.ask()) is not None:
        order.append(arm)
        search.tell(arm, results[arm])
        assert len(order) < 10_000
    return order


@pytest.mark.parametrize("rule", RULES)
def test_found(rule):
    search = sf.Search(PROBLEM, ["a", "b", "c"], rule=RULES[rule]())
    order = answered(search, {"a": BAD, "b": GOOD, "c": BAD})
    assert order[:3] == ["a", "b", "c"] or rule == "pandora", "each once, unless the rule says when"
    assert (search.verdict.outcome, search.verdict.arm) == ("FOUND", "b")
    assert search.verdict.evaluations == len(order)
    told = f"FOUND  b   {len(order)} evaluations   wrong with probability at most 10 %"
    assert str(search.verdict) == f"{told} if {search.verdict.condition}"
    assert search.ask() is None


@pytest.mark.parametrize("rule", RULES)
def test_none(rule):
    search = sf.Search(PROBLEM, ["a", "b"], rule=RULES[rule]())
    order = answered(search, {"a": BAD, "b": BAD | {"latency": 130.0}})
    assert (search.verdict.outcome, search.verdict.arm) == ("NONE", None)
    assert order.count("b") < order.count("a")


@pytest.mark.parametrize("rule", RULES)
def test_to_ask_again_before_there_is_a_result_is_the_same_ask(rule):
    search = sf.Search(PROBLEM, ["a", "b", "c"], rule=RULES[rule]())
    asked = set()
    for number in range(1, 30):
        arm = search.ask()
        assert (search.ask(), search.asks) == (arm, number)
        search.tell(arm, GOOD | {"latency": 101.0})
        asked.add(arm)
    assert asked == {"a", "b", "c"}


@pytest.mark.parametrize("arms", [3, 200])
def test_before_the_first_result_nothing_waits_for_a_score(arms):
    """Of rules that draw, with few configurations and with many; each result then leaves one that waits, at most."""
    search = sf.Search(sf.problem_of(["x >= 0 : normal(1)"]), [str(arm) for arm in range(arms)], rule="thompson")
    assert search._state.counts[UNSCORED] == search._state.unscored.sum() == 0
    for arm in range(3):
        search.fold(arm, (0.1,))
        search.choose(arm)
        assert search._state.counts[UNSCORED] == search._state.unscored.sum()


@pytest.mark.parametrize("unscored", [[], [70], [70, 150], [3], [3, 70]])
def test_arms_with_new_results_are_drawn_beside_those_whose_turn_it_is(unscored, monkeypatch):
    drawn = []
    monkeypatch.setattr(choose, "redraw", lambda rule, state, rng, arm: drawn.append(arm) or 0.0)
    state = SimpleNamespace(pulls=np.ones(200), unscored=np.zeros(200, dtype=int), counts=np.zeros(20, dtype=int))
    state.unscored[unscored] = 1
    state.counts[UNSCORED] = len(unscored)
    state.counts[LAST] = unscored[-1] if unscored else 199
    choose.draw_some(None, state, None, 0)
    assert drawn == [*range(RESCORED_PER_CHOICE), *(arm for arm in unscored if arm >= RESCORED_PER_CHOICE)]


@pytest.mark.parametrize("rule", RULES)
def test_results_may_come_before_they_are_asked_for(rule):
    """Past results of one arm, told first: the others are still asked for, and rejected arms are not."""
    search = sf.Search(PROBLEM, ["a", "b", "c"], rule=RULES[rule]())
    for _ in range(500):
        search.tell("b", BAD)
    assert search.ask() == "a"
    order = answered(search, {"a": BAD, "b": BAD, "c": BAD | {"latency": 120.0}})
    assert search.verdict.outcome == "NONE"
    assert "b" not in order
    assert search.verdict.evaluations == 500 + len(order)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"latency": nan}, "Expected a finite number for 'latency' (normal(10)), got nan"),
        ({"latency": -inf}, "Expected a finite number for 'latency' (normal(10)), got -inf"),
        ({"latency": "60"}, "Expected a finite number for 'latency' (normal(10)), got '60'"),
        ({"latency": None}, "Expected a finite number for 'latency' (normal(10)), got None"),
        ({"latency": True}, "Expected a finite number for 'latency' (normal(10)), got True"),
        ({"passed": 0.5}, "Expected 0 or 1 for 'passed' (bernoulli), got 0.5"),
        ({"passed": "yes"}, "Expected 0 or 1 for 'passed' (bernoulli), got 'yes'"),
        ({"share": 4.5}, "Expected a number from 0 to 4 for 'share' (bounded(0, 4)), got 4.5"),
        ({"share": -0.1}, "Expected a number from 0 to 4 for 'share' (bounded(0, 4)), got -0.1"),
        ({"share": nan}, "for 'share' (bounded(0, 4)), got nan"),
    ],
)
def test_what_is_no_result_is_refused_and_nothing_recorded(change, sentence):
    search = sf.Search(PROBLEM, ["a", "b"])
    search.tell("a", GOOD)
    before = search.statuses()[0], search.verdict
    with pytest.raises(InvalidResult, match=re.escape(sentence) + ".* Nothing was recorded"):
        search.tell("a", GOOD | change)
    assert (search.statuses()[0], search.verdict) == before


@pytest.mark.parametrize("value", [2e150, -1e200, 10**160])
def test_results_too_large_to_compute_with_are_refused(value):
    search = sf.Search(sf.problem_of(["a >= 0"]), ["x"])
    sentence = "Expected a number of at most 1e+150 in size, small enough to compute with (use a larger unit) for 'a'"
    with pytest.raises(InvalidResult, match=re.escape(sentence) + ".* Nothing was recorded"):
        search.tell("x", {"a": value})
    search.tell("x", {"a": 1e150})
    assert search.verdict.evaluations == 1


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("noise", [0.0, 0.1])
def test_results_whose_squares_underflow_decide_nothing(sign, noise):
    """The sum of squares of 1e-163 has lost its digits, or is zero: nothing is known about the spread."""
    rng = np.random.default_rng(1)
    for size, decided in ((1e-163, False), (1e-140, True)):
        search = sf.Search(sf.problem_of(["a >= 0 : normal"], 0.1), ["x", "y"])
        for place in (0, 1) * 200:
            search.fold(place, (sign * size * (1 + noise * rng.standard_normal()),))
        assert (search.outcome is not sf.Outcome.UNDECIDED) is decided
        assert all(status.means[0] == pytest.approx(sign * size, rel=0.05) for status in search.statuses())


@pytest.mark.parametrize("rule", [sf.MultiTUCB, sf.MultiTUCB(), "multitucb", "satisfice.rules.multitucb:MultiTUCB"])
@pytest.mark.parametrize("stopping", [sf.AlphaBoundary, "alpha", "satisfice.stopping.boundary:AlphaBoundary"])
def test_rules_as_values_classes_names_and_paths(rule, stopping):
    search = sf.Search(PROBLEM, ["a", "b"], rule=rule, stopping=stopping)
    assert (search.rule, search.stopping) == (sf.MultiTUCB(), sf.AlphaBoundary())
    order = answered(search, {"a": BAD, "b": GOOD})
    assert order == answered(
        sf.Search(PROBLEM, ["a", "b"], rule=sf.MultiTUCB(), stopping=sf.AlphaBoundary()), {"a": BAD, "b": GOOD}
    )


class FirstComeFirstServed(NamedTuple):
    """A rule as a user would write it, in a module of their own."""

    patience: float = 1.0

    def bonus(self, pulls, setting):
        return -self.patience * pulls

    def priority(self, shortfall, excess, bonus):
        return bonus


def test_a_rule_of_ones_own_by_its_path():
    search = sf.Search(PROBLEM, ["a", "b"], rule=f"{__name__}:FirstComeFirstServed")
    assert search.rule == FirstComeFirstServed()
    with pytest.raises(UnknownName, match=f"No sampling rule can be imported from '{__name__}:Nobody'"):
        sf.Search(PROBLEM, ["a", "b"], rule=f"{__name__}:Nobody")
    with pytest.raises(IncompleteRule, match="A sampling rule must be a NamedTuple with at least one field"):
        sf.Search(PROBLEM, ["a", "b"], rule=dict)


def test_a_missing_metric_is_named():
    search = sf.Search(PROBLEM, ["a"])
    with pytest.raises(
        InvalidResult, match=r"for each of latency, passed, share, but 'passed' is missing. Nothing was rec"
    ):
        search.tell("a", {"latency": 1.0, "share": 1.0})
    assert search.verdict.evaluations == 0


def test_results_of_numpy_and_truths_are_results():
    search = sf.Search(PROBLEM, ["a"])
    search.tell("a", {"latency": np.float32(60), "passed": True, "share": np.int64(3)})
    search.tell("a", {"latency": 70, "passed": np.bool_(False), "share": 3.0})
    assert search.statuses()[0].means == (65.0, 0.5, 3.0)


def test_unknown_arms_and_arms_that_cannot_be_told_apart():
    search = sf.Search(PROBLEM, ["small", "large"])
    with pytest.raises(UnknownName, match=r"No arm is called 'lage'. Did you mean 'large'\?"):
        search.tell("lage", GOOD)
    for arms in ([], ["a", "a"]):
        with pytest.raises(InvalidProblem, match="Expected at least one arm and different names for all, got"):
            sf.Search(PROBLEM, arms)


def test_statuses_are_in_the_metrics_own_units():
    search = sf.Search(PROBLEM, ["a", "b"])
    search.tell("a", GOOD)
    search.tell("a", GOOD | {"latency": 80.0})
    told, untold = search.statuses()
    half = 10 * total_needed_normal(2, log(2 / PROBLEM.error_rate)) / 2
    assert told.pulls == 2
    assert told.means == pytest.approx((70.0, 1.0, 3.0))
    assert told.intervals[0] == pytest.approx((70.0 - half, 70.0 + half))
    for (low, high), mean, (least, most) in zip(told.intervals[1:], told.means[1:], [(0, 1), (0, 4)], strict=True):
        assert least <= low <= mean <= high <= most
        assert high - low > 0.5
    assert untold.pulls == 0
    assert untold.intervals == ((-inf, inf),) * 3


def test_zeros_have_a_mean_of_zero_whatever_they_are_compared_with():
    for limit, count in ((0.02, 3), (0.1, 7), (3.7, 11)):
        search = sf.Search(sf.problem_of([f"lost <= {limit} ~ 0.01 : normal(1)"], 0.05), ["a", "b"])
        for _ in range(count):
            search.tell("a", {"lost": 0.0})
        assert search.statuses()[0].means == (0.0,)
    search.tell("b", {"lost": 1e-9})
    assert search.statuses()[1].means[0] == pytest.approx(1e-9, rel=1e-5), "a small mean is a mean"


@pytest.mark.parametrize("stopping", ["transfer", "evidence"])
def test_the_p_value_reaches_what_is_allowed_when_an_arm_is_accepted(stopping) -> None:
    """Whatever capital it holds: right before, it is above that by no more than one result can change."""
    search = sf.Search(sf.problem_of(["x >= 0 : normal(1)"], 0.05), ["a", "b", "c"], stopping=stopping)
    before = 1.0
    while (arm := search.ask()) is not None:
        before = search.verdict.guess.p_value if search.verdict.guess else 1.0
        search.tell(arm, {"x": 0.4 if arm == "b" else -0.4})
    allowed = 0.05 * (1 - search.stopping.reject_share)
    assert search.verdict.arm == "b"
    assert allowed < before < 1.3 * 0.05
