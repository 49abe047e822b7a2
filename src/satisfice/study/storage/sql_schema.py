"""The tables of a storage, their version, and how an older version becomes this one."""

from collections.abc import Callable

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

from satisfice.errors import StorageError

SCHEMA_VERSION = 1
MIGRATION_LOCK = 0x5A715F1CE
"""Any number that other programs do not use for an advisory lock of PostgreSQL."""
STUDY_LOCKS = 0x5A715F1
"""The same for locks of single studies, which have two numbers."""
LINE_LOCKS = 0x5A715F2
"""The same for the place of who is next to have a study's lock."""

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
    if not inspect(connection).has_table(schema_version.name):
        return None
    return connection.execute(select(func.max(schema_version.c.version))).scalar()


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
