"""The goal: what may be given, when the question is answered, in which words, and how few pulls can do."""

from itertools import combinations
from math import inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

import satisfice as sf
from satisfice.errors import InvalidInstance, InvalidProblem
from satisfice.planning.scenarios import SCENARIOS, chosen_scenarios
from satisfice.problem.goal import OPEN, OUT_OF_REACH, REACHED, Goal, answer_to, checked_goal, sought
from satisfice.problem.units import Setting
from satisfice.search.verdict import OUTCOMES
from satisfice.stopping import judge_of
from satisfice.stopping.evidence import EvidenceJudge
from satisfice.stopping.transfer import TransferJudge
from satisfice.theory.information import Needs, needs

LIMIT = ["a >= 0 ~ 0.5 : normal(1)"]


def asking(goal, arms, thresholds=LIMIT, **given):
    return sf.Search(sf.problem_of(thresholds, 0.05, goal=goal), [f"arm {place}" for place in range(arms)], **given)


def told(search, means, budget=100_000):
    """Each result is the arm's mean to the digit: what passes is clear, and how long it takes too."""
    places = {name: place for place, name in enumerate(search.arm_names)}
    while search.verdict.evaluations < budget and (name := search.ask()) is not None:
        search.tell(name, {"a": means[places[name]]})
    return search.verdict


@pytest.mark.parametrize(
    ("given", "goal"),
    [("any", Goal.ANY), ("all", Goal.ALL), (Goal.ALL, Goal.ALL), (1, Goal.ANY), (3, 3), (np.int64(2), 2)],
)
def test_a_goal_is_a_word_or_a_number(given, goal):
    problem = sf.problem_of(LIMIT, goal=given)
    assert (problem.goal, type(problem.goal)) == (goal, type(goal))
    assert sf.Problem(problem.metrics, goal=given) == problem


@pytest.mark.parametrize(
    "given",
    [
        0,
        -1,
        2.5,
        3.0,
        True,
        False,
        None,
        "some",
        "3",
        "ANY",
        [1],
        float("nan"),
        pytest.param(-(10**5000), id="very long"),
        np.float64(2),
    ],
)
def test_anything_else_gets_a_sentence(given):
    with pytest.raises(InvalidProblem, match=r"'any' .* 'all' .* whole number of 1 or more, got "):
        sf.problem_of(LIMIT, goal=given)


@pytest.mark.parametrize("goal", [4, 10**9, pytest.param(10**5000, id="very long")])
def test_no_more_can_be_asked_for_than_there_are(goal):
    problem = sf.problem_of(LIMIT, goal=goal)
    means = [[1.0], [1.0], [-1.0]]
    instance = sf.Instance.of(problem, sf.gaussian_arms(means, 1.0))
    for use in (
        lambda: sf.Search(problem, ["a", "b", "c"]),
        lambda: sf.simulate(problem, instance.arms, repetitions=1),
        lambda: sf.plan(problem, 3, repetitions=1),
        lambda: sf.theory.bounds(problem, means),
    ):
        with pytest.raises(InvalidProblem, match=r"there are only 3 to choose from\. Ask for 3 at most, or for 'all'"):
            use()


def test_in_words():
    assert [sought(goal) for goal in (Goal.ANY, 3, Goal.ALL)] == [
        "any configuration",
        "3 configurations",
        "all configurations",
    ]


@given(st.integers(1, 8).flatmap(lambda arms: st.tuples(st.just(arms), st.integers(1, arms), st.integers(0, arms))))
def test_the_answer_comes_as_soon_as_it_must(numbers):
    """For every way to go on: once it is there it stays, and before that both answers are possible."""
    arms, wanted, accepted = numbers
    asked = Setting(arms, 1, 0.05, 1.0, wanted)
    for undecided in range(arms - accepted + 1):
        answer = answer_to(asked, accepted, undecided)
        ends = {answer_to(asked, accepted + more, 0) for more in range(undecided + 1)}
        assert ends <= {REACHED, OUT_OF_REACH}
        assert ({answer} if answer != OPEN else {REACHED, OUT_OF_REACH}) == ends


