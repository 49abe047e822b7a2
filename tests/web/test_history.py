"""How a study came to what it knows: from its log, in any number of steps."""

from math import isnan

import numpy as np
import pytest

from satisfice.stopping.decision import ACCEPT
from satisfice.study.study import Study
from satisfice.web import history as histories
from satisfice.web.document import bars_of, config_part, shape_of
from satisfice.web.history import History
from tests.helpers.parts import endless, finish, results_of, study_in


def told(study: Study, number: int) -> None:
    for pull in study.ask(number):
        study.tell(pull, results_of(pull))


def read_whole(study: Study) -> History:
    history = History(study)
    assert history.follow(study.view(), seconds=60.0)
    return history


def test_results_are_in_the_order_of_asking() -> None:
    study = endless()
    pulls = study.ask(9)
    for pull in reversed(pulls[1:]):
        study.tell(pull, results_of(pull))
    history = read_whole(study)
    for place, name in enumerate(study.spec.names):
        speeds = history.results(place)[0]
        for pull in pulls:
            if pull.name == name and pull is not pulls[0]:
                assert speeds[pull.arm_number] == results_of(pull)["speed"]
    missing = history.results(study.spec.places[pulls[0].name])[0]
    assert isnan(missing[0]) or len(missing) == 0


def test_read_bit_by_bit_is_read_at_once() -> None:
    study = study_in(goal="all")
    finish(study)
    whole, slow = read_whole(study), History(study)
    view = study.view()
    for _ in range(10_000):
        if slow.follow(view, seconds=0.0):
            break
    assert (slow.samples, slow.points, slow.position) == (whole.samples, whole.points, view.position)


def test_the_last_points_are_what_the_statuses_say() -> None:
    study = study_in(goal="all")
    finish(study)
    history = read_whole(study)
    for place, status in enumerate(study.statuses()):
        last = history.points[place][-1]
        assert last.pulls == status.pulls
        assert last.leaning == (1.0 if status.decision == ACCEPT else -1.0)


def test_a_live_study_is_followed_on() -> None:
    study = endless()
    told(study, 10)
    history = read_whole(study)
    for number in (1, 4, 30):
        told(study, number)
        assert history.follow(study.view(), seconds=1.0)
        for place, name in enumerate(study.spec.names):
            view = study.view()
            assert history.points[place][-1].pulls == view.evaluations[name] or history._moved
            status = view.status(name)
            passing, failing = min(status.accept_progress), max(status.reject_progress)
            assert view.leaning(name) == (passing if passing >= failing else -failing)


def test_many_moments_are_thinned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(histories, "MOST_SAMPLES", 8)
    study = endless()
    told(study, 100)
    history = read_whole(study)
    assert 4 <= len(history.samples) <= 8
    assert history.samples == sorted(history.samples)
    assert sum(points[-1].pulls for points in history.points.values()) == 100


def test_failures_are_counted_by_config_and_reason() -> None:
    study = endless()
    pulls = study.ask(3)
    for pull in pulls[:2]:
        study.fail(pull, "boom")
    history = read_whole(study)
    assert sum(history.failures.values()) == 2
    assert {reason for _, reason in history.failures} == {"boom"}


def test_one_configuration_in_words_and_numbers() -> None:
    study = study_in()
    finish(study)
    found = config_part(study.view(), read_whole(study), "good")
    assert found["why"] == study.explain("good").text
    assert [stream["label"] for stream in found["streams"]] == ["speed", "loss"]
    speed = found["streams"][0]
    assert len(speed["values"]) == speed["count"] >= found["evaluations"]
    assert sum(speed["bars"]["counts"]) == speed["count"]
    thinned = config_part(study.view(), read_whole(study), "good", most=3)["streams"][0]
    assert len(thinned["values"]) <= 3 < thinned["count"]
    assert thinned["values"] == speed["values"][:: thinned["every"]]


def test_shapes_are_what_they_are_called() -> None:
    rng = np.random.default_rng(3)
    line = np.arange(1000.0)
    assert shape_of(line)["drift"] == pytest.approx(np.sqrt(12), rel=0.01)
    assert shape_of(line)["lag"] == pytest.approx(1.0, abs=0.01)
    assert shape_of(line)["skew"] == pytest.approx(0.0, abs=1e-9)
    assert shape_of(rng.exponential(size=100_000))["skew"] == pytest.approx(2.0, abs=0.1)
    assert shape_of(np.array([1.0, -1.0] * 500))["lag"] == pytest.approx(-1.0, abs=0.01)
    assert shape_of(np.full(10, 2.0))["skew"] is None


def test_few_different_results_have_a_bar_each() -> None:
    assert bars_of(np.array([0.0, 1.0, 1.0, 0.0, 0.0])) == {"at": [0.0, 1.0], "width": 0.6, "counts": [3, 2]}
    assert bars_of(np.zeros(0)) is None
    assert (bars_of(np.linspace(0, 1, 480)) or {})["counts"] == [20] * 24
