"""A database of somebody else whose tables are computed: a few KB that no reader would come to the end of."""

import sqlite3
import struct
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


@pytest.mark.parametrize("table", ["satisfice_schema", "satisfice_studies"])
def test_pages_that_lead_to_each_other_are_not_followed_for_ever(table: str, tmp_path: Path) -> None:
    """Seven pages, each of which names the next one 300 times, made `list` run without end or take 5 GB."""
    path = tmp_path / "study.db"
    changed(path, "PRAGMA wal_checkpoint(TRUNCATE)", "PRAGMA journal_mode = DELETE", "VACUUM")
    base = sqlite3.connect(path)
    (root,) = base.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    (size,) = base.execute("PRAGMA page_size").fetchone()
    base.close()
    data = bytearray(path.read_bytes())
    last = len(data) // size + 1
    data += data[(root - 1) * size : root * size]
    for child in range(last, last + 6):
        data += interior(child, size)
    data[(root - 1) * size : root * size] = interior(last + 6, size)
    data[28:32], data[92:96] = (last + 6).to_bytes(4, "big"), data[24:28]
    path.write_bytes(data)
    with pytest.raises(StorageError, match="comes to no end"):
        open_storage(f"sqlite:///{path}", create=False, read_only=True).summaries()


def interior(child: int, size: int, times: int = 300) -> bytes:
    """An interior page of a table whose children are all the same page."""
    start = size - 5 * times
    head = struct.pack(">BHHHBI", 5, 0, times, start, 0, child)
    places = b"".join(struct.pack(">H", start + 5 * cell) for cell in range(times))
    return (head + places).ljust(start, b"\0") + struct.pack(">IB", child, 1) * times
