"""What makes two studies, subjects or configurations the same: what a search does, not how it is looked after."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

import satisfice as sf
from satisfice.study.subject import Machine, Subject
from satisfice.study.warm_start import EarlierResult, _Places
from tests.helpers.parts import study_in

OTHER = {
    "configs": (("a", {}), ("b", {})),
    "thresholds": ("x >= 1 : normal(1)",),
    "error_rate": 0.2,
    "goal": 2,
    "seed": 99,
    "durations": ("x",),
    "cost": 3.0,
    "min_evaluations": 7,
    "baseline": ("base", {}),
}
HANDLING = {"lease_seconds": 12345.0, "procedure": 99, "warm_start": None}


def test_a_study_is_another_by_what_it_searches_and_not_by_how_failures_are_handled():
    spec = study_in(None).spec
    for name, value in OTHER.items():
        assert replace(spec, **{name: value}) != spec, name
    for name, value in HANDLING.items():
        assert replace(spec, **{name: value}) == spec, name
    assert replace(spec, policy=replace(spec.policy, retries=spec.policy.retries + 1)) == spec


def test_a_subject_is_the_same_on_another_machine():
    here = Subject(words=("run", "{x}"), revision="1")
    assert replace(here, machine=Machine(*("elsewhere" for _ in Machine._fields)), generation_of="nightly") == here
    assert replace(here, revision="2") != here


def test_a_view_shows_itself_without_the_search_and_the_evaluations_behind_it():
    study = study_in(None)
    study.ask()
    assert "_search" not in repr(study.view())
    assert "_open" not in repr(study.view())


CONFIGS = (("plain", {}), ("one", {"x": 1}), ("two", {"x": 2, "y": "a"}), ("other", {"y": "a", "x": 3}))


@pytest.mark.parametrize(
    ("config", "parameters", "in_a_study", "in_a_table"),
    [
        ("plain", {}, 0, 0),
        (None, {"x": 1}, 1, 1),
        ("whatever", {"x": "1"}, 1, 1),
        ("whatever", {"x": 2, "y": "a"}, 2, 2),
        ("whatever", {"y": "a", "x": 3}, 3, 3),
        ("two", {"x": 1, "z": 5}, None, 1),
        ("one", {}, None, 1),
        ("one", {"x": 7}, None, 1),
        ("plain", {"x": 7}, None, 0),
        ("whatever", {"x": 7}, None, None),
        (None, {}, None, None),
        (None, {"x": 7}, None, None),
    ],
)
def test_earlier_results_are_of_a_config_by_its_parameters_or_its_name(config, parameters, in_a_study, in_a_table):
    """A study says all parameters of its configs, so that they must be the same; a table may have further columns."""
    places = _Places(CONFIGS)
    assert places.of(EarlierResult(config, parameters, {})) == in_a_study
    assert places.of(EarlierResult(config, parameters, {}, exact=False)) == in_a_table


def test_who_reads_does_not_wait_for_who_writes(sqlite: str):
    """Another process holds the lock for writing for longer than anybody waits."""
    study = sf.create_study(["a", "b"], ["x >= 0 : normal(1)"], storage=sqlite)
    study.tell(study.ask(), {"x": 1.0})
    other = sqlite3.connect(Path(sqlite.removeprefix("sqlite:///")), isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    seen = sf.load_study(sqlite)
    assert (seen.view().counts.told, seen.verdict().evaluations) == (1, 1)
    assert len(list(seen.events())) == len(list(study.events()))
    other.execute("ROLLBACK")
    other.close()
