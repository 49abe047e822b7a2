"""Verification: any change to a log is noticed, and a log that nobody changed passes."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import satisfice as sf
from satisfice.errors import DamagedLog
from satisfice.study.events import Event, canonical, digest_of
from satisfice.study.storage.sql_log import SQLLog
from tests.helpers.forging import resealed
from tests.helpers.parts import Clock, finish, results_of, study_in

Tamper = Callable[[sqlite3.Connection], Any]
EVENTS = "satisfice_events"


def change_a_result(base: sqlite3.Connection) -> None:
    base.execute(f"UPDATE {EVENTS} SET body = replace(body, '\"loss\"', '') || ' ' WHERE position = 20")


def change_a_digit(base: sqlite3.Connection) -> None:
    position, body = base.execute(f"SELECT position, body FROM {EVENTS} WHERE kind = 'told' LIMIT 1").fetchone()
    content = json.loads(body)
    content["values"][0] += 1e-9
    base.execute(f"UPDATE {EVENTS} SET body = ? WHERE position = ?", (canonical(content), position))


def change_the_spec(base: sqlite3.Connection) -> None:
    base.execute(f"UPDATE {EVENTS} SET body = replace(body, '0.05', '0.15') WHERE position = 1")


def change_a_kind(base: sqlite3.Connection) -> None:
    base.execute(f"UPDATE {EVENTS} SET kind = 'failed' WHERE position = 21")


def change_the_verdict(base: sqlite3.Connection) -> None:
    base.execute(f"UPDATE {EVENTS} SET body = replace(body, 'good', 'slow') WHERE kind = 'verdict'")


def drop_one(base: sqlite3.Connection) -> None:
    base.execute(f"DELETE FROM {EVENTS} WHERE position = 30")


def drop_one_and_close_the_gap(base: sqlite3.Connection) -> None:
    drop_one(base)
    base.execute(f"UPDATE {EVENTS} SET position = -position WHERE position > 30")
    base.execute(f"UPDATE {EVENTS} SET position = -position - 1 WHERE position < 0")


def drop_the_last(base: sqlite3.Connection) -> None:
    base.execute(f"DELETE FROM {EVENTS} WHERE position = (SELECT max(position) FROM {EVENTS})")


def drop_the_first(base: sqlite3.Connection) -> None:
    base.execute(f"DELETE FROM {EVENTS} WHERE position = 1")


def swap_two(base: sqlite3.Connection) -> None:
    base.execute(f"UPDATE {EVENTS} SET position = -1 WHERE position = 40")
    base.execute(f"UPDATE {EVENTS} SET position = 40 WHERE position = 41")
    base.execute(f"UPDATE {EVENTS} SET position = 41 WHERE position = -1")


def repeat_one_at_the_end(base: sqlite3.Connection) -> None:
    base.execute(
        f"INSERT INTO {EVENTS} SELECT study_id, (SELECT max(position) + 1 FROM {EVENTS}), kind, number, body, digest "
        f"FROM {EVENTS} WHERE position = 25"
    )


def file_it_elsewhere(base: sqlite3.Connection) -> None:
    base.execute(f"UPDATE {EVENTS} SET number = 7777 WHERE position = 33")


def move_the_head(base: sqlite3.Connection) -> None:
    drop_the_last(base)
    base.execute("UPDATE satisfice_studies SET head_position = head_position - 1")


def add_one_and_leave_the_head(base: sqlite3.Connection) -> None:
    position, digest = base.execute(f"SELECT position, digest FROM {EVENTS} ORDER BY position DESC LIMIT 1").fetchone()
    body = canonical({"at": 5.0})
    row = (position + 1, "resumed", body, digest_of(digest, position + 1, "resumed", body))
    base.execute(f"INSERT INTO {EVENTS} (study_id, position, kind, body, digest) VALUES (1, ?, ?, ?, ?)", row)


TAMPERS: list[Tamper] = [
    change_a_result,
    change_a_digit,
    change_the_spec,
    change_a_kind,
    change_the_verdict,
    drop_one,
    drop_one_and_close_the_gap,
    drop_the_last,
    drop_the_first,
    swap_two,
    repeat_one_at_the_end,
    file_it_elsewhere,
    move_the_head,
    add_one_and_leave_the_head,
]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A finished study as the bytes of its database file."""
    path = tmp_path_factory.mktemp("finished") / "study.db"
    with study_in(f"sqlite:///{path}", clock=Clock()) as study:
        for _ in range(3):  # results out of order, too
            pulls = study.ask(8)
            for pull in reversed(pulls):
                study.tell(pull, results_of(pull))
        finish(study)
    with sqlite3.connect(path) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    base.close()
    return path.read_bytes()


