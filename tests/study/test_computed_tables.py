"""A database of somebody else whose tables are computed: a few KB that no reader would come to the end of."""

import sqlite3
from pathlib import Path

import pytest

from satisfice.errors import StorageError
from satisfice.study import verify
from satisfice.study.storage.backup import back_up
from satisfice.study.storage.protocol import open_storage
from tests.helpers.parts import finish, study_in

ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT kept.* FROM kept, t WHERE n < 0"
HUGE = "SELECT kept.*, printf('%.*c', 900000000, ' ') FROM kept"
TABLES = ("satisfice_schema", "satisfice_studies", "satisfice_events", "satisfice_snapshots", "satisfice_beats")


def changed(path: Path, *statements: str) -> str:
    """The address of a database with a study, in which that was done."""
    with study_in(f"sqlite:///{path}") as study:
        finish(study)
    base = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        base.execute(statement)
    base.close()
    return f"sqlite:///{path}"


@pytest.mark.parametrize("name", [*TABLES, "satisfice_summaries", "SATISFICE_Events"])
@pytest.mark.parametrize("view", [ENDLESS, HUGE])
def test_a_view_is_no_table(name: str, view: str, tmp_path: Path) -> None:
    there = [] if name == "satisfice_summaries" else [f"ALTER TABLE {name} RENAME TO kept"]
    drop = ["DROP TABLE IF EXISTS satisfice_summaries", "CREATE TABLE kept (x)"] if not there else []
    refused(changed(tmp_path / "study.db", *there, *drop, f"CREATE VIEW {name} AS {view}"), tmp_path)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE satisfice_events ADD COLUMN more GENERATED ALWAYS AS (printf('%.*c', 900000000, ' ')) VIRTUAL",
        "CREATE TRIGGER also AFTER INSERT ON satisfice_events BEGIN DELETE FROM satisfice_events; END",
        "CREATE VIRTUAL TABLE satisfice_more USING fts5(body)",
    ],
)
def test_a_table_is_stored_and_nothing_else(statement: str, tmp_path: Path) -> None:
    refused(changed(tmp_path / "study.db", statement), tmp_path)


def test_tables_of_others_are_none_of_ours(tmp_path: Path) -> None:
    more = ("CREATE TABLE mine (x)", "CREATE VIEW best AS SELECT * FROM satisfice_events")
    assert verify(changed(tmp_path / "study.db", *more)).ok


def refused(address: str, folder: Path) -> None:
    for read_only in (True, False):
        with pytest.raises(StorageError, match="plain tables alone"):
            open_storage(address, create=False, read_only=read_only)
    with pytest.raises(StorageError, match="plain tables alone"):
        back_up(address, folder / "copy.db")
    assert "plain tables alone" in str(verify(address))
