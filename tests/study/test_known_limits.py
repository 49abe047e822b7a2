"""Limits on parameters: checked when a study is created, at no cost, with those who miss them out."""

import random

import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem, InvalidSpec
from satisfice.stopping import judge_of
from satisfice.study.known_limits import in_words

CONFIGS = {f"m{number}": {"price": 10 * number, "kind": "a" if number % 2 else "b"} for number in range(12)}
LATENCY = "latency <= 100 ~ 5 : normal(20)"


def evaluate(config: dict[str, object]) -> dict[str, float]:
    return {"latency": random.Random(int(config["price"])).gauss(85.0, 20.0)}


def test_who_misses_them_is_out_before_anything_is_run(tmp_path) -> None:
    url = f"sqlite:///{tmp_path}/study.db"
    with sf.create_study(CONFIGS, ["price <= 40", "kind == a", LATENCY], storage=url) as study:
        assert study.problem.metric_names == ("latency",)
        assert in_words(study.spec.known, study.spec.configs) == (
            "7 of 12 configurations fail price <= 40 before anything is run",
            "6 of 12 configurations fail kind == a before anything is run",
        )
        assert set(CONFIGS) - set(study.spec.ruled_out) == {"m1", "m3"}
        verdict = study.run(evaluate)
        assert verdict.outcome is sf.Outcome.FOUND
        assert {each.config for each in study.evaluations()} <= {"m1", "m3"}
        assert study.explain("m9").text == "rejected before anything was run: price is 90"
        assert study.explain("m6").text == "rejected before anything was run: price is 60 and kind is 'b'"
    assert sf.verify(url).ok
    with sf.create_study(CONFIGS, ["price <= 40", "kind == a", LATENCY], storage=url, load_if_exists=True) as again:
        assert again.verdict() == verdict
    with pytest.raises(sf.errors.OtherStudy, match="known is"):
        sf.create_study(CONFIGS, ["price <= 50", "kind == a", LATENCY], storage=url, load_if_exists=True)


def test_the_error_rate_is_shared_by_the_others() -> None:
    with_limit = sf.create_study(CONFIGS, ["price <= 40", LATENCY]).spec.search()
    alone = judge_of(with_limit.stopping, sf.problem_of([LATENCY]), 5)
    assert with_limit._parts.judge.dealt == alone.dealt


def test_where_all_miss_them_there_is_none_at_once(tmp_path) -> None:
    url = f"sqlite:///{tmp_path}/study.db"
    with sf.create_study(CONFIGS, ["price <= -1", LATENCY], storage=url) as study:
        assert study.verdict().outcome is sf.Outcome.NONE
        assert study.ask() is None
    assert sf.verify(url).ok


@pytest.mark.parametrize(("goal", "accepted"), [("all", 5), (3, 3)])
def test_several_may_be_wanted(goal: str | int, accepted: int) -> None:
    verdict = sf.create_study(CONFIGS, ["price <= 40", LATENCY], goal=goal).run(
        lambda config: {"latency": random.gauss(60.0, 20.0)}
    )
    assert (verdict.outcome, len(verdict.accepted)) == (sf.Outcome.FOUND, accepted)


def test_more_than_are_left_cannot_be_found() -> None:
    assert sf.create_study(CONFIGS, ["price <= 10", LATENCY], goal=3).verdict().outcome is sf.Outcome.NONE


@pytest.mark.parametrize("rule", ["pandora", "murphy", "thompson"])
def test_no_rule_asks_for_them(rule: str) -> None:
    study = sf.create_study(CONFIGS, ["price <= 40", LATENCY], rule=rule)
    asked = {pull.config["price"] for _ in range(40) if (pull := study.ask()) is not None}
    assert asked <= {0, 10, 20, 30, 40}


def test_what_is_declared_noisy_is_measured() -> None:
    study = sf.create_study(CONFIGS, ["price <= 40 : normal(5)"])
    assert (study.spec.known, study.problem.metric_names) == ((), ("price",))


def test_with_groups_and_costs_they_are_out_too() -> None:
    study = sf.create_study(
        CONFIGS, ["price <= 40", f"{LATENCY} @ timed", "size <= 3 : exact @ static"], cost="price + 1"
    )
    assert all(pull.config["price"] <= 40 for pull in study.ask(20))


@pytest.mark.parametrize(
    ("thresholds", "error", "message"),
    [
        (["price <= 40"], InvalidSpec, "there is nothing to evaluate: m0, m1, m2, m3, m4 pass"),
        (["price <= -1"], InvalidSpec, "there is nothing to evaluate: no configuration passes"),
        (["kind <= 4", LATENCY], InvalidSpec, "kind of 'm0' is 'b': give it a number"),
        (["price <= 40 ~ 2", LATENCY], InvalidProblem, "price <= 42 : exact"),
    ],
)
def test_what_makes_no_sense_is_refused(thresholds: list[str], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        sf.create_study(CONFIGS, thresholds)


def test_a_parameter_that_only_some_have_is_not_guessed_about() -> None:
    with pytest.raises(InvalidSpec, match="'price' is a parameter of 1 of 2 configurations"):
        sf.create_study({"a": {"price": 1}, "b": {}}, ["price <= 40", LATENCY])
    assert sf.create_study({"a": {"price": 1}, "b": {}}, ["price <= 40 : exact"]).problem.measured == ("price",)


def test_a_plan_is_for_those_that_are_left() -> None:
    made = sf.plan(
        ["price <= 40", "kind == a", "size <= 3 : exact", LATENCY],
        CONFIGS,
        scenarios=["one clearly passes"],
        repetitions=2,
        engine="interpreted",
    )
    assert (made.configs, made.problem.metric_names) == (2, ("size", "latency"))
    with pytest.raises(InvalidProblem, match="No configuration passes price <= -1"):
        sf.plan(["price <= -1", LATENCY], CONFIGS)
