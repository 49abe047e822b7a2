"""The tables of a storage and their versions, the file of an SQLite storage, and database errors as sentences.

Passwords never appear in these.
"""

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from sqlalchemy import (
    Column,
    Connection,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)
from sqlalchemy.exc import DBAPIError

from satisfice.errors import StorageError, StorageUnreachable
from satisfice.study.storage.passwords import hidden

SCHEMA_VERSION = 1
MIGRATION_LOCK = 0x5A715F1CE
"""Any number that other programs do not use for an advisory lock of PostgreSQL."""
STUDY_LOCKS = 0x5A715F1
"""The same for locks of single studies, which have two numbers."""
LINE_LOCKS = 0x5A715F2
"""The same for the place of who is next to have a study's lock."""

OWN_NAMES = "satisfice_"
"""What the names of all tables begin with."""

metadata = MetaData()

schema_version = Table("satisfice_schema", metadata, Column("version", Integer, nullable=False))
"""One row: the version of the tables."""

studies = Table(
    "satisfice_studies",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(500), nullable=False, unique=True),
    Column("identity", String(64), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("head_position", Integer, nullable=False),
    Column("head_digest", String(64), nullable=False),
)
"""One row for each study; the head is what a dropped last event is noticed by."""

events = Table(
    "satisfice_events",
    metadata,
    Column("study_id", Integer, primary_key=True),  # no foreign key: the check would double the cost of an event
    Column("position", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("number", Integer),
    Column("body", Text, nullable=False),
    Column("digest", String(64), nullable=False),
)
Index("satisfice_events_by_number", events.c.study_id, events.c.number)

snapshots = Table(
    "satisfice_snapshots",
    metadata,
    Column("study_id", Integer, ForeignKey("satisfice_studies.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("version", String(40), nullable=False),
    Column("data", LargeBinary, nullable=False),
)

beats = Table(
    "satisfice_beats",
    metadata,
    Column("study_id", Integer, ForeignKey("satisfice_studies.id"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("attempt", Integer, nullable=False),
    Column("expires", Float, nullable=False, key="sign"),  # called so when it was a time
)

MIGRATIONS: dict[int, Callable[[Connection], None]] = {}
"""By the version that they start from: what turns its tables into those of the next version."""


def next_number(connection: Connection) -> dict[str, int]:
    """The column for the number of a new study: one that no study ever had, deleted ones included.

    PostgreSQL counts by itself. SQLite would give the number of the last study again; so the largest one ever given
    stands in the file's header, where a number is free for applications, and changes with the transaction.
    """
    if connection.dialect.name != "sqlite":
        return {}
    given = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
    number = max(given, connection.execute(select(func.max(studies.c.id))).scalar() or 0) + 1
    connection.exec_driver_sql(f"PRAGMA user_version = {number}")
    return {"id": number}


def version_found(connection: Connection) -> int | None:
    """The version of the tables in a database; None where there are none."""
    check_plain_tables(connection)
    if not inspect(connection).has_table(schema_version.name):
        return None
    return connection.execute(select(func.max(schema_version.c.version))).scalar()


def check_plain_tables(connection: Connection) -> None:
    """Raise where what has the name of a table of ours is computed, or does something else when it is written.

    A file of somebody else may have a view in its place, which never ends or takes all memory in a file of a few KB.
    """
    if connection.dialect.name != "sqlite":
        return
    for kind, name, table, page in connection.exec_driver_sql(
        "SELECT type, name, tbl_name, rootpage FROM sqlite_master"
    ):
        if not str(table).lower().startswith(OWN_NAMES):
            continue
        plain = kind == "index" or (kind == "table" and page)
        if plain and kind == "table":
            columns = connection.exec_driver_sql("SELECT hidden FROM pragma_table_xinfo(?)", (table,))
            plain = not any(hidden_as for (hidden_as,) in columns)
        if not plain:
            raise StorageError(
                f"The database has the {kind} {name!r:.60} in place of, or on, a table of satisfice, which has plain "
                "tables alone: somebody changed it. Restore it from a backup."
            )


def check_version(found: int, where: str) -> None:
    """Raise if the tables are of a version that this program does not know."""
    if found > SCHEMA_VERSION:
        raise StorageError(
            f"{where} was written by a newer satisfice: its tables have version {found}, and this one knows versions "
            f"up to {SCHEMA_VERSION}. Nothing was changed. Upgrade satisfice, or use another storage."
        )


def prepare(connection: Connection, where: str) -> None:
    """Make the tables, or bring older ones to this version; to be called in a transaction that may write."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATION_LOCK})
    found = version_found(connection)
    if found is None:
        metadata.create_all(connection)
        connection.execute(insert(schema_version), {"version": SCHEMA_VERSION})
        return
    check_version(found, where)
    for version in range(found, SCHEMA_VERSION):
        MIGRATIONS[version](connection)
        connection.execute(update(schema_version), {"version": version + 1})


AGAIN = "Nothing that was recorded is lost; run the same again when it is."

SENTENCES: tuple[tuple[str, str], ...] = (
    ("password authentication failed", "{where} refuses the user name or the password. Check both in the URL."),
    ("no password supplied", "{where} asks for a password, and the URL has none."),
    ("no pg_hba.conf entry", "{where} does not let this user in from this machine. Ask who runs the server."),
    ("role", "{where} does not know this user. Check the user name in the URL."),
    ("readonly database", "{where} can be read but not written. Make the file and its folder writable. " + AGAIN),
    ("read-only transaction", "{where} can be read but not written. Use the main server, not a replica."),
    ("disk is full", "The disk of {where} is full. Make room. " + AGAIN),
    ("no space left", "The disk of {where} is full. Make room. " + AGAIN),
    ("could not extend file", "The disk of {where} is full. Make room. " + AGAIN),
    ("disk i/o error", "The disk of {where} could not be read or written. Check it for free space and for errors."),
    ("file is not a database", "{where} is not an SQLite database. Give another file name; this file was not changed."),
    ("malformed", "{where} is damaged: SQLite cannot read it. Restore it from a backup."),
    ("interrupted", "{where} is damaged: SQLite comes to no end of it. Restore it from a backup."),
    ("unable to open database file", "{where} cannot be opened. Is its folder there, and may it be written?"),
    ("permission denied", "{where} does not allow this. Give its user the right to make and change tables there."),
)
UNREACHABLE = (
    "connection", "connect", "server closed", "starting up", "shutting down", "recovery", "terminat", "timeout",
    "could not translate", "resolve", "not currently accepting",
)  # fmt: skip
"""Words by which a database says that it cannot be reached now; the rest is a mistake that stays one."""


def told_beside(error: Exception) -> Exception | None:
    """What a traceback may show as the cause: the error itself, unless a password is in it."""
    return error if hidden(str(error)) == str(error) else None


def sentence_for(error: Exception, where: str) -> StorageError:
    """An error of SQLAlchemy or of a driver as one of ours."""
    cause = getattr(error, "orig", None) or error
    said = hidden(" ".join(str(cause).split()))
    low = said.lower()
    if "database is locked" in low:
        return StorageUnreachable(
            f"{where} was locked by another process for too long. Is one of them stopped in the middle? {AGAIN}"
        )
    if "database" in low and "does not exist" in low:
        return StorageError(f"The database of {where} does not exist. Create it, or correct the URL.")
    for words, sentence in SENTENCES:
        if words in low and (words != "role" or "does not exist" in low):
            return StorageError(sentence.format(where=where))
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    lost = lost or (type(cause).__name__ == "OperationalError" and getattr(cause, "sqlstate", "") is None)
    if lost or any(word in low for word in UNREACHABLE):
        return StorageUnreachable(f"{where} does not answer ({said:.200}). Is the server running and the URL right?")
    return StorageError(f"{where} failed: {said:.300}")


def address_for_reading(path: str) -> str | None:
    """How SQLite opens a file that cannot be written, or lies where nothing can be; None for any other.

    Beside a database SQLite keeps a log of what was written last, PATH-wal. Where it is not there and cannot be made
    nobody is writing, and the file can be read as one that does not change.
    """
    file = Path(path)
    folder_open, file_open = _writable(file.parent), _writable(file)
    if not file.exists() or (folder_open and file_open):
        return None
    alone = not folder_open and not Path(f"{path}-wal").exists()
    return f"file:{quote(path)}?{'immutable=1' if alone else 'mode=ro'}"


def make_private(path: str) -> bool:
    """Make an empty file that nobody but its owner may read, as programs' words come into it; whether none was there.

    What SQLite puts beside a file may be read by those who may read the file.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return False
    return True


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


class SameFile:
    """Notices when a file was removed, renamed or replaced since `note`: what is written then is lost to all others."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._noted: tuple[int, int] | None = None

    def note(self) -> None:
        self._noted = self._found()

    def check(self) -> None:
        if self._noted is not None and self._found() != self._noted:
            happened = "replaced" if self._path.exists() else "deleted or renamed"
            raise StorageError(
                f"The file {str(self._path)!r} was {happened} while this study was using it. What was recorded is in "
                "that file, wherever it is now; nothing more is written to it. Put it back and run the same again."
            )

    def _found(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino
