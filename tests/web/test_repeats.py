"""The same said twice: whoever hears nothing says it again, and hears what the first one would have heard."""

import asyncio
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

import satisfice as sf
from satisfice.errors import PullAlreadyTold, PullReissued, StorageUnreachable
from satisfice.study.study import Study
from satisfice.study.verify import verify
from satisfice.web.group_commit import Answer, Committer, Wanted, answers_to
from satisfice.web.steps import step_of
from tests.helpers.parts import Clock, endless, results_of, study_in
from tests.web.serving import served

NEW = {"configs": ["a", "b"], "thresholds": ["ok >= 0.5 ~ 0.2 : bernoulli"]}


def together(study: Study, *contents: dict[str, Any]) -> list[Any]:
    """What exchanges are answered that become durable in one transaction."""
    return answers_to(study, [Wanted(lambda study, one=one: step_of(study, one), is_step=True) for one in contents])


def tell(pull: sf.Pull, **results: Any) -> dict[str, Any]:
    return {"tell": [{"pull": pull.id, "results": {**results_of(pull), **results}}]}


def fail(pull: sf.Pull, reason: str = "no luck") -> dict[str, Any]:
    return {"fail": [{"pull": pull.id, "reason": reason}]}


def told(study: Study, *kinds: str) -> list[int]:
    return [event.content["number"] for event in study.events() if event.kind in (kinds or ("told",))]


def all_done(answers: Sequence[Any]) -> bool:
    return all(isinstance(one, Answer) for one in answers)


def test_a_result_that_comes_twice_in_one_batch_is_recorded_once_and_answered_twice(sqlite: str) -> None:
    study = endless(sqlite)
    pulls = study.ask(120)
    answers = together(study, *(tell(pull) for pull in pulls for _ in range(2)))
    assert len(answers) == 240
    assert [str(one) for one in answers if not isinstance(one, Answer)] == []
    assert told(study) == [pull.number for pull in pulls]
    assert verify(sqlite).ok


