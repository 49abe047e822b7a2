"""The service over HTTP: what it does, what it refuses and how, and who may."""

import json
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest

import satisfice as sf
from satisfice.errors import PullAlreadyTold, PullReissued, StorageError, StorageUnreachable, StudyExists, UnknownStudy
from satisfice.study import durable, snapshots
from satisfice.study.storage.http import HTTPLog, HTTPStorage
from satisfice.study.verify import verify
from satisfice.web import group_commit, limits, security
from satisfice.web.group_commit import Wanted, answers_to, first_given
from satisfice.web.operations import OPERATIONS
from satisfice.web.security import Access, Scope
from satisfice.web.server import TLS, bound, serving
from satisfice.web.steps import step_of
from tests.helpers.parts import endless, finish, results_of, study_in
from tests.web.serving import served

NEW = {"configs": {"slow": {"level": 9}, "fast": {"level": 1}}, "thresholds": ["ok >= 0.5 ~ 0.2 : bernoulli"]}


@pytest.fixture
def web(sqlite: str) -> Iterator[httpx.Client]:
    with served(sqlite) as client:
        yield client


def test_a_study_from_its_creation_to_its_verdict(web: httpx.Client, sqlite: str) -> None:
    made = web.post("/api/studies", json=NEW | {"name": "a/b ?"})
    assert made.json()["configs"] == 2
    named = {"study": "a/b ?"}
    outcome, told = "UNDECIDED", 0
    while outcome == "UNDECIDED":
        answer = web.post("/api/ask", params=named, json={"worker": "me"}).json()
        for pull in answer["pulls"]:
            results = {"ok": int(pull["parameters"]["level"] == 1)}
            answer = web.post("/api/tell", params=named, json={"pull": pull["id"], "results": results}).json()
            told += 1
        outcome = answer["outcome"]
    assert outcome == "FOUND"
    view = web.get("/api/view", params=named).json()
    assert (view["config"], view["counts"]["told"]) == ("fast", told)
    assert web.post("/api/ask", json={"wait": 60}).json() == {"pulls": [], "outcome": "FOUND", "stopped": None}
    assert f'satisfice_evaluations_total{{study="a/b ?"}} {told}\n' in (text := web.get("/metrics").text)
    assert 'satisfice_verdict{study="a/b ?",satisfice_verdict="FOUND"} 1' in text
    assert text.endswith("# EOF\n")
    assert web.get("/health").json() == {"status": "ok"}
    assert verify(sqlite).ok


def test_failures_releases_and_signs_of_life(web: httpx.Client) -> None:
    web.post("/api/studies", json=NEW | {"on_error": "stop"})
    first, second = web.post("/api/ask", json={"n": 2}).json()["pulls"]
    assert web.post("/api/heartbeat", json={"pulls": [first["id"]]}).json() == {}
    web.post("/api/release", json={"pulls": [second["id"]]})
    again = web.post("/api/ask", json={}).json()["pulls"][0]
    assert again["id"].split(":")[1] == second["id"].split(":")[1]
    late = web.post("/api/tell", json={"pull": second["id"], "results": {"ok": 1}})
    assert (late.status_code, late.json()["error"]) == (409, "PullReissued")
    assert late.headers["content-type"] == "application/problem+json"
    answer = web.post("/api/fail", json={"pull": first["id"], "reason": "no disk"}).json()
    assert "no disk" in answer["stopped"]
    assert web.post("/api/ask", json={"wait": 30}).json()["pulls"] == []
    assert web.post("/api/resume", json={}).json()["stopped"] is None
    web.post("/api/policy", json={"on_error": "retry"})
    assert len(web.post("/api/ask", json={"n": 3}).json()["pulls"]) == 3


def test_who_waits_gets_what_comes_back(web: httpx.Client) -> None:
    web.post("/api/studies", json=NEW | {"max_evaluations": 1})
    pull = web.post("/api/ask", json={}).json()["pulls"][0]
    with ThreadPoolExecutor(1) as others:
        waits = others.submit(lambda: web.post("/api/ask", json={"wait": 30}).json())
        time.sleep(0.3)
        assert not waits.done()
        web.post("/api/release", json={"pulls": [pull["id"]]})
        assert len(waits.result(20)["pulls"]) == 1


