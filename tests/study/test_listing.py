"""Lists of studies: what is wrong with one is said in its row, and hides no other."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from examples.json_lines import JsonLines
from satisfice.study import listing
from satisfice.study.events import canonical
from satisfice.study.listing import StudyList
from satisfice.study.storage.protocol import open_storage
from satisfice.study.storage.sql_log import SQLLog
from satisfice.study.summary import KeptSummary, _seal, said_in
from tests.helpers.parts import finish, results_of, study_in
from tests.web.serving import served


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


@pytest.fixture(params=["sqlite", "postgres"])
def database(request: pytest.FixtureRequest) -> str:
    return str(request.getfixturevalue(request.param))


def several(url: str, number: int = 3) -> None:
    """Studies that were closed, of which one has a verdict."""
    for place in range(number):
        with study_in(url, name=f"study {place}") as study:
            for pull in study.ask(4):
                study.tell(pull, results_of(pull))
    with study_in(url, name="found") as study:
        finish(study)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the studies that a list opens."""
    names: list[str] = []

    class Noted(listing.Study):
        def __init__(self, name: str, *given: Any, **named: Any) -> None:
            names.append(name)
            super().__init__(name, *given, **named)

    monkeypatch.setattr(listing, "Study", Noted)
    return names


def test_a_list_opens_what_has_grown_since(database: str, opened: list[str]) -> None:
    """Before, it opened each study, which took a minute for a thousand."""
    several(database)
    plain = rows_in(database)
    assert opened == []
    assert (plain["found"].outcome, plain["study 1"].evaluations) == ("FOUND", 4)
    pull = (study := study_in(database, name="study 1", load_if_exists=True)).ask()
    study.tell(pull, results_of(pull))
    assert rows_in(database)["study 1"].evaluations == 5
    assert opened == ["study 1"]
    rows_in(database)
    assert opened == ["study 1"], "what a list found out is kept, too"


def test_a_list_over_http_is_one_answer(database: str, opened: list[str]) -> None:
    several(database)
    with served(database) as web:
        kept = open_storage(str(web.base_url))
        asked = []
        kept._client.event_hooks["request"].append(asked.append)
        found = StudyList(kept).complete()
    assert [row.outcome for row in found] == ["FOUND"] + ["UNDECIDED"] * 3
    assert (len(asked), opened) == (1, [])


def test_a_list_makes_no_connection_for_each_study(database: str, opened: list[str]) -> None:
    from sqlalchemy import event  # noqa: PLC0415 - of an extra

    several(database, number=20)
    kept, made = open_storage(database), []
    kept.keep_summaries([one._replace(seal="") for one in kept.summaries().values()])
    event.listen(kept._engine, "connect", lambda *_: made.append(1))
    assert len(StudyList(kept).complete()) == len(opened) == 21
    assert len(made) < 8


@pytest.mark.parametrize(
    "changed", [{"text": "{}"}, {"text": "["}, {"seal": "0" * 64}, {"text": canonical({"outcome": "FOUND"})}]
)
def test_summaries_that_somebody_changed_are_left_alone(
    changed: dict[str, str], sqlite: str, opened: list[str]
) -> None:
    several(sqlite)
    kept = open_storage(sqlite)
    kept.keep_summaries([one._replace(**changed) for one in kept.summaries().values()])
    assert rows_in(sqlite)["study 0"].evaluations == 4
    assert len(opened) == 4


@pytest.mark.parametrize(
    ("field", "odd"),
    [("created_at", 1e300), ("outcome", "text"), ("accepted", [1]), ("configs", -1), ("evaluations", 0.5), ("x", 1)],
)
def test_odd_summaries_with_a_right_seal_say_nothing(field: str, odd: Any, sqlite: str) -> None:
    several(sqlite, number=1)
    one = next(iter(open_storage(sqlite).summaries().values()))
    assert said_in(one) is not None
    text = canonical({**json.loads(one.text), field: odd})
    assert said_in(KeptSummary(one.identity, one.head, text, _seal(one.identity, one.head, text))) is None


def test_a_file_without_the_table_is_listed(sqlite: str, opened: list[str]) -> None:
    several(sqlite)
    with sqlite3.connect(sqlite.removeprefix("sqlite:///")) as base:
        base.execute("DROP TABLE satisfice_summaries")
    base.close()
    kept = open_storage(sqlite, read_only=True)
    assert len(StudyList(kept).complete()) == len(opened) == 4
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SQLLog, "keep_summary", lambda *_: pytest.fail("nothing was recorded"))
        rows_in(sqlite)
