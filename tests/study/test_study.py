"""Asking and telling: what is recorded, what is refused, and with which words."""

import os
import subprocess
import sys
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import (
    InvalidProblem,
    InvalidResult,
    InvalidSpec,
    MissingPackage,
    OtherStudy,
    PullAlreadyTold,
    StudyExists,
    UnknownName,
    UnknownPull,
    UnknownStudy,
    UnusedMetrics,
)
from tests.helpers.parts import MEANS, Clock, finish, results_of, study_in


def test_finds_the_good_config_in_every_storage(storage: Any) -> None:
    study = study_in(storage)
    verdict = finish(study)
    assert (verdict.outcome, verdict.arm) == (sf.Outcome.FOUND, "good")
    assert study.ask() is None
    assert sf.verify(storage, "study").ok


def test_every_storage_tells_the_same_story(postgres: str, sqlite: str) -> None:
    stories = []
    for storage in (None, sqlite, postgres):
        study = study_in(storage, clock=Clock())
        verdict = finish(study)
        stories.append((verdict, [event.content for event in study.events() if event.kind in ("asked", "told")]))
        for content in stories[-1][1]:
            content.pop("worker", None)
    assert stories[0] == stories[1] == stories[2]


def test_a_second_handle_goes_on_where_the_first_one_is(storage: Any) -> None:
    first, second = study_in(storage), study_in(storage, load_if_exists=True)
    alone = finish(study_in())
    turn = 0
    while (pull := (first, second)[turn % 2].ask()) is not None:
        (second, first)[turn % 2].tell(pull, results_of(pull))
        turn += 1
    assert first.verdict() == second.verdict() == alone


def test_all_configs_can_be_classified() -> None:
    verdict = finish(study_in(goal="all"))
    assert verdict.accepted == ("good",)
    assert sorted(verdict.rejected) == ["lossy", "slow"]


@pytest.mark.parametrize("rule", ["multitucb", "thompson", sf.Murphy(), "uniform"])
def test_any_rule_and_stopping_rule(rule: Any, sqlite: str) -> None:
    thresholds = ["speed >= 1 ~ 0.1 : normal(1)", "loss <= 0.2 ~ 0.05 : bernoulli"]
    study = study_in(sqlite, thresholds=thresholds, rule=rule, stopping="alpha", error_rate=0.2)
    assert finish(study).arm == "good"
    assert sf.verify(sqlite).ok


def test_parameters_come_back_with_the_pull(storage: Any) -> None:
    configs = sf.grid(codec=["opus", "aac"], txpower=[4, 8])
    assert list(configs) == [
        "codec=opus txpower=4",
        "codec=opus txpower=8",
        "codec=aac txpower=4",
        "codec=aac txpower=8",
    ]
    study = study_in(storage, configs=configs)
    pull = study.ask()
    assert pull is not None
    assert pull.config == configs[pull.name]
    assert sf.load_study(storage).configs == configs
    assert study_in().ask().config in MEANS  # type: ignore[union-attr]


def test_batches(storage: Any) -> None:
    study = study_in(storage)
    pulls = study.ask(7)
    assert [pull.number for pull in pulls] == list(range(7))
    assert {pull.name for pull in pulls[:3]} == set(MEANS)
    more = study.exchange([(pull, results_of(pull)) for pull in reversed(pulls)], ask=2)
    assert [pull.number for pull in more] == [7, 8]
    assert study.counts() == (9, 7, 7, 0, 0, 0, 0, 2, 0, 0)


@pytest.mark.parametrize("given", [{"n": -1}, {"n": True}, {"n": 1.5}, {"max_evaluations": "many"}])
def test_numbers_of_pulls_are_whole(given: dict[str, Any]) -> None:
    with pytest.raises(InvalidSpec, match="must be a whole number"):
        study_in().ask(**given)
    assert study_in().ask(0) == []