KINDS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a list": ({"thresholds": ["p95(t) <= 9"]}, {"results": {"t": [1, 2.5, 3]}}),
    "a cost": ({"thresholds": ["t <= 9"], "cost": "usd"}, {"results": {"t": 1, "usd": 3}}),
    "a baseline": (
        {"thresholds": ["t <= baseline + 9%"], "baseline": "old"},
        {"results": {"t": 1}, "baseline": {"t": 2}},
    ),
    "results beside": ({"thresholds": ["t <= 9"]}, {"results": {"t": 1, "beside": 7}}),
    "ruled out": ({"thresholds": ["t <= 9 : bounded(0, 10)"], "on_error": "worst"}, {"results": {"t": 11}}),
    "groups": ({"thresholds": ["t <= 9 @ one", "u <= 9 @ two"]}, {"results": {"t": 1}}),
    "checked there": ({"thresholds": ["t <= 9"]}, {"measured": {"values": [1.0], "also": {"u": 2.0}}}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_the_results_are_made_of(sqlite: str, kind: str) -> None:
    options, results = KINDS[kind]
    study = sf.create_study(["a", "b"], storage=sqlite, **options)
    pull = next(one for one in study.ask(8) if not one.groups or one.groups == ("one",))
    assert all_done(together(study, *[{"tell": [{"pull": pull.id, **results}]}] * 2))
    assert all_done(together(study, *[{"tell": [{"pull": pull.id, **results}]}] * 2))
    assert len(told(study, "told", "failed")) == 1


def test_another_result_of_a_pull_of_the_batch_is_told_which_one_was_recorded(sqlite: str) -> None:
    study = endless(sqlite)
    pulls = study.ask(3)
    first, other, again, apart = together(
        study, tell(pulls[0], speed=3.0), tell(pulls[0], speed=4.0), tell(pulls[0], speed=3.0), tell(pulls[1])
    )
    assert all_done([first, again, apart])
    assert isinstance(other, PullAlreadyTold)
    assert "settled before, with the results [3.0" in str(other)
    assert "Nothing was recorded" not in str(other)
    assert told(study) == [pulls[0].number, pulls[1].number]


def test_a_failure_that_comes_twice_in_one_batch_is_one_failure(sqlite: str) -> None:
    study = endless(sqlite)
    pulls = study.ask(2)
    answers = together(study, fail(pulls[0]), fail(pulls[0]), tell(pulls[0]), tell(pulls[1]), fail(pulls[1]))
    assert all_done([answers[0], answers[1], answers[3]])
    assert isinstance(answers[2], PullAlreadyTold)
    assert "with the failure 'no luck'" in str(answers[2])
    assert isinstance(answers[4], PullAlreadyTold)
    assert told(study, "failed") == [pulls[0].number]


def test_what_is_told_and_asked_for_in_one_comes_twice(sqlite: str) -> None:
    study = endless(sqlite)
    pulls = study.ask(2)
    both = {"tell": [one for pull in pulls for one in tell(pull)["tell"]], "ask": 2}
    answers = together(study, both, both)
    assert all_done(answers)
    assert told(study) == [0, 1]
    assert sorted(pull.number for one in answers for pull in one.pulls) == [2, 3, 4, 5]


def test_a_pull_that_is_given_back_twice(sqlite: str) -> None:
    study = endless(sqlite)
    pull = study.ask()
    assert pull is not None
    assert all_done(together(study, {"release": [pull.id]}, {"release": [pull.id]}))
    assert told(study, "released") == [0]


def test_a_pull_that_was_given_back_is_not_said_to_be_lost(sqlite: str) -> None:
    study = endless(sqlite)
    pulls = study.ask(2)
    study.release(pulls[0])
    study.fail(pulls[1], "no luck")
    with pytest.raises(PullReissued, match=r"Pull 0 was given back, and .* Nothing was recorded"):
        study.tell(pulls[0], results_of(pulls[0]))
    with pytest.raises(PullReissued, match=r"Pull 0 was given back, and"):
        study.heartbeat(pulls[0])


def left_to_another(storage: Any = None) -> tuple[Study, list[sf.Pull], list[sf.Pull]]:
    """A study of a set of items, pulls whose workers fell silent, and the same as others got them."""
    clock = Clock()
    study = study_in(storage, thresholds=["loss <= 0.2 : bernoulli of 40"], lease_seconds=10.0, clock=clock)
    silent = study.ask(2)
    clock.now += 20.0
    return study, silent, study.ask(2)


@pytest.mark.parametrize("apart", [True, False])
def test_the_late_result_of_an_item_may_come_twice(sqlite: str, apart: bool) -> None:
    study, silent, _ = left_to_another(sqlite)
    late = {"tell": [{"pull": silent[0].id, "results": {"loss": 1}}]}
    answers = [together(study, late)[0] for _ in range(2)] if apart else together(study, late, late)
    assert all_done(answers)
    assert told(study, "repeated") == [0]
    other = {"tell": [{"pull": silent[0].id, "results": {"loss": 0}}]}
    (refused,) = together(study, other)
    assert isinstance(refused, PullReissued)
    both = [late["tell"][0], {"pull": silent[1].id, "results": {"loss": 1}}]
    assert all_done(together(study, {"tell": both * 2}))
    assert told(study, "repeated") == [0, 1]
    assert verify(sqlite).ok


def test_of_a_step_that_is_refused_nothing_is_recorded_by_another_one(sqlite: str) -> None:
    """The late result of an item waits to be recorded until the whole step was looked at."""
    study, silent, again = left_to_another(sqlite)
    late = {"pull": silent[0].id, "results": {"loss": 1}}
    never = {"pull": f"{study.identity}:99:0", "results": {"loss": 1}}
    refused, done = together(study, {"tell": [late, never]}, {"tell": [{"pull": again[1].id, "results": {"loss": 1}}]})
    assert "Nothing was recorded" in str(refused)
    assert all_done([done])
    assert told(study, "repeated") == []
    assert told(study) == [1]


@pytest.mark.parametrize("second", [0, 1])
def test_the_late_result_of_an_item_in_memory(second: int) -> None:
    study, silent, again = left_to_another()
    study.tell(again[0], {"loss": 1 - second})
    if second:
        study.tell(silent[0], {"loss": second})  # it differs, and stops the study
        study.tell(silent[0], {"loss": second})
    assert told(study, "repeated") == [0] * second
    assert (study.stopped is not None) == bool(second)


def test_different_late_results_in_one_step(sqlite: str) -> None:
    study, silent, _ = left_to_another(sqlite)
    (refused,) = together(study, {"tell": [{"pull": silent[0].id, "results": {"loss": one}} for one in (0, 1)]})
    assert isinstance(refused, PullAlreadyTold)
    assert "came twice in one step, with different results. Nothing was recorded." in str(refused)
    assert told(study, "repeated") == []


def test_who_waited_and_is_gone_is_given_nothing(sqlite: str) -> None:
    """Else a client that repeats its question is behind all the times that it asked before."""
    with served(sqlite) as web:
        web.post("/api/studies", json=NEW | {"max_evaluations": 1}).raise_for_status()
        (pull,) = web.post("/api/ask", json={}).json()["pulls"]
        for _ in range(3):
            with pytest.raises(httpx.ReadTimeout):
                web.post("/api/ask", json={"wait": 60}, timeout=0.3)
        with ThreadPoolExecutor(1) as others:
            waits = others.submit(lambda: web.post("/api/ask", json={"wait": 60}).json())
            time.sleep(0.3)
            web.post("/api/release", json={"pulls": [pull["id"]]})
            assert [one["id"] for one in waits.result(30)["pulls"]] == [pull["id"][:-1] + "1"]


def test_the_first_event_of_a_study_may_come_twice(sqlite: str) -> None:
    with served(sqlite) as web:
        with sf.create_study(["a"], ["x <= 1"]) as study:
            first = next(study.events()).content
        for _ in range(2):
            assert web.post("/api/log", json={"name": "s", "first": first}).status_code == 200
        came = web.post("/api/log", json={"name": "s", "first": first | {"identity": "another"}})
        assert (came.status_code, came.json()["error"]) == (409, "StudyExists")
        assert web.get("/api/summaries").json()["studies"][0][1] == first["identity"]


def test_a_study_that_the_server_closed_meanwhile_may_be_asked_again(sqlite: str) -> None:
    """It keeps so many open; before, it said that it was ending, and clients that wait for it gave up."""
    committer = Committer(endless(sqlite))
    committer.close()
    with pytest.raises(StorageUnreachable, match="Say the same again"):
        asyncio.run(committer.step(lambda study: step_of(study, {"ask": 1})))
