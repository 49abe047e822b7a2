"""Connections to databases: which one a URL names, and how transactions begin there."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from satisfice.errors import InvalidStorage, StorageError

BUSY_SECONDS = 30.0
"""How long one waits for another process that writes to the same SQLite file."""
STUCK_SECONDS = 60
"""After this time PostgreSQL ends the transaction of a worker that holds a study and does nothing."""


def checked_url(given: str) -> URL:
    try:
        url = make_url(given)
    except ArgumentError:
        raise InvalidStorage(
            f"Expected a storage URL such as 'sqlite:///study.db' or 'postgresql://user@host/database', got "
            f"{'something else with a password in it' if '@' in given else repr(given)}."
        ) from None
    backend = url.get_backend_name()
    if backend == "sqlite":
        if not url.database or url.database == ":memory:":
            raise InvalidStorage("An SQLite storage needs a file: 'sqlite:///study.db'. In memory: storage=None.")
        return url.set(drivername="sqlite+pysqlite")
    if backend in ("postgresql", "postgres"):
        return url.set(drivername="postgresql+psycopg")
    raise InvalidStorage(
        f"Storages are SQLite ('sqlite:///study.db') and PostgreSQL ('postgresql://user@host/database'), "
        f"got {url.render_as_string(hide_password=True)!r}."
    )


def described(url: URL) -> str:
    if url.get_backend_name() == "sqlite":
        return f"sqlite:///{url.database}"
    return url.set(drivername="postgresql").render_as_string(hide_password=True)


def engine_of(url: URL) -> Engine:
    try:
        return _sqlite(url) if url.get_backend_name() == "sqlite" else _postgres(url)
    except (NoSuchModuleError, ModuleNotFoundError):
        raise StorageError(
            "PostgreSQL needs the package psycopg: pip install 'satisfice[postgres]' or 'psycopg[binary]'."
        ) from None


def _sqlite(url: URL) -> Engine:
    engine = create_engine(url, poolclass=NullPool, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False})

    @event.listens_for(engine, "connect")
    def settle(connection: sqlite3.Connection, _: Any) -> None:
        connection.isolation_level = None  # we begin transactions ourselves
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.info.get("writing") else "BEGIN")

    return engine


def _postgres(url: URL) -> Engine:
    waits = f"-c idle_in_transaction_session_timeout={STUCK_SECONDS}s {url.query.get('options', '')}"
    return create_engine(url, poolclass=NullPool, connect_args={"connect_timeout": 10, "options": waits.strip()})


@contextmanager
def transaction(connection: Connection, writing: bool) -> Iterator[None]:
    connection.info["writing"] = writing
    with connection.begin():
        yield
