"""What a study costs: declared or reported, counted once, limited by a budget, and all of it in the log."""

import json
import sqlite3
from math import nan
from typing import Any

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import (
    EvaluationFailed,
    InvalidProblem,
    InvalidResult,
    InvalidSpec,
    OtherStudy,
    SatisficeError,
    StudyStopped,
    UnknownName,
)
from satisfice.study.events import canonical, digest_of
from satisfice.study.state import StudyState
from tests.helpers.parts import Clock, endless, finish, results_of, study_in

COSTS = {"slow": 0.5, "lossy": 2.0, "good": 10.0}


def with_usd(pull: sf.Pull) -> dict[str, float]:
    return results_of(pull) | {"usd": COSTS[pull.name.split()[0]] * (1 + pull.arm_number % 3)}


def spend(study: sf.Study, most: int = 10**6) -> int:
    """Ask and tell as long as anything is given out."""
    made = 0
    while made < most and (pull := study.ask()) is not None:
        study.tell(pull, with_usd(pull) if study.spec.reported else results_of(pull))
        made += 1
    return made


def same_from_the_log(study: sf.Study) -> bool:
    """Whether the state of a study is what its events lead to."""
    state = StudyState(study.spec)
    for event in study.events():
        state.apply(event)
    view = study.view()
    return state.ledger.so_far(state.policy.max_cost, view.cost.is_spent) == view.cost


def test_declared_costs(storage: Any) -> None:
    study = study_in(storage, cost=COSTS)
    finish(study)
    view = study.view()
    assert view.cost.by_config == tuple(COSTS[name] * pulls for name, pulls in view.evaluations.items())
    assert view.cost.spent == sum(view.cost.by_config)
    assert (view.cost.metric, view.cost.estimated, view.cost.most, view.cost.is_spent) == (None, 0, None, False)
    assert view.expected_cost("lossy") == 2.0
    assert all("cost" not in event.content for event in study.events() if event.kind == "told")
    assert json.loads(next(iter(study.events())).body)["spec"]["cost"] == {"slow": 0.5, "lossy": 2.0, "good": 10.0}
    assert sf.verify(storage).ok


def test_reported_costs(storage: Any) -> None:
    study = study_in(storage, cost="usd")
    spend(study)
    told = [event.content["cost"] for event in study.events() if event.kind == "told"]
    view = study.view()
    assert view.cost.spent == pytest.approx(sum(told))
    assert sum(view.evaluations.values()) == len(told)
    own = [one.cost for one in study.evaluations() if one.config == "good"]
    assert view.expected_cost("good") == pytest.approx(np.mean(own))
    assert same_from_the_log(study)
    assert sf.verify(storage).ok


def test_expressions_of_parameters() -> None:
    study = sf.create_study(
        sf.grid(tokens=[10, 1000], gpus=[1, 4]), ["speed >= 1"], cost="0.01 * tokens + gpus", storage="memory"
    )
    assert study.spec.costs.by_config == pytest.approx((1.1, 4.1, 11.0, 14.0))
    asked = [study.ask().parameters["tokens"] for _ in range(4)]
    assert asked == [10, 10, 1000, 1000]


def test_the_cost_is_part_of_the_question(storage: Any) -> None:
    study_in(storage, cost="usd")
    assert study_in(storage, cost="usd", load_if_exists=True).spec.cost == "usd"
    for other in (None, "eur", 3.0, COSTS):
        with pytest.raises(OtherStudy, match='cost is "usd" there and'):
            study_in(storage, cost=other, load_if_exists=True)


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


def test_failed_and_lost_evaluations_cost(storage: Any) -> None:
    clock = Clock()
    study = study_in(storage, cost=2.5, on_error="retry", clock=clock)
    study.fail(study.ask(), "a flake")
    assert study.view().cost.spent == 2.5
    study.release(study.ask())
    assert study.view().cost.spent == 2.5
    study.ask(worker="lost")
    clock.now += 61
    pull = study.ask()
    assert study.view().cost.spent == 5.0
    study.tell(pull, results_of(pull))
    assert study.view().cost.spent == 7.5
    assert [one.cost for one in study.evaluations()] == [2.5, 2.5]
    assert sf.verify(storage).ok


def test_failures_may_say_what_they_cost(storage: Any) -> None:
    study = study_in(storage, cost="usd", on_error="retry")
    study.fail(study.ask(), "a flake", cost=0.25)
    study.fail(study.ask(), "another")
    assert (study.view().cost.spent, study.view().cost.estimated) == (0.5, 1)
    pull = study.ask()
    study.tell(pull, results_of(pull) | {"usd": 1.25})
    assert study.view().cost.spent == 1.75
    assert str(study.view().cost) == "about 1.75 usd"
    assert [one.cost for one in study.evaluations()] == [0.25, None, 1.25]
    with pytest.raises(InvalidResult, match="as one number of 0 or more"):
        study.fail(study.ask(), "odd", cost=-1.0)
    assert same_from_the_log(study)
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