@pytest.fixture
def database(finished: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "study.db"
    path.write_bytes(finished)
    return path


def tampered(path: Path, tamper: Tamper) -> None:
    base = sqlite3.connect(path)
    with base:
        tamper(base)
    base.close()


def test_a_log_that_nobody_changed(database: Path) -> None:
    report = sf.verify(f"sqlite:///{database}")
    assert report.ok
    assert report.verdict is not None
    assert report.verdict.arm == "good"
    assert sf.verify(f"sqlite:///{database}", head=report.head[:16]).ok
    assert "verified" in str(report)


@pytest.mark.parametrize("tamper", TAMPERS, ids=lambda tamper: tamper.__name__)
def test_every_change_is_noticed(database: Path, tamper: Tamper) -> None:
    tampered(database, tamper)
    try:
        report = sf.verify(f"sqlite:///{database}")
    except DamagedLog:
        return
    assert not report.ok
    assert report.verdict is None
    assert "NOT verified" in str(report)


@pytest.mark.parametrize("tamper", [change_a_digit, drop_one, swap_two], ids=lambda tamper: tamper.__name__)
def test_a_changed_log_is_not_worked_with(database: Path, tamper: Tamper) -> None:
    tampered(database, tamper)
    with pytest.raises(DamagedLog, match="restore it from a backup"):
        sf.load_study(f"sqlite:///{database}").verdict()


def test_a_study_that_goes_on_meanwhile_verifies(sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    study = study_in(sqlite)
    pulls = study.ask(5)
    read = SQLLog.read

    def reading(log: SQLLog, after: int) -> Iterator[Event]:
        yield from read(log, after)
        if log is not study._log and pulls:
            study.tell(pulls[0], results_of(pulls.pop(0)))

    monkeypatch.setattr(SQLLog, "read", reading)
    for _ in range(3):
        assert sf.verify(sqlite).problems == ()
    assert len(pulls) == 2


def rename_the_winner(kind: str, content: dict[str, Any]) -> None:
    if kind == "verdict":
        content["arm"], content["accepted"] = "slow", ["slow"]


def ask_for_another(kind: str, content: dict[str, Any]) -> None:
    if kind == "asked" and content["number"] == 3:
        content["arm"] = (content["arm"] + 1) % 3


def lose_the_losses(kind: str, content: dict[str, Any]) -> None:
    if kind == "told":
        content["values"][1] = 1.0


@pytest.mark.parametrize("change", [rename_the_winner, ask_for_another, lose_the_losses])
def test_a_log_with_new_seals_must_still_make_sense(
    database: Path, change: Callable[[str, dict[str, Any]], None]
) -> None:
    tampered(database, lambda base: resealed(base, change))
    assert not sf.verify(f"sqlite:///{database}").ok


def test_a_log_written_anew_from_end_to_end_is_noticed_by_its_head(database: Path) -> None:
    noted = sf.verify(f"sqlite:///{database}").head

    def later(kind: str, content: dict[str, Any]) -> None:
        content["at"] += 1.0

    tampered(database, lambda base: resealed(base, later))
    assert sf.verify(f"sqlite:///{database}").ok
    report = sf.verify(f"sqlite:///{database}", head=noted)
    assert not report.ok
    assert "does not contain the seal" in report.problems[0]


def test_the_seal_is_what_the_documentation_says(database: Path) -> None:
    base = sqlite3.connect(database)
    rows = base.execute(f"SELECT position, kind, body, digest FROM {EVENTS} ORDER BY position LIMIT 2").fetchall()
    base.close()
    first = sha256(f"\n1\ncreated\n{rows[0][2]}".encode()).hexdigest()
    assert rows[0][3] == first
    assert rows[1][3] == sha256(f"{first}\n2\n{rows[1][1]}\n{rows[1][2]}".encode()).hexdigest()
