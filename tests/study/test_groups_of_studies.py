"""Studies whose metrics are measured in groups: what is asked, told, recorded, verified, refused and shown."""

import asyncio
import random

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import DamagedLog, InvalidProblem, InvalidResult, InvalidSpec, UnknownName
from satisfice.study.events import Kind, sealed
from satisfice.study.state import arrays_of, restore
from satisfice.study.verify import ReplayChecker

THRESHOLDS = [
    "x >= 0 ~ 0.1 : bounded(-3, 3) @ cheap",
    "y >= 0 ~ 0.1 : bounded(-3, 3) @ dear",
    "z <= 1 : normal(1) @ dear",
]
MEASURED = {"cheap": ("x",), "dear": ("y", "z")}
MEANS = {"a": (1.5, 1.5, 0.0), "b": (-1.5, 1.5, 0.0), "c": (1.5, -1.5, 0.0)}


def results_of(pull):
    """Of the group that is asked for, the same for the same pull."""
    rng = np.random.default_rng([pull.number, pull.arm_number])
    drawn = np.clip(np.array(MEANS[pull.name]) + rng.normal(size=3), -3, 3)
    values = dict(zip("xyz", drawn.tolist(), strict=True))
    return {name: values[name] for group in pull.groups for name in MEASURED[group]}


def study_of(**more):
    return sf.create_study(list(MEANS), THRESHOLDS, cost={"cheap": 1, "dear": 30}, **more)


def finished(study, at_once=1, seed=1):
    """Ask for so many at a time, and tell them in any order."""
    order, open_pulls = random.Random(seed), []
    while True:
        open_pulls += study.ask(at_once - len(open_pulls))
        if not open_pulls:
            return study
        pull = open_pulls.pop(order.randrange(len(open_pulls)))
        study.tell(pull if order.random() < 0.5 else pull.id, results_of(pull))


@pytest.mark.parametrize("at_once", [1, 12])
def test_a_study_in_groups_ends_and_verifies(tmp_path, at_once):
    url = f"sqlite:///{tmp_path}/groups.db"
    study = finished(study_of(storage=url), at_once)
    assert (study.outcome, study.verdict().arm) == ("FOUND", "a")
    assert sf.verify(url).ok
    asked = [event.content for event in study.events() if event.kind == Kind.ASKED]
    assert {tuple(one["groups"]) for one in asked} == {("cheap",), ("dear",)}
    again = sf.load_study(url)
    assert again.statuses() == study.statuses()
    assert again.view().cost == study.view().cost
    made = list(study.evaluations())
    assert sum(one.cost for one in made) == study.view().cost.spent
    for one in made:
        assert {name for name, value in one.results.items() if value is not None} == {
            name for group in one.groups for name in MEASURED[group]
        }
    assert not any(one.config == "b" and one.groups == ("dear",) for one in made) or at_once > 1


def test_each_config_and_group_has_its_own_numbers():
    study = finished(study_of())
    numbers: dict = {}
    for one in study.evaluations():
        numbers.setdefault((one.config, one.groups), []).append(one.arm_number)
    assert all(each == list(range(len(each))) for each in numbers.values())
    assert len(numbers) >= 4


def test_results_that_come_late_are_folded_in_the_order_of_each_line():
    study = study_of()
    first, second = study.ask(2)
    study.tell(second, results_of(second))
    held = study.ask(6)
    same = [pull for pull in held if (pull.name, pull.groups) == (first.name, first.groups)]
    for pull in same:
        study.tell(pull, results_of(pull))
    assert study.counts().held == len(same)
    study.tell(first, results_of(first))
    assert study.counts().held == 0


def test_a_snapshot_and_a_replay_are_the_same(tmp_path):
    study = study_of()
    for _ in range(30):
        pull = study.ask()
        study.tell(pull, results_of(pull))
    open_pulls = study.ask(4)
    state = study._durable.seen()
    copied = type(state)(study.spec)
    restore(copied, arrays_of(state))
    assert {name: array.tobytes() for name, array in arrays_of(copied).items()} == {
        name: array.tobytes() for name, array in arrays_of(state).items()
    }
    assert [pull.group for pull in copied.open.values()] == [
        study.spec.groups.index(pull.groups[0]) for pull in open_pulls
    ]


def replayed(study, groups):
    """Verify the log of a study in which every ask is for these groups."""
    checker, head = ReplayChecker("study", None, False), ""
    for event in study.events():
        content = dict(event.content) | ({"groups": groups} if event.kind == Kind.ASKED else {})
        forged = sealed(head, event.position, event.kind, content)
        head = forged.digest
        checker.take(forged)


def test_another_group_than_the_rule_chooses_is_found_by_verify():
    study = study_of()
    study.ask()
    replayed(study, ["cheap"])
    with pytest.raises(DamagedLog, match=r"asks for config and group \d, where the rule chooses \d"):
        replayed(study, ["dear"])


@pytest.mark.parametrize("groups", [[], ["other"], ["cheap", "dear"], "cheap", [3]])
def test_groups_that_cannot_be_are_found_by_verify(groups):
    study = study_of()
    study.ask()
    with pytest.raises(DamagedLog):
        replayed(study, groups)