def test_a_limit_on_evaluations_counts_all_of_them(storage: Any) -> None:
    study = study_in(storage)
    assert len(study.ask(10, max_evaluations=4)) == 4
    assert study.ask(max_evaluations=4) is None
    assert study.verdict().outcome is sf.Outcome.UNDECIDED
    assert study.ask(max_evaluations=5) is not None


def test_a_repeated_tell_is_harmless_and_another_one_refused(storage: Any) -> None:
    study = study_in(storage)
    pull = study.ask()
    assert pull is not None
    study.tell(pull, {"speed": 1.0, "loss": 0})
    study.tell(pull.id, {"speed": 1.0, "loss": 0})
    assert study.counts().told == 1
    with pytest.raises(PullAlreadyTold, match=r"Pull 0 was settled before, with the results \[1\.0, 0\.0\]"):
        study.tell(pull, {"speed": 2.0, "loss": 0})
    with pytest.raises(PullAlreadyTold):
        study.fail(pull, "no")
    assert study.counts().told == 1


def test_a_refusal_costs_no_replay(monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_in()
    pull = study.ask()
    study.tell(pull, {"speed": 1.0, "loss": 0})
    applied: list[object] = []
    monkeypatch.setattr("satisfice.study.state.StudyState.apply", lambda self, event: applied.append(event))
    for _ in range(3):
        with pytest.raises(PullAlreadyTold):
            study.tell(pull, {"speed": 2.0, "loss": 0})
    assert study.ask().number == 1
    assert applied == []


def test_threads_may_share_a_study(storage: Any) -> None:
    study = study_in(storage)

    def work() -> None:
        while (pull := study.ask()) is not None:
            study.tell(pull, results_of(pull))

    threads = [Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert study.verdict().arm == "good"
    assert sf.verify(storage).ok


def test_pulls_of_other_studies_and_of_none_are_refused(storage: Any) -> None:
    study, other = study_in(storage), study_in(storage, name="other")
    foreign, own = other.ask(), study.ask()
    assert foreign is not None
    assert own is not None
    with pytest.raises(UnknownPull, match="asked for by another study"):
        study.tell(foreign, {"speed": 1.0, "loss": 0})
    with pytest.raises(UnknownPull, match="never asked for"):
        study.tell(f"{study.identity}:5:0", {"speed": 1.0, "loss": 0})
    with pytest.raises(UnknownPull, match="given out 4 times"):
        study.tell(f"{study.identity}:0:3", {"speed": 1.0, "loss": 0})
    with pytest.raises(UnknownPull, match="or its id"):
        study.tell("nonsense", {"speed": 1.0, "loss": 0})
    assert study.counts().told == 0


@pytest.mark.parametrize(
    ("results", "said"),
    [
        ({"speed": 1.0}, "'loss' is missing"),
        ({"speed": float("nan"), "loss": 0}, "got nan"),
        ({"speed": float("inf"), "loss": 0}, "got inf"),
        ({"speed": "1", "loss": 0}, "got '1'"),
        ([1.0, 0], "mapping"),
    ],
)
def test_bad_results_are_refused_in_a_sentence_and_nothing_is_recorded(results: Any, said: str) -> None:
    study = study_in()
    first, second = study.ask(2)
    with pytest.raises(InvalidResult, match=said):
        study.exchange([(first, {"speed": 1.0, "loss": 0}), (second, results)])
    assert study.counts().told == 0
    study.tell(second, {"speed": 1.0, "loss": 0})


def test_results_that_no_limit_is_about_are_kept_and_decide_nothing(storage: Any) -> None:
    study, plain = study_in(storage), study_in()
    for one in (study, plain):
        first, second = one.ask(2)
        more = {"size": 3, "host": "a", "is_warm": np.True_, "late": 1} if one is study else {}
        one.tell(first, {"speed": 1.0, "loss": 0} | more)
        one.tell(first, {"speed": 1.0, "loss": 0} | more)
        one.tell(second, {"speed": 1.0, "loss": 0} | ({"size": 4.5} if more else {}))
        with pytest.raises(PullAlreadyTold):
            one.tell(first, {"speed": 1.0, "loss": 0, "size": 9})
    assert str(study.statuses()) == str(plain.statuses())
    assert [one.also for one in study.evaluations()] == [
        {"size": 3, "host": "a", "is_warm": 1, "late": 1},
        {"size": 4.5},
    ]
    table = study.to_dataframe()
    assert list(table["size"]) == [3, 4.5]
    assert table["late (result)"].iloc[0] == 1
    assert list(table["late"]) == [False, False]


def test_what_cannot_be_kept_beside_the_results_is_warned_of_once() -> None:
    study = study_in()
    first, second = study.ask(2)
    with pytest.warns(UnusedMetrics, match="'trace'"):
        study.tell(first, {"speed": 1.0, "loss": 0, "trace": [1, 2], "size": 3})
    study.tell(second, {"speed": 1.0, "loss": 0, "trace": [1, 2]})
    assert [one.also for one in study.evaluations()] == [{"size": 3}, {}]


def test_another_question_under_the_same_name(storage: Any) -> None:
    study_in(storage, configs={"a": {"x": 1}, "b": {"x": 2}})
    with pytest.raises(StudyExists, match="load_if_exists"):
        study_in(storage, configs={"a": {"x": 1}, "b": {"x": 2}})
    for given, said in (
        ({"configs": {"a": {"x": 1}, "c": {"x": 2}}}, "configs without 'b', with 'c'"),
        ({"configs": {"a": {"x": 1}, "b": {"x": 3}}}, "other parameters of 'b'"),
        ({"error_rate": 0.1}, r"error_rate is 0\.05 there and 0\.1 here"),
        ({"seed": 3}, "seed is 0 there and 3 here"),
        ({"thresholds": ["speed >= 2"]}, "thresholds is .*speed >= 1 ~ 0.1.* there and .*speed >= 2"),
        ({"rule": "thompson"}, "rule is .* there and .*thompson"),
    ):
        with pytest.raises(OtherStudy, match=f"asks something else: (configs )?{said.removeprefix('configs ')}"):
            study_in(
                storage,
                **{"on_error": "retry", "configs": {"a": {"x": 1}, "b": {"x": 2}}, "load_if_exists": True, **given},
            )
    study_in(storage, configs={"a": {"x": 1}, "b": {"x": 2}}, load_if_exists=True, lease_seconds=5)


def test_studies_are_found_by_name(storage: Any) -> None:
    study_in(storage, name="first")
    assert sf.load_study(storage).name == "first"
    study_in(storage, name="second")
    assert [one.name for one in sf.list_studies(storage)] == ["first", "second"]
    with pytest.raises(UnknownStudy, match=r"There are 2 studies in .*; say which one: 'first', 'second'"):
        sf.load_study(storage)
    with pytest.raises(UnknownStudy, match="Did you mean 'second'"):
        sf.load_study(storage, "secnd")


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        ({"configs": "a"}, InvalidSpec, "list of names"),
        ({"configs": []}, InvalidSpec, "Expected at least one config, got none"),
        ({"configs": ["a", "a"]}, InvalidSpec, "different names for all configs, got 'a' twice"),
        ({"configs": [""]}, InvalidSpec, "not empty"),
        ({"configs": {"a": 3}}, InvalidSpec, "must be a dict"),
        ({"configs": {"a": {"x": {1, 2}}}}, InvalidSpec, "writable as JSON"),
        ({"configs": {"a": {"x": (1, 2)}}}, InvalidSpec, "lists rather than tuples"),
        ({"thresholds": "speed >= 1"}, InvalidSpec, "Put a single one in brackets"),
        ({"thresholds": []}, InvalidProblem, "at least one metric"),
        ({"error_rate": 2}, InvalidProblem, "strictly between 0 and 1"),
        ({"goal": "some"}, InvalidProblem, "'any' .* 'all' .* whole number of 1 or more, got 'some'"),
        ({"goal": 0}, InvalidProblem, "1 or more, got 0"),
        ({"goal": True}, InvalidProblem, "1 or more, got True"),
        ({"goal": 2.0}, InvalidProblem, "1 or more, got 2.0"),
        ({"goal": "2"}, InvalidProblem, "1 or more, got '2'"),
        ({"goal": 10}, InvalidProblem, "to find 10 that pass, and there are only"),
        ({"rule": "murfy"}, UnknownName, "Did you mean 'murphy'"),
        ({"seed": -1}, InvalidSpec, "seed"),
        ({"on_error": "ignore"}, InvalidSpec, "'stop', 'retry' or 'worst'"),
        ({"on_error": "worst"}, InvalidSpec, "the worst value of 'speed'"),
        ({"worst": {"sped": 1}}, UnknownName, "Did you mean 'speed'"),
        ({"retries": -1}, InvalidSpec, "retries"),
        ({"lease_seconds": 0}, InvalidSpec, "lease_seconds"),
        ({"name": " "}, InvalidSpec, "name of a study"),
    ],
)
def test_a_study_that_makes_no_sense_is_refused(given: dict[str, Any], error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        study_in(None, **given)


def test_the_storage_may_come_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATISFICE_STORAGE", f"sqlite:///{tmp_path}/by_name.db")
    study_in().ask()
    assert (tmp_path / "by_name.db").exists()
    assert sf.load_study().counts().asked == 1


def test_explanations_name_the_metric_that_decides() -> None:
    study = study_in(goal="all")
    assert study.explain("good").text == "not evaluated yet"
    finish(study)
    assert study.explain("slow").text.startswith("rejected after ")
    assert "speed is below 1 (estimate " in study.explain("slow").text
    assert study.explain("lossy").binding == "loss"
    assert study.explain("good").decision == "accepted"
    with pytest.raises(UnknownName, match="Did you mean 'good'"):
        study.explain("goood")


def test_evaluations_as_records_and_as_a_table(storage: Any) -> None:
    study = study_in(storage, clock=Clock())
    pulls = study.ask(3)
    for pull in reversed(pulls):
        study.tell(pull, results_of(pull))
    records = list(study.evaluations())
    assert [one.number for one in records] == [2, 1, 0]
    assert records[0].results == results_of(pulls[2])
    assert (records[0].config, records[0].asked_at, records[0].failure) == ("good", 1000.0, None)
    table = study.to_dataframe()
    assert table["speed"].tolist() == [one.results["speed"] for one in records]
    assert list(table.columns[:6]) == ["number", "config", "arm_number", "attempt", "speed", "loss"]


def test_without_pandas_there_are_records(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingPackage, match=r"pip install 'satisfice\[pandas\]'"):
        study_in().to_dataframe()


def test_results_after_the_verdict_are_kept_and_change_nothing(storage: Any) -> None:
    study = study_in(storage, configs=["good"])
    pulls = study.ask(150)
    study.exchange([(pull, results_of(pull)) for pull in pulls[:100]])
    verdict = study.verdict()
    assert verdict.arm == "good"
    assert study.ask() is None
    study.exchange([(pull, {"speed": -99.0, "loss": 1.0}) for pull in pulls[100:]])
    assert study.verdict() == verdict
    counts = study.counts()
    assert (counts.told, counts.late, counts.outstanding) == (150, 150 - verdict.evaluations, 0)
    assert sum(one.late for one in study.evaluations()) == 50
    assert sf.verify(storage).ok


def test_opening_does_not_load_what_it_does_not_need() -> None:
    code = (
        "import sys, satisfice as sf; s = sf.create_study(['a'], ['x >= 0'], storage='memory');"
        "s.tell(s.ask(), {'x': 1.0});"
        "print([m for m in ('numba', 'sqlalchemy', 'matplotlib', 'pandas', 'pyarrow') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert out.stdout.strip() == "[]"
