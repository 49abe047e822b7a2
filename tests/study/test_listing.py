"""Lists of studies: what is wrong with one is said in its row, and hides no other."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from examples.json_lines import JsonLines
from satisfice.study.listing import StudyList
from satisfice.study.storage.protocol import open_storage
from tests.helpers.parts import finish, study_in


def rows_in(storage: Any) -> dict[str, Any]:
    kept = open_storage(storage)
    return {row.name: row for row in StudyList(kept).complete()}


def test_what_is_said_of_each(storage: Any) -> None:
    kept = open_storage(storage)
    with study_in(kept, name="found") as study:
        verdict = finish(study)
    study_in(kept, name="begun").ask(2)
    listed = StudyList(kept)
    assert [row.outcome for row in listed.rows()] == [None, None]
    begun, found = listed.complete()
    assert (begun.outcome, begun.configs, begun.evaluations, begun.running) == ("UNDECIDED", 3, 0, 2)
    assert (found.outcome, found.config, found.accepted) == ("FOUND", "good", ("good",))
    assert found.evaluations == verdict.evaluations
    assert listed.rows() == [begun, found]


@pytest.mark.parametrize("column", ["created_at", "identity", "head_position", "head_digest"])
@pytest.mark.parametrize("odd", ["1e300", "1e12", "-9e999", "'text'", "x'ff'"])
def test_odd_rows_of_a_database(column: str, odd: str, sqlite: str) -> None:
    """Before, one row with the time 1e300 made the list fail for the whole storage."""
    for name in ("kept", "odd"):
        study_in(sqlite, name=name).close()
    with sqlite3.connect(sqlite.removeprefix("sqlite:///")) as base:
        base.execute(f"UPDATE satisfice_studies SET {column} = {odd} WHERE name = 'odd'")
    base.close()
    found = rows_in(sqlite)
    assert found["kept"].outcome == "UNDECIDED"
    assert found["odd"].outcome == "UNDECIDED" or found["odd"].trouble.endswith(".")


def test_a_file_of_which_one_log_cannot_be_read(tmp_path: Path) -> None:
    kept = JsonLines(f"json-lines://{tmp_path}")
    for name in ("kept", "odd"):
        study_in(kept, name=name).close()
    path = tmp_path / "odd.jsonl"
    path.write_text(path.read_text().replace('{\\"at\\"', "{at"))
    found = rows_in(kept)
    assert found["kept"].outcome == "UNDECIDED"
    assert "cannot be read" in found["odd"].trouble