def test_bad_results_get_a_sentence_and_nothing_is_recorded():
    study = study_of()
    pull = study.ask()
    assert pull.groups == ("cheap",)
    for pulled in (pull, pull.id):
        with pytest.raises(InvalidResult, match=r"Expected results of the group 'cheap' alone \(x\).*'y' of the group"):
            study.tell(pulled, {"x": 1.0, "y": 1.0})
        with pytest.raises(InvalidResult, match="but 'x' is missing"):
            study.tell(pulled, {"w": 1.0})
    assert study.counts().told == 0
    study.tell(pull.id, {"x": 1.0})
    study.tell(pull.id, {"x": 1.0})  # the same again is harmless
    assert study.counts().told == 1


def test_a_failure_counts_as_the_worst_of_its_own_group():
    study = study_of(on_error="worst", worst={"z": 5.0})
    pull = study.ask()
    study.fail(pull, "no luck")
    (one,) = study.evaluations()
    assert one.results == {"x": -3.0, "y": None, "z": None}
    assert study.status(pull.name).results == (1, 0, 0)


def test_run_with_a_function_that_is_told_the_groups_and_with_one_for_each():
    def evaluate(name, groups):
        x, y, z = MEANS[name]
        assert len(groups) == 1
        return {"cheap": {"x": x}, "dear": {"y": y, "z": z}}[groups[0]]

    each = {group: lambda name, group=group: evaluate(name, (group,)) for group in MEASURED}
    asyncs = {group: _awaited(one) for group, one in each.items()}
    verdicts = [study_of().run(one) for one in (evaluate, each)]
    verdicts.append(asyncio.run(study_of().arun(asyncs)))
    assert {verdict.arm for verdict in verdicts} == {"a"}
    assert len({verdict.evaluations for verdict in verdicts}) == 1


def _awaited(function):
    async def evaluate(config):
        return function(config)

    return evaluate


def test_functions_that_cannot_be_are_refused_before_anything_is_asked():
    study = study_of()
    with pytest.raises(InvalidSpec, match=r"expected a function evaluate\(config, groups\)"):
        study.run(lambda config: {})
    with pytest.raises(UnknownName, match="No group is called 'daer'"):
        study.run({"cheap": len, "daer": len})
    with pytest.raises(InvalidSpec, match="a function for each group, and 'dear' has none"):
        study.run({"cheap": len})
    with pytest.raises(InvalidSpec, match="all `async def`, or all plain"):
        study.run({"cheap": lambda config: {}, "dear": _awaited(len)})
    with pytest.raises(InvalidSpec, match="functions by group are for studies whose thresholds have groups"):
        sf.create_study(["a"], ["x >= 0"]).run({"cheap": len})
    assert study.counts().asked == 0


def test_costs_by_group_are_checked():
    with pytest.raises(UnknownName, match="No group is called 'a'"):
        sf.create_study(list(MEANS), THRESHOLDS, cost={"cheap": 1, "a": 2})
    with pytest.raises(InvalidProblem, match="a cost for each group, and 'dear' has none"):
        sf.create_study(list(MEANS), THRESHOLDS, cost={"cheap": 1})
    with pytest.raises(InvalidProblem, match="A metric that evaluations report is the cost of all groups"):
        sf.create_study(list(MEANS), THRESHOLDS, cost={"cheap": 1, "dear": "usd"})
    with pytest.raises(InvalidProblem, match="do not steer a study whose metrics are measured in groups"):
        sf.create_study(list(MEANS), THRESHOLDS, warm_start=study_of())


def test_reported_costs_are_learned_for_each_group():
    study = sf.create_study(list(MEANS), THRESHOLDS, cost="usd")
    while (pull := study.ask()) is not None:
        study.tell(pull, results_of(pull) | {"usd": 1.0 if pull.groups == ("cheap",) else 30.0})
    search = study._durable.seen().search
    assert (search.costs.expected(0), search.costs.expected(1)) == (1.0, 30.0)
    assert study.view().cost.spent == sum(one.cost for one in study.evaluations())


def test_a_budget_of_money_looks_at_the_group():
    study = study_of(max_cost=40.0)
    while (pull := study.ask()) is not None:
        study.tell(pull, results_of(pull))
    assert study.view().cost.spent <= 40.0
    assert study.view().cost.is_spent


def test_explanations_say_what_was_not_measured():
    study = finished(study_of())
    assert study.explain("b").text.endswith(
        "not measured: y, z; its evaluations cost " + study.explain("b").text.split()[-1]
    )
    assert "not measured" not in study.explain("a").text


def test_results_of_a_pull_are_called_by_its_group_or_once_it_is_settled_by_their_number():
    study = study_of()
    plain = sf.create_study(["a"], ["x >= 0 : normal(1)", "y >= 0 : normal(1)"])
    assert plain.measured_names(plain.ask(), 2) == ("x", "y")
    asked = {}
    while len(asked) < 2:
        pull = study.ask()
        if asked.setdefault(pull.groups, pull) is not pull:
            study.tell(pull, results_of(pull))
    for (group,), pull in asked.items():
        assert study.measured_names(pull, 1) == study.measured_names(pull.id, 2) == MEASURED[group]
        study.tell(pull, results_of(pull))
        assert [study.measured_names(pull, count) for count in (1, 2, 3)] == [("x",), ("y", "z"), ("x",)]