def test_many_at_once_are_recorded_once_each(sqlite: str) -> None:
    endless(sqlite).close()
    with served(sqlite) as web, ThreadPoolExecutor(16) as workers:

        def work(_: int) -> list[str]:
            told: list[str] = []
            content: dict[str, object] = {"ask": 2}
            for _ in range(6):
                pulls = web.post("/api/exchange", json=content).json()["pulls"]
                told += [pull["id"] for pull in pulls]
                content = {"ask": 2, "tell": [{"pull": one["id"], "results": _results(one)} for one in pulls]}
            web.post("/api/exchange", json=content | {"ask": 0}).raise_for_status()
            return told

        told = [one for ids in workers.map(work, range(16)) for one in ids]
    assert len(told) == len(set(told)) == 16 * 12
    with sf.load_study(sqlite) as study:
        assert study.counts().told == len(told)
    assert verify(sqlite).ok


def _results(pull: dict[str, object]) -> dict[str, float]:
    number = int(str(pull["id"]).split(":")[1])
    return {"speed": 3.0 + (-1) ** number, "loss": 0.0}


def test_one_that_is_refused_leaves_the_others_alone(sqlite: str) -> None:
    with study_in(sqlite) as study:
        pulls = study.ask(3)
        from satisfice.study.transaction import Step  # noqa: PLC0415 - here alone

        good = Step([(_key(pulls[0]), study.check(results_of(pulls[0])))])
        wrong = Step([(_key(pulls[1])._replace(number=99), study.check(results_of(pulls[1])))])
        other = Step([(_key(pulls[2]), study.check(results_of(pulls[2])))], 1, "me")
        done = study.take([good, wrong, other])
        assert done[0] == []
        assert isinstance(done[1], sf.SatisficeError)
        assert isinstance(done[2], list)
        assert len(done[2]) == 1
        assert study.counts().told == 2


def _key(pull: sf.Pull):  # type: ignore[no-untyped-def]
    from satisfice.study.pull import key_of  # noqa: PLC0415 - here alone

    return key_of(pull)


def test_python_works_over_it_unchanged(sqlite: str) -> None:
    with served(sqlite) as web:
        address = str(web.base_url)
        study = study_in(address)
        assert study.is_durable
        pull = study.ask()
        assert pull is not None
        study.tell(pull, results_of(pull))
        study.tell(pull, results_of(pull))
        with pytest.raises(PullAlreadyTold):
            study.tell(pull, results_of(pull) | {"speed": 77.0})
        lent = study.ask()
        assert lent is not None
        study.heartbeat(lent)
        study.release(lent)
        finish(study)
        with pytest.raises(StudyExists):
            study_in(address)
        assert [one.name for one in sf.list_studies(address)] == [study.name]
        here, there = sf.load_study(sqlite), sf.load_study(address)
        assert here.view().head == there.view().head
        assert there.verdict() == here.verdict()
        assert verify(address).ok
        with pytest.raises(UnknownStudy, match="nobody"):
            sf.load_study(address, "nobody")
        sf.delete_study(address, study.name)
        assert sf.list_studies(address) == ()


def test_runs_over_it_end_as_they_do_without(sqlite: str) -> None:
    with served(sqlite) as web:
        study = sf.create_study(["bad", "good"], ["ok >= 0.5 ~ 0.2 : bernoulli"], storage=str(web.base_url))
        verdict = study.run(lambda name: {"ok": float(name == "good")}, workers=3)
    assert verdict.arm == "good"
    with sf.load_study(sqlite) as kept:
        assert kept.verdict() == verdict
    assert verify(sqlite).ok


def test_a_server_that_is_gone_is_out_of_reach(sqlite: str) -> None:
    with served(sqlite) as web:
        study = study_in(str(web.base_url))
    with pytest.raises(StorageUnreachable, match="satisfice serve"):
        study.ask()
    with pytest.raises(StorageError, match="password"):
        sf.load_study("http://me:secret@localhost:1")


TOKENS = Access(
    frozenset({"127.0.0.1"}), token="all-of-it", narrower=(("to-look", Scope.READ), ("to-work", Scope.WORK))
)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda one: one.name)
def test_scopes(sqlite: str, operation) -> None:  # type: ignore[no-untyped-def]
    with served(sqlite, TOKENS) as web:
        for token, scope in (("", 0), ("wrong", 0), ("to-look", 1), ("to-work", 2), ("all-of-it", 3)):
            if operation.path == "/api/events":
                continue
            headers = {"authorization": f"Bearer {token}"} if token else {}
            came = web.request(operation.method, operation.path, headers=headers).status_code
            if operation.path == "/health":
                assert came == 200
            elif scope == 0:
                assert came == 401
            else:
                assert (came == 403) == (scope < operation.scope)


