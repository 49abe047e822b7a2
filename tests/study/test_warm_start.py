"""Warm starts: earlier results of another study or a file steer a study, are kept with it, and count for nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

import satisfice as sf
from satisfice.catalogue import resolve_export_format
from satisfice.cli.export_formats import evaluation_table, write
from satisfice.errors import InvalidProblem, InvalidSpec, UnknownStudy
from satisfice.study.events import BEFORE_ALL, Kind, sealed
from satisfice.study.storage.memory import MemoryStorage
from tests.helpers.parts import MEANS, THRESHOLDS, finish, results_of, study_in

CONFIGS = [*MEANS, *(f"slow {number}" for number in range(20))]
NAMED = "earlier results of the study 'old' steered which configurations were tried first; they count for nothing"


def old_study(storage: Any = None, **given: Any) -> sf.Study:
    study = study_in(storage, configs=CONFIGS, name="old", **given)
    finish(study, seed=1)
    return study


def first_asks(study: sf.Study, count: int = 5) -> list[str]:
    """The configs of the first evaluations."""
    asked = []
    for _ in range(count):
        pull = study.ask()
        assert pull is not None
        asked.append(pull.name)
        study.tell(pull, results_of(pull))
    return asked


def test_what_passed_before_is_tried_first_and_found_sooner(storage: Any) -> None:
    cold = old_study(storage).verdict()
    study = study_in(storage, configs=CONFIGS, name="new", warm_start="old")
    assert first_asks(study)[0] == "good"
    verdict = finish(study)
    assert verdict.arm == cold.arm == "good"
    assert verdict.evaluations < 0.8 * cold.evaluations
    assert NAMED in verdict.assumptions
    assert NAMED not in cold.assumptions
    checked = sf.verify(storage, "new")
    assert checked.ok, checked.problems
    assert checked.verdict == verdict


def test_it_is_kept_in_the_first_event_and_the_old_study_is_needed_no_more(tmp_path: Path) -> None:
    old, new = f"sqlite:///{tmp_path}/old.db", f"sqlite:///{tmp_path}/new.db"
    old_study(old).close()
    with study_in(new, configs=CONFIGS, warm_start=old) as study:
        asked = first_asks(study)
    (tmp_path / "old.db").unlink()
    with sf.load_study(new) as study:
        kept = study.spec.warm_start
        assert kept is not None
        assert (kept.source, kept.evaluations) == ("the study 'old'", sum(hints[0].results for _, hints in kept.hints))
        assert finish(study).arm == "good"
        assert [pull.config for pull in study.evaluations()][:5] == asked
    assert sf.verify(new).ok


def test_one_more_handle_goes_on_with_what_it_began_with(sqlite: str) -> None:
    old_study(sqlite).close()
    study_in(sqlite, configs=CONFIGS, name="new", warm_start="old").close()
    with study_in(sqlite, configs=CONFIGS, name="new", load_if_exists=True) as study:
        assert study.spec.warm_start is not None
        assert first_asks(study, 1) == ["good"]
    with study_in(sqlite, configs=CONFIGS, name="old", load_if_exists=True, warm_start="new") as study:
        assert study.spec.warm_start is None


def test_a_study_in_memory_may_be_given_itself() -> None:
    study = study_in(configs=CONFIGS, warm_start=old_study())
    assert first_asks(study, 1) == ["good"]


def test_results_alone_count_for_the_verdict(sqlite: str) -> None:
    """Told the same of one config, a study with praise from before is no step further."""
    old_study(sqlite).close()
    statuses = []
    for given in ({}, {"warm_start": "old"}):
        study = study_in(sqlite, configs=["good"], name=f"new {len(given)}", **given)
        first_asks(study, 10)
        statuses.append(study.view().status("good"))
    assert statuses[0] == statuses[1]


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_what_export_writes_can_be_started_from(ending: str, tmp_path: Path) -> None:
    old = old_study(stopping="alpha", thresholds=["speed >= 1 ~ 0.1 : normal(1)", THRESHOLDS[1]], error_rate=0.4)
    path = tmp_path / f"old.{ending}"
    write(resolve_export_format(ending)(evaluation_table(old)), ending, path)
    for given in (path, str(path)):
        study = study_in(configs=CONFIGS, warm_start=given)
        assert first_asks(study, 1) == ["good"]
        assert study.verdict().assumptions[-1].startswith(f"earlier results of the file {path} steered")
        assert study.spec.warm_start is not None
        assert study.spec.warm_start.evaluations == old.counts().told


GRID = sf.grid(codec=["opus", "aac"], txpower=[4, 8])


def test_configs_are_matched_by_their_parameters(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    rows = [("aac", 8, 30 + number % 3) for number in range(9)] + [("opus", 4, 90)] * 9 + [("lc3", 4, 10)] * 9
    path.write_text("txpower,codec,note,latency\n" + "".join(f"{tx},{codec},x,{ms}\n" for codec, tx, ms in rows))
    limits = ["latency <= 50 ~ 5 : normal(10)"]
    study = sf.create_study({f"c{place}": one for place, one in enumerate(GRID.values())}, limits, warm_start=path)
    places = {place: hints[0].results for place, hints in study.spec.warm_start.hints}
    assert places == {0: 9, 3: 9}
    asked = [study.ask().name for _ in range(7)]
    assert set(asked[::6]) == {"c1", "c2"}, "those of which nothing is known are tried"
    assert asked[1:4] == ["c3", "c3", "c3"]


def test_a_study_with_other_names_is_matched_by_parameters_and_no_others() -> None:
    limits = ["latency <= 50 : normal(10)"]
    old = sf.create_study({"a": {"x": 1}, "b": {"x": 2, "y": 0}, "c": {}, "d": {"x": 4}}, limits, name="old")
    for _ in range(4):
        pull = old.ask()
        old.tell(pull, {"latency": 60.0})
    new = sf.create_study({"one": {"x": 1}, "two": {"x": 2}, "c": {}, "d": {"x": 5}}, limits, warm_start=old)
    assert [place for place, _ in new.spec.warm_start.hints] == [0, 2]


def test_metrics_are_matched_by_name_and_others_start_from_nothing() -> None:
    old = old_study()
    limits = ["speed >= 1 ~ 0.1", "cost <= 5 : normal(1)"]
    study = sf.create_study(CONFIGS, limits, warm_start=old)
    (place, (speed, cost)), *_ = study.spec.warm_start.hints
    assert (place, speed.results > 0, cost.results) == (0, True, 0)
    assert {study.ask().name for _ in CONFIGS} == set(CONFIGS)


def test_results_that_the_declaration_rules_out_say_nothing() -> None:
    old = sf.create_study(["a", "b"], ["load <= 2 : normal(1)"], name="old")
    for value in (0.5, 7.0, 0.25, 3.0):
        old.tell(old.ask(), {"load": value})
    study = sf.create_study(["a", "b"], ["load <= 0.5 : bounded(0, 1)"], warm_start=old)
    assert sum(hints[0].results for _, hints in study.spec.warm_start.hints) == 2


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (3, InvalidSpec, "Expected a warm start as a study, .* got 3"),
        (" ", InvalidSpec, "Expected a warm start as a study"),
        ("nowhere.csv", InvalidSpec, r"nowhere\.csv, but there is no such file"),
        ("sqlite:///nowhere.db", InvalidSpec, "no earlier results to start from: .*nowhere"),
        ("odd", UnknownStudy, "Did you mean 'old'"),
        ("broken.json", InvalidSpec, r"broken\.json cannot be read as a table of results"),
        ("object.json", InvalidSpec, "expected a list of objects"),
        ("numbers.json", InvalidSpec, "expected a list of objects, one for each evaluation, .* got 1"),
        ("binary.csv", InvalidSpec, r"binary\.csv cannot be read"),
        ("binary.parquet", InvalidSpec, r"binary\.parquet cannot be read"),
        ("empty.csv", InvalidSpec, "none of the 0 in the file empty.csv"),
        ("others.csv", InvalidSpec, "none of the 1 in the file others.csv is of one: they are matched by"),
        ("metrics.csv", InvalidSpec, "Expected earlier results of speed, loss, .* it has 'config', 'weight'"),
    ],
)
def test_what_cannot_be_started_from_gets_a_sentence(
    given: Any, error: type[Exception], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "broken.json": "[{",
        "object.json": "{}",
        "numbers.json": "[1]",
        "empty.csv": "config,speed\n",
        "others.csv": "config,speed\nzebra,3\n",
        "metrics.csv": "config,weight\ngood,3\n",
    }.items():
        Path(name).write_text(text)
    for name in ("binary.csv", "binary.parquet"):
        Path(name).write_bytes(bytes(range(256)))
    storage = MemoryStorage()
    old_study(storage)
    with pytest.raises(error, match=said):
        study_in(storage, name="new", warm_start=given)
    assert [one.name for one in storage.studies()] == ["old"], "nothing was made"


def test_a_rule_that_cannot_be_steered_is_refused() -> None:
    limits = ["speed >= 1 ~ 0.1 : normal(1)", THRESHOLDS[1]]
    with pytest.raises(InvalidProblem, match="MultiTUCB does not look at margins"):
        study_in(configs=CONFIGS, thresholds=limits, rule="multitucb", warm_start=old_study())


@pytest.mark.parametrize(
    "change",
    [
        {"hints": [[99, [[1, 0.0, 0.0], [1, 0.0, 0.0]]]]},
        {"hints": [[0, [[1, 0.0, 0.0]]]]},
        {"hints": [[0, [[-1, 0.0, 0.0], [1, 0.0, 0.0]]]]},
        {"hints": [[0, [[1, "a", 0.0], [1, 0.0, 0.0]]]]},
        {"hints": [[1, []], [0, []]]},
        {"hints": 3},
        {"source": 3},
        {"evaluations": "many"},
        {"more": 1},
    ],
)
def test_a_log_with_hints_that_cannot_be_is_not_verified(change: dict[str, Any]) -> None:
    study = study_in(configs=CONFIGS, warm_start=old_study())
    first = next(iter(study.events()))
    content = json.loads(first.body)
    content["spec"]["warm_start"] |= change
    storage = MemoryStorage()
    storage.create("study", sealed(BEFORE_ALL, 1, Kind.CREATED, content))
    found = sf.verify(storage, "study")
    assert not found.ok
    assert "spec in the first event" in found.problems[0]


def test_other_hints_are_another_log() -> None:
    """Whoever changes what steered a study is found out: its asks no longer follow."""
    storage = MemoryStorage()
    old_study(storage)
    study = study_in(storage, configs=CONFIGS, name="new", warm_start="old")
    first_asks(study)
    events = list(study.events())
    content = json.loads(events[0].body)
    content["spec"]["warm_start"] = None
    other, head = MemoryStorage(), sealed(BEFORE_ALL, 1, Kind.CREATED, content)
    log = other.create("new", head)
    for event in events[1:]:
        head = sealed(head.digest, event.position, Kind(event.kind), event.content)
        log.extend(event.position - 1, lambda _, each=head: [each])
    found = sf.verify(other, "new")
    assert not found.ok
    assert "where the rule chooses" in found.problems[0]
