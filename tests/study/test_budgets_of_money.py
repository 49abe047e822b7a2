"""A budget of money: kept by every ask, part of the log, and a log with other costs or another budget is noticed."""

import sqlite3
from math import nan
from typing import Any

import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem, InvalidSpec, SatisficeError, UnknownName
from tests.helpers.forging import resealed
from tests.helpers.money import COSTS, same_from_the_log, spend, with_usd
from tests.helpers.parts import Clock, endless, results_of, study_in


def test_money_ends_a_study_and_more_money_goes_on(storage: Any) -> None:
    study = study_in(storage, cost=COSTS, max_cost=30)
    made = spend(study)
    view = study.view()
    assert view.outcome == "UNDECIDED"
    assert 30 - 10 < view.cost.spent <= 30
    assert view.cost.is_spent
    assert [one for one in view.warnings if "no further evaluation is started: the study has cost" in one]
    assert study.ask() is None
    assert study.counts().asked == made
    study.change_policy(max_cost=1000)
    assert not study.view().cost.is_spent
    assert spend(study) > 0
    assert study.verdict().arm == "good"
    assert [event.content["policy"]["max_cost"] for event in study.events() if event.kind == "policy"] == [1000.0]
    assert sf.verify(storage).ok


@pytest.mark.parametrize("rule", ["pandora", "murphy", "thompson", "multitucb"])
def test_a_refused_ask_leaves_no_trace(rule: str) -> None:
    """With more arms than a drawn rule rescores for one choice: else a log would not verify."""
    given = {"number": 70, "rule": rule, "cost": {f"good {place}": 1.0 + place / 70 for place in range(70)}}
    whole, halting = endless("memory", **given), endless("memory", **given)
    for study, steps in ((whole, [160.0]), (halting, [1.5, 90.0, 90.2, 130.1, 160.0])):
        for most in steps:
            study.change_policy(max_cost=most)
            while (pull := study.ask()) is not None:
                study.tell(pull, results_of(pull))
            for _ in range(3):
                assert study.ask() is None
                assert study.view().cost.is_spent
    order = [[event.content["arm"] for event in study.events() if event.kind == "asked"] for study in (whole, halting)]
    assert order[0] == order[1]
    assert len(order[0]) > 100


def test_what_is_under_way_is_spent_already() -> None:
    study = study_in("memory", cost=1.0, max_cost=7.0)
    assert len(study.ask(100)) == 7
    assert study.ask() is None


def test_until_a_cost_is_known_evaluations_are_made_one_at_a_time() -> None:
    study = study_in("memory", cost="usd", max_cost=20.0)
    first = study.ask(5)
    assert len(first) == 1
    assert study.ask(5) == []
    study.tell(first[0], results_of(first[0]) | {"usd": 4.0})
    assert len(study.ask(100)) == 4
    assert len(study_in("memory", cost="usd").ask(5)) == 5


def test_the_first_worker_is_lost_before_any_cost_is_known(storage: Any) -> None:
    clock = Clock()
    study = study_in(storage, cost="usd", max_cost=20.0, clock=clock)
    lost = study.ask(worker="lost")
    clock.now += 61
    again = study.ask()
    assert (again.number, again.attempt) == (lost.number, 1)
    assert study.ask() is None
    study.tell(again, results_of(again) | {"usd": 3.0})
    assert study.view().cost.estimated == 1
    assert sf.verify(storage).ok


def test_reissued_pulls_want_money_too() -> None:
    clock = Clock()
    study = study_in("memory", cost=4.0, max_cost=7.0, clock=clock)
    study.ask(worker="lost")
    clock.now += 61
    assert study.ask() is None
    assert study.view().cost.is_spent
    study.change_policy(max_cost=8.0)
    clock.now += 2
    assert study.ask().attempt == 1