@pytest.mark.parametrize("access", [TOKENS, Access(frozenset({"127.0.0.1"}))])
def test_a_token_that_is_written_in_another_way_is_not_another_one(
    sqlite: str, monkeypatch: pytest.MonkeyPatch, access: Access
) -> None:
    """Once each way had a rate of its own, and was kept with all of its spaces."""
    monkeypatch.setattr(limits.Rates, "admits", admitted := Mock(return_value=True))
    with served(sqlite, access) as web:
        for header in ("Bearer to-look", "bearer to-look", "Bearer" + " " * 50_000 + "to-look"):
            headers = {"authorization": header, "x-forwarded-for": "10.0.0.1", "forwarded": "for=10.0.0.1"}
            web.get("/openapi.json", headers=headers).raise_for_status()
    assert {call.args[0] for call in admitted.call_args_list} == {"127.0.0.1" if access.token is None else "to-look"}


LOOKALIKES = ("%0A", "%0a", "%0D%0A", "%0D", "/", "%2F", "%00", "%20", ";", "%3F", "%2F..%0A", "%0A%0A")


@pytest.mark.parametrize("behind", LOOKALIKES)
def test_a_path_that_looks_like_another_one_allows_no_more(sqlite: str, behind: str) -> None:
    """A route also matches its path with a line break behind it: once whoever could look could delete."""
    with served(sqlite, TOKENS) as web:
        admin = {"authorization": "Bearer all-of-it"}
        web.post("/api/studies", json={**NEW, "name": "kept"}, headers=admin).raise_for_status()
        before = web.get("/api/log", headers=admin).json()
        for one in OPERATIONS:
            if one.method == "GET":
                continue
            for token in ("to-look", "to-work"):
                headers = {"authorization": f"Bearer {token}"}
                address = f"{one.path}{behind}?study=kept"
                came = web.request(one.method, address, json={}, headers=headers).status_code
                assert came in (307, 403, 404), one.name
            came = web.request(one.method, f"{one.path}{behind}?study=kept", headers=admin).status_code
            assert came in (307, 404), one.name
        assert web.get("/api/log", headers=admin).json() == before