def failing(cost: Any) -> Any:
    def evaluate(config: str) -> dict[str, float]:
        raise EvaluationFailed("no answer", cost=cost)

    return evaluate


@pytest.mark.parametrize(("cost", "spent", "estimated"), [(0.5, 1.5, 0), (None, 0.0, 3), (nan, 0.0, 3), ("1", 0.0, 3)])
def test_evaluations_that_raise_may_say_what_they_cost(cost: Any, spent: float, estimated: int) -> None:
    study = study_in("memory", cost="usd", on_error="retry")
    with pytest.raises(StudyStopped):
        study.run(failing(cost))
    assert (study.view().cost.spent, study.view().cost.estimated) == (spent, estimated)


def test_a_result_that_is_ruled_out_has_its_cost() -> None:
    study = study_in("memory", cost="usd", on_error="worst", worst={"speed": -1.0})
    study.run(lambda config: {"speed": 1.0, "loss": 7.0, "usd": 0.5}, max_evaluations=4)
    assert (study.counts().failed, study.view().cost.spent) == (4, 2.0)


@pytest.mark.parametrize(
    ("usd", "sentence"),
    [(None, "Expected 'usd' among the results"), (nan, "got nan"), (-1, "got -1"), ("0.1", "got '0.1'"), ([1], "got ")],
)
def test_a_result_without_a_cost_is_refused_and_nothing_is_lost(storage: Any, usd: Any, sentence: str) -> None:
    study = study_in(storage, cost="usd", on_error="worst", worst={"speed": -1.0})
    spend(study, 3)
    before = study.view()
    pull = study.ask()
    with pytest.raises(InvalidResult, match=sentence):
        study.tell(pull, results_of(pull) | ({} if usd is None else {"usd": usd}))
    with pytest.raises(StudyStopped, match="That is no result and counts for nothing"):
        study.run(
            lambda pull: results_of(pull) | ({} if usd is None else {"usd": usd}), with_pull=True, max_evaluations=5
        )
    assert study.view().cost == before.cost
    assert study.counts().told == 3
    study.tell(pull, results_of(pull) | {"usd": 1})
    assert study.view().cost.spent == before.cost.spent + 1.0
    assert sf.verify(storage).ok


def test_a_cost_that_is_also_limited_is_recorded_once_more(storage: Any) -> None:
    study = sf.create_study(["a", "b"], ["usd <= 1 ~ 0.1 : bounded(0, 9)"], cost="usd", storage=storage)
    study.tell(study.ask(), {"usd": 0.5})
    assert study.view().cost.spent == 0.5
    assert sf.verify(storage).ok


def test_pairs_cost_what_both_cost() -> None:
    study = sf.create_study(
        ["new"], ["seconds <= baseline + 5% : normal(1)"], baseline="old", cost="usd", storage="memory"
    )
    pull = study.ask()
    with pytest.raises(InvalidResult, match="Expected 'usd' among the results of the baseline"):
        study.tell(pull, {"seconds": 1.0, "usd": 2.0}, {"seconds": 1.0})
    study.tell(pull, {"seconds": 1.0, "usd": 2.0}, {"seconds": 1.0, "usd": 3.0})
    assert study.view().cost.spent == 5.0


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
        assert again.ask().name == study.ask().name or again.counts().asked == study.counts().asked
    assert same_from_the_log(study)
    assert sf.verify(sqlite).ok


def rewritten(path: str, change: Any) -> None:
    """Change events and seal them all anew, as a forger would."""
    base = sqlite3.connect(path.removeprefix("sqlite:///"))
    head = ""
    rows = base.execute("SELECT position, kind, body FROM satisfice_events ORDER BY position").fetchall()
    for position, kind, body in rows:
        content = json.loads(body)
        change(kind, content)
        text = canonical(content)
        head = digest_of(head, position, kind, text)
        base.execute("UPDATE satisfice_events SET body = ?, digest = ? WHERE position = ?", (text, head, position))
    base.execute("UPDATE satisfice_studies SET head_digest = ?", (head,))
    base.commit()
    base.close()


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
    rewritten(sqlite, change)
    found = sf.verify(sqlite)
    assert not found.ok
    assert sentence in " ".join(found.problems)


def test_tables_have_the_costs() -> None:
    study = study_in("memory", cost="usd")
    spend(study, 5)
    frame = study.to_dataframe()
    assert frame["evaluation_cost"].tolist() == [one.cost for one in study.evaluations()]
    assert "evaluation_cost" not in study_in("memory").to_dataframe().columns


def test_why_tells_what_it_cost() -> None:
    study = study_in("memory", cost="usd")
    spend(study)
    spent = study.view().cost.by_config[2]
    assert study.explain("good").text.endswith(f"; its evaluations cost {spent:,.4g} usd")