def test_a_run_within_a_budget() -> None:
    calls = []

    def evaluate(pull: sf.Pull) -> dict[str, float]:
        calls.append(pull)
        return with_usd(pull)

    study = study_in("memory", cost="usd")
    verdict = study.run(evaluate, max_cost=40.0, workers=4, with_pull=True)
    assert verdict.outcome == "UNDECIDED"
    assert len(calls) == study.counts().told
    assert study.view().policy.max_cost == 40.0
    assert 10 < study.view().cost.spent < 60
    assert study.run(evaluate, max_cost=10_000.0, with_pull=True).arm == "good"


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        ({"max_cost": 5}, InvalidSpec, "max_cost = 5 limits what the study costs, and nothing says what"),
        ({"cost": 1, "max_cost": -1}, InvalidSpec, "max_cost must be a number, 0 or more"),
        ({"cost": 1, "max_cost": nan}, InvalidSpec, "max_cost must be a number"),
        ({"cost": 1, "max_cost": "5"}, InvalidSpec, "max_cost must be a number"),
        ({"cost": 0}, InvalidProblem, "The cost must be a number of more than 0"),
        (
            {"cost": "2 * tokens"},
            UnknownName,
            "No parameter of 'slow', for the cost '2 \\* tokens', is called 'tokens'",
        ),
        ({"cost": {"slow": 1}}, InvalidProblem, "'lossy' has none"),
        ({"cost": object()}, InvalidProblem, "The cost must be a number"),
    ],
)
def test_what_makes_no_sense_is_refused(given: dict[str, Any], error: type[SatisficeError], sentence: str) -> None:
    with pytest.raises(error, match=sentence):
        study_in("memory", **given)


def test_money_cannot_be_limited_later_where_nothing_costs() -> None:
    with pytest.raises(InvalidSpec, match="nothing says what an evaluation costs"):
        study_in("memory").change_policy(max_cost=3)
    with pytest.raises(InvalidSpec, match="nothing says what an evaluation costs"):
        study_in("memory").run(lambda config: {}, max_cost=3)


def test_no_money_at_all() -> None:
    study = study_in("memory", cost=1.0, max_cost=0)
    assert study.ask() is None
    assert study.run(lambda config: {}).outcome == "UNDECIDED"


def test_a_long_study_opens_from_its_snapshot(sqlite: str) -> None:
    study = endless(sqlite, cost="usd", max_cost=10**6)
    while study.view().position < 2200:
        pulls = study.ask(50)
        study.exchange([(pull, results_of(pull) | {"usd": 1.0 + pull.number % 7}) for pull in pulls])
    with sf.load_study(sqlite) as again:
        assert again.view().cost == study.view().cost
        assert again.view().expected_cost("good 1") == study.view().expected_cost("good 1")
        again.ask()
    assert same_from_the_log(study)
    assert sf.verify(sqlite).ok


def lower_budget(kind: str, content: dict[str, Any]) -> None:
    if kind == "created":
        content["spec"]["max_cost"] = 5.0


def other_costs(kind: str, content: dict[str, Any]) -> None:
    if kind == "told":
        content["cost"] = content["cost"] * 3


def no_cost(kind: str, content: dict[str, Any]) -> None:
    if kind == "told":
        content.pop("cost")


def odd_cost(kind: str, content: dict[str, Any]) -> None:
    if kind == "told":
        content["cost"] = -1.0


def declared(kind: str, content: dict[str, Any]) -> None:
    if kind == "created":
        content["spec"]["cost"] = 1.0


def odd_spec(kind: str, content: dict[str, Any]) -> None:
    if kind == "created":
        content["spec"]["cost"] = [1]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lower_budget, "expected to cost more than is left of the budget of 5"),
        (other_costs, "more than is left of the budget"),
        (no_cost, "has a cost, or lacks one"),
        (odd_cost, "has 'cost' = -1.0, which cannot be"),
        (declared, "has a cost, or lacks one"),
        (odd_spec, "must be a number"),
    ],
)
def test_forged_costs_are_noticed(sqlite: str, change: Any, sentence: str) -> None:
    study = study_in(sqlite, cost="usd", max_cost=60.0)
    spend(study, 25)
    study.close()
    assert sf.verify(sqlite).ok
    base = sqlite3.connect(sqlite.removeprefix("sqlite:///"))
    with base:
        resealed(base, change)
    base.close()
    found = sf.verify(sqlite)
    assert not found.ok
    assert sentence in " ".join(found.problems)
