"""Each log that is kept verifies, with the head and the verdict that it had when it was recorded."""

import json

import pytest

import satisfice as sf
from tests.referee import logs
from tests.referee.studies import STUDIES

HEADS = json.loads(logs.HEADS.read_text())


def test_every_study_has_a_log():
    assert list(HEADS) == list(STUDIES)
    assert {path.stem for path in logs.FOLDER.iterdir()} == set(STUDIES)


@pytest.mark.parametrize("name", STUDIES)
def test_a_log_says_what_it_said(name):
    found = sf.verify(logs.read(name), name)
    assert found.problems == ()
    said = {"events": found.events, "head": found.head, **logs.said(found.verdict)}
    assert json.loads(json.dumps(said)) == HEADS[name]