def test_to_classify_all_nothing_may_be_left():
    every = Setting(3, 1, 0.05, 1.0, find_all=True)
    assert [answer_to(every, accepted, 1) for accepted in range(3)] == [OPEN] * 3
    assert [answer_to(every, accepted, 0) for accepted in range(4)] == [OUT_OF_REACH, REACHED, REACHED, REACHED]
    assert [OUTCOMES[code] for code in (OPEN, REACHED, OUT_OF_REACH)] == list(
        map(sf.Outcome, ("UNDECIDED", "FOUND", "NONE"))
    )


class TestSearch:
    def test_as_many_as_were_asked_for_are_found(self):
        verdict = told(asking(2, 5), [1.0, -1.0, 1.5, 0.8, 0.9])
        assert verdict.outcome is sf.Outcome.FOUND
        assert len(verdict.accepted) == verdict.wanted == 2
        assert verdict.arm == verdict.accepted[0]
        assert set(verdict.accepted) <= {"arm 0", "arm 2", "arm 3", "arm 4"}
        assert verdict.ended_by == "2 others passed"
        assert str(verdict).startswith(
            f"FOUND  {', '.join(verdict.accepted)}   {verdict.evaluations} evaluations   wrong"
        )

    def test_fewer_pass(self):
        """It ends before all arms are decided: two are left that might pass."""
        verdict = told(asking(4, 6), [-1.0, 1.5, -1.0, -1.2, -0.45, -0.45])
        assert (verdict.outcome, verdict.arm, verdict.guess) == (sf.Outcome.NONE, None, None)
        assert verdict.accepted == ("arm 1",)
        assert len(verdict.rejected) == 3
        assert str(verdict).startswith("NONE  fewer than 4 pass (arm 1 does)   ")
        assert verdict.ended_by == "too many others failed"

    def test_an_accepted_arm_is_not_pulled_again(self):
        search = asking(3, 4)
        pulls = {}
        while (name := search.ask()) is not None:
            assert name not in search.verdict.accepted
            search.tell(name, {"a": 1.0})
            pulls[name] = pulls.get(name, 0) + 1
        assert sorted(pulls.values())[-3:] == [pulls[search.verdict.arm]] * 3

    def test_with_one_it_is_any(self):
        means = [-1.0, 0.5, 1.0, -0.2]
        assert told(asking(1, 4), means) == told(asking("any", 4), means)

    def test_of_all_it_ends_with_the_first_that_fails(self):
        verdict = told(asking(3, 3), [1.0, -3.0, 1.0])
        assert (verdict.outcome, verdict.rejected) == (sf.Outcome.NONE, ("arm 1",))
        assert told(asking("all", 3), [1.0, -3.0, 1.0]).outcome is sf.Outcome.FOUND

    def test_until_then_it_says_what_there_is(self):
        search = asking(2, 3)
        verdict = told(search, [2.0, 0.0, -0.2], budget=40)
        assert (verdict.outcome, verdict.accepted) == (sf.Outcome.UNDECIDED, ("arm 0",))
        assert verdict.guess.arm == "arm 1", "what is closest is one that is still open"
        assert str(verdict).startswith("UNDECIDED  1 of 2 so far: arm 0   40 evaluations   closest: arm 1 (")
        every = told(asking("all", 3), [2.0, 0.0, -0.2], budget=40)
        assert str(every).startswith("UNDECIDED  1 so far: arm 0   40 evaluations   closest: arm 1 (")

    def test_capital_is_moved_to_find_one_alone(self):
        kinds = [type(judge_of(sf.TransferredEvidence(), asking(goal, 3).problem, 3)) for goal in ("any", 2, "all")]
        assert kinds == [TransferJudge, EvidenceJudge, EvidenceJudge]


def rule_out_by_program(times: list[float], missing: int) -> float:
    """The least sum of pulls such that any `missing` of the arms together have gathered one unit of information."""
    arms = len(times)
    rows = [
        [-1.0 / times[arm] if arm in chosen else 0.0 for arm in range(arms)]
        for chosen in combinations(range(arms), missing)
    ]
    return linprog(np.ones(arms), A_ub=np.array(rows), b_ub=-np.ones(len(rows))).fun


