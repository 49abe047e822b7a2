"""When a budget ends: p-values of the best guess hold whenever that is, and going on afterwards costs nothing."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.theory.gaps import Standing, standings
from tests.helpers.edge_cases import ACCEPT_NULLS, LAWS, Edge, check_rate

RATES = (0.2, 0.05)


def check_p_values(case: Edge, *, low_ones: bool = False) -> None:
    """P(p <= x and the guess fails) <= x for every x: a run that accepted an arm had a p-value as low as that.

    At a time fixed beforehand evidence is far from using up what holds at all times; but some p-values must be low.
    """
    result = case.result()
    known = standings(case.problem(), case.means()).standings
    failing = np.array([standing is Standing.FAILING for standing in known])
    guesses = result.record.guesses
    assert ((guesses >= 0) | ~result.timed_out).all()
    for rate in RATES:
        low = np.nan_to_num(result.p_values, nan=1.0) <= rate
        check_rate((low & failing[guesses]) | result.wrong, rate)
        assert low.any() or not low_ones or rate < 0.2


@pytest.mark.parametrize("law", ["normal", "unknown scale", "coins", "extremes"])
@pytest.mark.parametrize("shape", [("e",), ("e", "e", "g")])
def test_p_values(law, shape):
    """At an error rate so small that the budget ends all runs; the guess is made after looking at all arms."""
    case = Edge(LAWS[law], shape, sf.Evidence(), error_rate=0.001, budget=400, runs=1500)
    check_p_values(case, low_ones=shape == ("e",))


@pytest.mark.full
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("shape", ACCEPT_NULLS)
@pytest.mark.parametrize("budget", [12, 60, 1000])
def test_p_values_at_length(law, shape, budget):
    check_p_values(Edge(LAWS[law], ACCEPT_NULLS[shape], sf.Evidence(), error_rate=0.001, budget=budget, runs=3000))


@pytest.mark.full
@pytest.mark.parametrize("law", ["normal", "coins"])
@pytest.mark.parametrize("judge", [sf.AlphaBoundary(), sf.TransferredEvidence()])
def test_p_values_of_other_stopping_rules(judge, law):
    rule = sf.MultiTUCB() if isinstance(judge, sf.AlphaBoundary) else sf.Pandora()
    for shape in ACCEPT_NULLS.values():
        check_p_values(Edge(LAWS[law], shape, judge, rule, error_rate=0.001, budget=300, runs=2000))


class Tape:
    """A search that is fed from arms, each from a stream of its own: results do not depend on who asks when."""

    def __init__(self, case: Edge, seed: int) -> None:
        self.case, self.seed = case, seed
        self.arms = case.instance().arms
        self.names = [f"arm {place}" for place in range(len(case.shape))]
        self.streams = [np.random.default_rng([seed, place]) for place in range(len(self.names))]
        self.search = self.new_search()
        self.asked: list[str] = []

    def new_search(self) -> sf.Search:
        return sf.Search(
            self.case.problem(), self.names, rule=self.case.rule, stopping=self.case.stopping, seed=self.seed
        )

    def go_on(self, budget: int) -> None:
        """Up to so many evaluations in all."""
        names = self.case.problem().metric_names
        results = np.empty(len(names))
        while len(self.asked) < budget and (name := self.search.ask()) is not None:
            self.asked.append(name)
            place = self.names.index(name)
            self.arms.draw(self.streams[place], place, results)
            self.search.tell(name, dict(zip(names, results.tolist(), strict=True)))

    def wake_up(self) -> None:
        """A new search takes over the state, as after the night."""
        state = {key: value.copy() for key, value in self.search.state().items()}
        self.search = self.new_search()
        self.search.restore(state)


@pytest.mark.parametrize("goal", ["any", "all"])
@pytest.mark.parametrize("law", ["normal", "unknown scale", "coins"])
@pytest.mark.parametrize(
    ("stopping", "rule"),
    [
        (sf.AlphaBoundary(), sf.MultiHDoC()),
        (sf.Evidence(), sf.Pandora()),
        (sf.Evidence(), sf.Thompson()),
        (sf.TransferredEvidence(), sf.Murphy()),
    ],
)
def test_a_continued_search_is_the_uninterrupted_one(stopping, rule, law, goal):
    """UNDECIDED at 40 evaluations, then at 41, 90 and 200, then on to the end: the same asks, evidence and verdict."""
    if isinstance(stopping, sf.AlphaBoundary) and law == "unknown scale":
        pytest.skip("needs a scale")
    if isinstance(stopping, sf.TransferredEvidence) and (law == "unknown scale" or goal == "all"):
        pytest.skip("is refused")
    case = Edge(LAWS[law]._replace(tolerance=LAWS[law].far / 2), ("fh", "gg", "ee"), stopping, rule, goal=goal)
    whole, resumed = Tape(case, 5), Tape(case, 5)
    whole.go_on(600)
    for budget in (40, 41, 90, 200, 600):
        resumed.go_on(budget)
        resumed.wake_up()
    assert resumed.asked == whole.asked
    assert resumed.search.verdict == whole.search.verdict
    for key, value in whole.search.state().items():
        assert np.array_equal(value, resumed.search.state()[key]), key


@pytest.mark.full
@pytest.mark.parametrize("law", ["normal", "unknown scale", "coins"])
def test_going_on_until_something_is_found(law):
    """Who goes on with a larger budget as long as nothing is found is wrong no more often than who never stopped."""
    wrong = []
    for seed in range(400):
        tape = Tape(Edge(LAWS[law], ("e",), sf.Evidence()), seed)
        for budget in (10, 30, 100, 300, 600):
            tape.go_on(budget)
            tape.wake_up()
        wrong.append(tape.search.outcome is sf.Outcome.FOUND)
    check_rate(np.array(wrong), 0.2, tight=True)
