"""Forecasts beside a study: made in another process, shown to who looks, and made no more once nobody does."""

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

import satisfice as sf
from satisfice.study.study import Study
from satisfice.web import forecaster as module
from satisfice.web.feed import Feed
from satisfice.web.forecaster import Forecaster
from satisfice.web.history import History
from satisfice.web.studies import Studies
from tests.helpers.parts import endless, finish, results_of, study_in
from tests.web.following import read
from tests.web.serving import served


def begun(storage: Any = None) -> Study:
    study = endless(storage)
    study.exchange([(pull, results_of(pull)) for pull in study.ask(40)])
    return study


def wait_for(found: Any, seconds: float = 60.0) -> Any:
    until = time.monotonic() + seconds
    while not (value := found()):
        assert time.monotonic() < until, "it never came"
        time.sleep(0.05)
    return value


def test_who_looks_is_told_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_SECONDS", 0.1)
    study = begun()
    feed = Feed(Study(study.name, study._log), "memory")
    before = feed.snapshot()
    assert (read(before)["now"]["forecast"] or {"runs": 0})["runs"] == 0  # not simulated: nobody has waited for that
    feed.join()
    try:
        wait_for(lambda: feed._forecast)
        updates = wait_for(lambda: [one for one in feed.after(before.serial) or [] if '"runs":' in one.text])
        said = read(updates[-1])["now"]["forecast"]
        assert said["runs"] >= 10
        assert said["at"] == 40
        assert "at the present estimates" in said["words"]
    finally:
        feed.close()


def test_there_is_none_after_the_verdict() -> None:
    study = study_in()
    finish(study)
    history, view = History(study), study.view()
    history.follow(view, seconds=9.0)
    one = Forecaster()
    one.consider(view, history.past)
    assert one.latest is None
    assert not one._busy


def test_one_at_a_time_and_none_once_it_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    study, one, asked = begun(), Forecaster(), []
    history, view = History(study), study.view()
    history.follow(view, seconds=9.0)
    monkeypatch.setattr(one, "_asked", lambda task: asked.append(len(task)) or time.sleep(0.2))
    one.consider(view, history.past)
    one.consider(view, history.past)  # while it is made
    wait_for(lambda: not one._busy)
    one.consider(view, history.past)  # nothing is new, nor is it time
    assert len(asked) == 1
    one._due, one._position = 0.0, -1
    one.close()
    one.consider(view, history.past)
    assert len(asked) == 1


def test_the_service_says_it_to_who_asks(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FIRST_SECONDS", 0.1)
    begun(sqlite)
    with served(sqlite) as web:
        assert web.get("/api/view").json()["forecast"] is None
        said = web.get("/api/view", params={"forecast": "true"}).json()["forecast"]
        assert said["runs"] >= 10
        assert said["at"] == 40
        refused = web.get("/api/view", params={"forecast": "perhaps"})
        assert refused.status_code == 422
        assert "true or false" in refused.json()["detail"]


def test_many_who_ask_at_once_get_one_forecast_and_stop_nobody(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begun(sqlite)
    made, came, may_end = [], [], threading.Event()
    right = Studies.forecast

    async def asked_for(studies: Studies, name: str) -> sf.Forecast | None:
        came.append(name)
        return await right(studies, name)

    def once(_: Forecaster, study: Study) -> sf.Forecast:
        made.append(study.name)
        assert may_end.wait(60)
        return study.forecast(seconds=0.05)

    monkeypatch.setattr(Studies, "forecast", asked_for)
    monkeypatch.setattr(Forecaster, "once", once)
    with served(sqlite) as web, ThreadPoolExecutor(60) as others:
        asked = [
            others.submit(httpx.get, f"{web.base_url}/api/view", params={"forecast": "true"}, timeout=60)
            for _ in range(60)
        ]
        wait_for(lambda: made and len(came) == 60)
        for path in ("/health", "/", "/static/js/main.js", "/api/view"):
            began = time.monotonic()
            assert web.get(path).status_code == 200
            assert time.monotonic() - began < 1.0
        may_end.set()
        said = {json.dumps(one.result(60).json()["forecast"]) for one in asked}
    assert len(made) == len(said) == 1


def test_python_says_the_same_words() -> None:
    said = begun().forecast(seconds=0.05)
    assert isinstance(said, sf.Forecast)
    assert set(said.as_dict()) >= {"evaluations", "evaluations_90", "cost", "cost_90", "found", "none", "within"}