class TestTheory:
    MEANS = ([1.0], [-0.5], [2.0], [-1.0], [0.5])

    def needs(self, goal, means=MEANS) -> Needs:
        return needs(sf.problem_of(["a >= 0 : normal(1)"], 0.1, goal=goal), means)

    def test_to_find_several_takes_the_cheapest(self):
        times = {"arm 2": 2 / 2.0**2, "arm 0": 2 / 1.0**2, "arm 4": 2 / 0.5**2}
        for count in (1, 2, 3):
            assert self.needs(count).characteristic_time() == pytest.approx(sum(list(times.values())[:count]))
            assert self.needs(count).to_rule_out() is None
        assert self.needs(4).to_find() is None

    def test_one_too_few_are_ruled_out_one_by_one(self):
        assert self.needs(4).characteristic_time() == pytest.approx(2 / 0.5**2 + 2 / 1.0**2)
        assert self.needs(5).characteristic_time() == pytest.approx(2 / 1.0**2)  # the cheapest of two

    @given(st.lists(st.floats(0.2, 3.0), min_size=1, max_size=6), st.data())
    def test_fewer_are_ruled_out_as_a_linear_program_would(self, gaps, data):
        good = data.draw(st.integers(0, 2))
        missing = data.draw(st.integers(1, len(gaps)))
        means = [[1.0]] * good + [[-gap] for gap in gaps]
        expected = rule_out_by_program([2 / gap**2 for gap in gaps], missing)
        assert self.needs(good + missing, means).to_rule_out() == pytest.approx(expected, rel=1e-6)

    def test_one_right_answer(self):
        entropy = 0.8 * log(9)
        assert self.needs(3).proven_limit() == pytest.approx((0.5 + 2 + 8) * entropy)
        assert self.needs(4).proven_limit() == pytest.approx(10 * entropy)
        with pytest.raises(InvalidInstance, match="one right answer"):
            self.needs(2).proven_limit()

    def test_the_papers_bounds_are_about_one_arm(self):
        bounds = sf.theory.bounds(sf.problem_of(["a >= 0.1 : normal(1)"], goal=2), [[0.5], [0.6], [0.05]])
        assert (bounds.upper_bound, bounds.lower_bound_as_printed, bounds.corollary_slope) == (None, None, None)
        assert "looks for any one arm" in bounds.reason("upper_bound")
        assert bounds.practical_limit is not None

    def test_the_oracle_names_the_easiest_or_rules_out_enough(self):
        def floor(goal, means):
            problem = sf.problem_of(["a >= 0 : normal(1)"], 0.05, goal=goal)
            return sf.oracle_floor(sf.Instance.of(problem, sf.gaussian_arms(means, 1.0)), repetitions=2000)

        two = floor(2, [[0.5], [-1.0], [0.6], [0.2]])
        assert (two.answer, two.arm) == (sf.Outcome.FOUND, "3, 1")
        apart = [floor("any", [[mean]]) for mean in (0.5, 0.6)]
        assert two.mean == pytest.approx(sum(each.mean for each in apart), rel=0.05)
        few = floor(3, [[0.5], [-1.0], [-0.2], [-0.5]])
        assert (few.answer, few.arm) == (sf.Outcome.NONE, None)
        failing = [floor("any", [[mean]]) for mean in (-1.0, -0.5)]
        assert few.mean == pytest.approx(sum(each.mean for each in failing), rel=0.05)


def test_scenarios_of_a_plan_go_by_the_goal():
    def names(goal):
        return chosen_scenarios(sf.problem_of(LIMIT, goal=goal), 9)

    counted = {"enough clearly pass", "enough just pass", "one too few clearly pass"}
    assert not counted & set(names("any"))
    assert counted <= set(names(3)) <= set(SCENARIOS)
    assert len(names(2)) == len(names(3)) - 1  # one too few is one


@pytest.mark.full
def test_a_plan_for_several():
    made = sf.plan(LIMIT, 6, goal=2, repetitions=20, scenarios=["enough clearly pass", "one clearly passes"])
    enough, few = made.scenarios
    assert (enough.runs.found, few.runs.none) == (1.0, 1.0)
    assert made.as_dict()["goal"] == 2
    assert enough.limit is not None
    assert enough.limit < inf
    assert checked_goal(made.as_dict()["goal"]) == 2
