"""What a study costs: declared or reported, counted once, and all of it in the log."""

import json
from math import nan
from typing import Any

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import EvaluationFailed, InvalidResult, OtherStudy, StudyStopped
from tests.helpers.money import COSTS, same_from_the_log, spend
from tests.helpers.parts import Clock, finish, results_of, study_in


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


def test_who_merely_reads_a_log_of_learned_costs_lends_the_same(tmp_path: Any) -> None:
    """Who asks keeps scores, who reads does not: what capital is lent by may not hang on them."""
    rng, names = np.random.default_rng(0), [f"c{number}" for number in range(12)]
    where = f"sqlite:///{tmp_path / 'study.db'}"
    study = sf.create_study(names, ["x <= 0 ~ 0.05 : normal(1)"], cost="usd", storage=where, seed=0)
    means, prices = rng.normal(0.3, 0.3, 12), rng.lognormal(0.0, 1.5, 12)
    for number in range(1, 401):
        pull = study.ask()
        if pull is None:
            break
        arm = names.index(pull.config)
        study.tell(pull, {"x": rng.normal(means[arm], 1.0), "usd": prices[arm] * rng.lognormal(0.0, 0.1)})
        if number % 20 == 0:
            assert sf.load_study(where).statuses() == study.statuses()