def test_the_token_of_the_environment_is_sent(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    endless(sqlite).close()
    with served(sqlite, TOKENS) as web:
        with pytest.raises(StorageError, match="SATISFICE_TOKEN"):
            sf.load_study(str(web.base_url))
        monkeypatch.setenv(security.TOKEN, "to-work")
        study = sf.load_study(str(web.base_url))
        assert study.ask() is not None
        with pytest.raises(StorageError, match="allows to work"):
            study.change_policy(max_evaluations=7)


def test_this_machine_needs_the_token_that_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(security.TOKEN, "mine")
    assert security.access_to("127.0.0.1").scope("") is None
    assert security.access_to("127.0.0.1").scope("bearer mine") is Scope.ADMIN


@pytest.mark.parametrize("slow", ["open", "close"])
def test_while_a_study_is_opened_or_closed_others_are_served(
    sqlite: str, monkeypatch: pytest.MonkeyPatch, slow: str
) -> None:
    """Once a request for another study waited for that in the event loop, and with it everybody."""
    began, may_end = threading.Event(), threading.Event()

    class Slow(sf.Study):
        def __init__(self, *given: Any, **named: Any) -> None:
            self._waits("open")
            super().__init__(*given, **named)

        def close(self) -> None:
            self._waits("close")
            super().close()

        def _waits(self, what: str) -> None:
            if what == slow and not may_end.is_set():
                began.set()
                may_end.wait(20)

    with served(sqlite) as web, ThreadPoolExecutor() as others:
        for name in ("slow", "other"):
            web.post("/api/studies", json={**NEW, "name": name}).raise_for_status()
        try:
            if slow == "close":
                monkeypatch.setattr(group_commit, "Study", Slow)
                monkeypatch.setattr(group_commit, "MOST_OPEN", 2)
                web.get("/api/view?study=slow").raise_for_status()
            web.post("/api/ask?study=other", json={}).raise_for_status()
            if slow == "close":
                web.post("/api/studies", json={**NEW, "name": "third"}).raise_for_status()
            monkeypatch.setattr(group_commit, "Study", Slow)
            opened = others.submit(web.get, f"/api/view?study={'slow' if slow == 'open' else 'third'}")
            assert began.wait(10)
            for path in ("/api/ask?study=other", "/api/exchange?study=other"):
                assert web.post(path, json={}, timeout=5).status_code == 200
            assert web.get("/metrics", timeout=5).status_code == 200
        finally:
            may_end.set()
        assert opened.result(30).status_code == 200


def test_what_is_not_read(web: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    web.post("/api/studies", json=NEW)
    monkeypatch.setattr(limits, "LARGEST_BODY", 1000)
    assert web.post("/api/ask", json={"worker": "x" * 2000}).status_code == 413
    assert (
        web.post("/api/ask", content=iter([b" " * 600] * 3), headers={"content-type": "application/json"}).status_code
        == 413
    )
    assert web.post("/api/ask", content="{}", headers={"content-type": "text/plain"}).status_code == 415
    for wrong in ("", "{", "[" * 900, '{"n": NaN}', "\xff"):
        came = web.post("/api/ask", content=wrong, headers={"content-type": "application/json"})
        assert came.status_code in (400, 422), wrong
    assert web.post("/api/ask", json={}, headers={"host": "evil.example"}).status_code == 421
    assert web.post("/api/nothing", json={}).json()["status"] == 404
    assert web.put("/api/ask", json={}).status_code == 405


def test_half_a_request_leaves_others_alone(web: httpx.Client) -> None:
    web.post("/api/studies", json=NEW)
    head = b"POST /api/ask HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{"
    half = socket.create_connection((web.base_url.host, web.base_url.port or 0))
    half.sendall(head)
    half.close()
    assert len(web.post("/api/ask", json={}).json()["pulls"]) == 1


def test_a_token_may_ask_so_often() -> None:
    rates = limits.Rates(5)
    assert [rates.admits("one") for _ in range(7)].count(True) == 5
    assert rates.admits("other")


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({"thresholds": ["x <= 1"]}, "either 'configs' or 'grid'"),
        ({"configs": ["a"]}, "Expected 'thresholds'"),
        ({"configs": ["a"], "thresholds": []}, "at least 1"),
        ({"configs": ["a"], "thresholds": ["x <= 1"], "storage": "sqlite:///x"}, "'storage'"),
        ({"configs": ["a"], "thresholds": ["x <= 1"], "rule": "os:path"}, "code of somebody's own"),
        ({"configs": ["a"], "thresholds": ["x <= 1 : os:path"]}, "code of somebody's own"),
        ({"configs": ["a"], "thresholds": ["x"]}, "x"),
        ({"configs": [[]], "thresholds": ["x <= 1"]}, ""),
        ({"configs": ["a"], "thresholds": ["x <= 1"], "error_rate": 7}, "7"),
        ({"configs": ["a"], "thresholds": ["x <= 1"], "name": "\ud800"}, ""),
        ({"grid": {"a": 1}, "thresholds": ["x <= 1"]}, "list of values"),
    ],
)
def test_what_is_no_study(web: httpx.Client, content: dict[str, object], says: str) -> None:
    came = web.post("/api/studies", content=json.dumps(content), headers={"content-type": "application/json"})
    assert came.status_code in (403, 422)
    assert says in came.json()["detail"]
    assert web.get("/api/summaries").json() == {"studies": []}


def test_it_speaks_https_and_logs_nothing_secret(sqlite: str, tmp_path: Path) -> None:
    files = TLS(str(tmp_path / "c.pem"), str(tmp_path / "k.pem"))
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*made, "-out", files.certificate, "-keyout", files.key], check=True, capture_output=True)
    from satisfice.study.storage.protocol import open_storage  # noqa: PLC0415 - here alone
    from satisfice.web.service import service_app  # noqa: PLC0415 - here alone

    listener, storage = bound("127.0.0.1", 0), open_storage(sqlite)
    app, ending, close = service_app(storage, TOKENS)
    with serving(app, listener, ending, files):
        address = f"https://127.0.0.1:{listener.getsockname()[1]}"
        with httpx.Client(base_url=address, verify=False, headers={"authorization": "Bearer to-look"}) as web:
            assert web.get("/api/summaries").status_code == 200
    close()
    storage.close()


def test_streams_follow_what_is_told(web: httpx.Client) -> None:
    web.post("/api/studies", json=NEW | {"name": "one"})
    with web.stream("GET", "/api/events", params={"study": "one"}) as stream:
        lines = stream.iter_lines()
        assert next(lines) == "event: snapshot"
        threading.Timer(0.1, lambda: httpx.post(f"{web.base_url}/api/ask", json={"n": 2})).start()
        assert any(line == "event: delta" for line in lines)


def test_reissued_over_http_is_what_it_is_in_python(sqlite: str) -> None:
    with served(sqlite) as web:
        study = study_in(str(web.base_url))
        pull = study.ask()
        assert pull is not None
        study.release(pull)
        with pytest.raises(PullReissued, match="Nothing was recorded"):
            study.tell(pull, results_of(pull))


