"""Event logs in a database: SQLite for one machine, PostgreSQL for many. Every transaction is on disk when it ends."""

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Connection,
    delete,
    insert,
    select,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from satisfice.errors import MissingStorage, StorageError
from satisfice.study.errors import name_needed, no_such_study, study_exists
from satisfice.study.events import Event
from satisfice.study.storage import sql_summaries
from satisfice.study.storage.protocol import StudySummary
from satisfice.study.storage.sql_engine import (
    checked_url,
    described,
    driver_of,
    engine_of,
    for_reading,
    transaction,
)
from satisfice.study.storage.sql_log import KnownStudy, SQLLog
from satisfice.study.storage.sql_schema import (
    SCHEMA_VERSION,
    SameFile,
    beats,
    check_version,
    events,
    next_number,
    prepare,
    sentence_for,
    snapshots,
    studies,
    told_beside,
)
from satisfice.study.storage.sql_schema import version_found as version_of
from satisfice.study.summary import KeptSummary


class SQLStorage:
    """The studies of one database."""

    def __init__(self, url: str, *, create: bool = True, read_only: bool = False) -> None:
        self._url, self._read_only = checked_url(url), read_only
        self.where = described(self._url)
        self._engine = engine_of(self._url, read_only=read_only)
        self._file = SameFile(str(self._url.database)) if self._engine.name == "sqlite" else None
        if not create and self._engine.name == "sqlite" and not Path(str(self._url.database)).exists():
            raise MissingStorage(f"There is no file {self._url.database!r}. Check the path in {self.where}.")
        with self._connection() as connection:
            found = version_of(connection)
        if found is None and not create:
            raise name_needed((), self.where)
        if found is not None and found < SCHEMA_VERSION and read_only:
            raise StorageError(
                f"{self.where} was written by an older satisfice, and is only read here. `satisfice list` brings its "
                "tables up to date."
            )
        if found is None or found < SCHEMA_VERSION:
            with self._connection(writing=True) as connection:
                prepare(connection, self.where)
        else:
            check_version(found, self.where)
        if self._file is not None:
            self._file.note()

    def __str__(self) -> str:
        return self.where

    def create(self, name: str, first: Event) -> SQLLog:
        row: dict[str, Any] = {
            "name": name,
            "identity": first.content["identity"],
            "created_at": first.content["at"],
            "head_position": first.position,
            "head_digest": first.digest,
        }
        with self._connection(writing=True) as connection:
            try:
                row |= next_number(connection)
                made = connection.execute(insert(studies).returning(studies.c.id), row).scalar_one()
            except IntegrityError:
                raise study_exists(name, self.where) from None
            connection.execute(insert(events), _row(made, first))
        return SQLLog(self._engine, self.where, KnownStudy(name, made, row["identity"]), self._file)

    def open(self, name: str) -> SQLLog:
        with self._connection() as connection:
            found = self._found(connection, name)
        return SQLLog(self._engine, self.where, found, self._file)

    @contextmanager
    def sharing(self) -> Iterator[Callable[[str], SQLLog]]:
        """Within it logs are opened to be read, all over one connection."""

        def opened(name: str) -> SQLLog:
            with self._in_sentences(), transaction(connection, writing=False):
                found = self._found(connection, name)
            return SQLLog(self._engine, self.where, found, self._file, shared=connection)

        with self._in_sentences():
            connection = for_reading(self._engine)
        with connection:
            yield opened

    def delete(self, name: str) -> None:
        with self._connection(writing=True) as connection:
            _, found, identity = self._found(connection, name)
            sql_summaries.forget(connection, identity)
            for table in (beats, snapshots, events):
                connection.execute(delete(table).where(table.c.study_id == found))
            connection.execute(delete(studies).where(studies.c.id == found))

    def _found(self, connection: Connection, name: str) -> KnownStudy:
        """A study by its name; UnknownStudy if there is none of that name."""
        row = connection.execute(select(studies.c.id, studies.c.identity).where(studies.c.name == name)).first()
        if row is None:
            raise no_such_study(name, connection.execute(select(studies.c.name)).scalars(), self.where)
        return KnownStudy(name, *row)

    def copy_into(self, other: sqlite3.Connection) -> bool:
        """Copy the whole database into another one, as it is at one moment, if it is SQLite's; whether it is."""
        if self._engine.name == "sqlite":
            with self._connection() as connection:
                driver_of(connection).backup(other)
        return self._engine.name == "sqlite"

    def studies(self) -> tuple[StudySummary, ...]:
        with self._connection() as connection:
            rows = connection.execute(
                select(studies.c.name, studies.c.identity, studies.c.created_at, studies.c.head_position).order_by(
                    studies.c.name
                )
            ).all()
        return tuple(StudySummary(*row) for row in rows)

    def summaries(self) -> Mapping[str, KeptSummary]:
        with self._connection() as connection:
            return sql_summaries.kept(connection)

    def keep_summaries(self, found: Sequence[KeptSummary]) -> None:
        if self._read_only:
            return
        with self._connection(writing=True) as connection:
            sql_summaries.keep(connection, found)

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _connection(self, writing: bool = False) -> Iterator[Connection]:
        with self._in_sentences(), self._engine.connect() as connection, transaction(connection, writing):
            yield connection

    @contextmanager
    def _in_sentences(self) -> Iterator[None]:
        try:
            yield
        except (SQLAlchemyError, self._engine.dialect.loaded_dbapi.Error) as error:
            raise sentence_for(error, self.where) from told_beside(error)


def _row(study: int, one: Event) -> dict[str, Any]:
    return {
        "study_id": study,
        "position": one.position,
        "kind": str(one.kind),
        "number": one.number,
        "body": one.body,
        "digest": one.digest,
    }