def test_results_of_a_batch_are_told_in_the_order_of_asking(sqlite: str) -> None:
    study = endless(sqlite, number=2)
    pulls = study.ask(8)
    wanted = [
        Wanted(
            lambda study, pull=pull: step_of(study, {"tell": [{"pull": pull.id, "results": results_of(pull)}]}),
            is_step=True,
        )
        for pull in reversed(pulls)
    ]
    refused = Wanted(lambda study: step_of(study, {"tell": [{"pull": "nobody:0:0", "results": {}}]}), is_step=True)
    answers = answers_to(study, [*wanted[:3], refused, *wanted[3:]])
    assert [isinstance(one, Exception) for one in answers] == [False] * 3 + [True] + [False] * 5  # each its own
    told = [event.content["number"] for event in study.events() if event.kind == "told"]
    assert told == sorted(told)
    assert len(told) == 8


def test_steps_taken_together_tell_first_and_who_told_the_oldest_result_is_asked_for_the_next(sqlite: str) -> None:
    """Else a worker that is quicker than another comes back with results that have to wait for the other's."""
    study = endless(sqlite, number=2)
    first, second = study.ask(2), study.ask(2)
    steps = [
        {"ask": 2, "tell": [{"pull": pull.id, "results": results_of(pull)} for pull in pulls]}
        for pulls in (second, first)
    ]
    before = len(list(study.events()))
    wanted = [Wanted(lambda study, step=step: step_of(study, step), is_step=True) for step in steps]
    late, early = answers_to(study, wanted)
    assert [event.kind for event in study.events()][before:] == ["told"] * 4 + ["asked"] * 4
    assert [pull.number for pull in (*early.pulls, *late.pulls)] == [4, 5, 6, 7]
    waiting: Any = None
    assert sorted([(waiting, late), (waiting, early)], key=first_given) == [(waiting, early), (waiting, late)]


def test_a_long_study_is_not_read_whole(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "SNAPSHOT_EVERY_EVENTS", 300)
    monkeypatch.setattr(durable, "SNAPSHOT_EVERY_EVENTS", 300)
    endless(sqlite, number=2).close()
    with served(sqlite) as web:
        address = str(web.base_url)
        for _ in range(30):
            pulls = web.post("/api/ask", json={"n": 16}).json()["pulls"]
            told = [{"pull": one["id"], "results": _results(one)} for one in pulls]
            web.post("/api/exchange", json={"tell": told}).raise_for_status()
        read: list[int] = []
        asked = HTTPStorage.call

        def counted(storage: HTTPStorage, method: str, path: str, **given: object) -> Any:
            answer = asked(storage, method, path, **given)
            read.append(len(answer.get("events", ())))
            return answer

        monkeypatch.setattr(HTTPStorage, "call", counted)
        here = sf.load_study(sqlite).view()
        there = sf.load_study(address).view()
        assert there.head == here.head
        assert there.evaluations == here.evaluations
        assert there.position > 900
        assert sum(read) < 0.8 * there.position  # what came after the snapshot, and little more
        right = HTTPLog.snapshot

        def forged(log: HTTPLog) -> Any:
            found = right(log)
            assert found is not None
            return found._replace(data=found.data[:-9] + bytes(9))

        monkeypatch.setattr(HTTPLog, "snapshot", forged)  # the log does not vouch for it
        read.clear()
        assert sf.load_study(address).view().head == here.head
        assert sum(read) >= there.position
        assert not web.get("/api/log", params={"most": "some"}).is_success


@pytest.mark.parametrize("at", ["1e300", "1e12", '"text"', "NaN", "Infinity", "true", "null", "[]"])
def test_a_study_made_at_no_time_is_refused_and_hides_no_other(web: httpx.Client, at: str, sqlite: str) -> None:
    """Before, one such study made the list and the page fail for the whole storage."""
    with study_in(sqlite, name="kept"):
        pass
    first = study_in().events()
    content = json.dumps({"name": "odd", "first": next(first).content | {"at": "AT"}}).replace('"AT"', at)
    refused = web.post("/api/log", content=content, headers={"content-type": "application/json"})
    assert refused.status_code in (400, 422)
    assert refused.json()["detail"].endswith(".")
    rows = web.get("/api/studies", params={"complete": "true"}).json()["studies"]
    assert [(row["name"], row["outcome"]) for row in rows] == [("kept", "UNDECIDED")]
