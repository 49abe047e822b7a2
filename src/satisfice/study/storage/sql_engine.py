"""Connections to databases: which one a URL names, and how transactions begin there."""

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError
from sqlalchemy.pool import NullPool

from satisfice.errors import InvalidStorage
from satisfice.extras import need
from satisfice.study.storage.passwords import hidden, shown_address
from satisfice.study.storage.sql_schema import address_for_reading, make_private
from satisfice.study.storage.sql_turns import BUSY_SECONDS, Line, Meanwhile, begin

STUCK_SECONDS = 60
"""After this time PostgreSQL ends the transaction of a worker that holds a study and does nothing."""

STEPS_AT_ONCE = 1_000_000
FEWEST_STEPS, STEPS_FOR_A_BYTE = 5_000_000, 100
"""Of a transaction of SQLite's machine: what reads every row takes some tens for each. One that takes more goes round
in circles: pages of a file of somebody else may lead to each other, a few of them to more rows than ever end."""

ALONE: dict[str, Any] = {"poolclass": NullPool, "pool_reset_on_return": None}
"""Connections are not shared, and closed as they are: to end their transaction first may fail, with a traceback."""


def checked_url(given: str) -> URL:
    try:
        url = _with_password_in_place(make_url(given))
    except (ArgumentError, ValueError):
        raise InvalidStorage(
            "Expected a storage URL such as 'sqlite:///study.db' or 'postgresql://user@host/database', got "
            f"{shown_address(given)}."
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
        f"got {hidden(url.render_as_string(hide_password=True))!r}."
    )


def _with_password_in_place(url: URL) -> URL:
    """The URL with a password from its query where passwords stand, and are hidden."""
    given = url.query.get("password")
    if given is None:
        return url
    return url.difference_update_query(["password"]).set(password=given if isinstance(given, str) else given[-1])


def described(url: URL) -> str:
    if url.get_backend_name() == "sqlite":
        return f"sqlite:///{url.database}"
    return hidden(url.set(drivername="postgresql").render_as_string(hide_password=True))


def engine_of(url: URL, *, read_only: bool = False) -> Engine:
    if url.get_backend_name() == "sqlite":
        return _sqlite(url, read_only)
    need("PostgreSQL", "psycopg")
    return _postgres(url, read_only)


def _sqlite(url: URL, read_only: bool) -> Engine:
    engine = create_engine(url, **ALONE, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False})
    path = str(url.database)
    line = Line(path)

    @event.listens_for(engine, "do_connect")
    def connect(_: Any, __: Any, ___: Any, given: dict[str, Any]) -> sqlite3.Connection | None:
        with suppress(OSError):  # SQLite then says what is wrong
            make_private(os.path.realpath(path))  # SQLite makes the file that a link names, for others to read
        address = address_for_reading(path)
        return None if address is None else sqlite3.connect(address, uri=True, **given)

    @event.listens_for(engine, "connect")
    def settle(connection: sqlite3.Connection, record: Any) -> None:
        connection.isolation_level = None  # we begin transactions ourselves
        steps = record.info["steps"] = _Steps(path)
        connection.set_progress_handler(steps.too_many, STEPS_AT_ONCE)
        if read_only:
            connection.execute("PRAGMA query_only=ON")  # and no word about the log beside the file: to ask may write
        if read_only or address_for_reading(path) is not None:
            return
        _keep_a_log(connection)
        connection.execute("PRAGMA synchronous=FULL")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        driver = driver_of(connection)
        connection.info["steps"].taken = 0
        if connection.info.get("writing"):
            begin(driver, line, connection.info.get("meanwhile"))
        else:
            driver.execute("BEGIN")

    return engine


class _Steps:
    """Counts the steps of a transaction."""

    def __init__(self, path: str) -> None:
        self._path, self.taken = path, 0

    def too_many(self) -> bool:
        """Whether these are more than what stands in the file, and beside it, can need."""
        self.taken += STEPS_AT_ONCE
        size = 0
        for end in ("", "-wal"):
            with suppress(OSError):
                size += os.stat(f"{self._path}{end}").st_size
        return self.taken > FEWEST_STEPS + STEPS_FOR_A_BYTE * size


def _keep_a_log(connection: sqlite3.Connection) -> None:
    """Let the file have a log of what was written last; while others make the same file, SQLite refuses at once."""
    until = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _postgres(url: URL, read_only: bool) -> Engine:
    settings = (
        f"-c idle_in_transaction_session_timeout={STUCK_SECONDS}s {url.query.get('options', '')} "
        "-c synchronous_commit=on"  # whatever the user, the database or the URL say: what is told is on disk
    )
    settings += " -c default_transaction_read_only=on" if read_only else ""
    return create_engine(url, **ALONE, connect_args={"connect_timeout": 10, "options": settings})


def for_reading(engine: Engine) -> Connection:
    """A connection for single statements, which need no transaction around them; in SQLite one costs nothing."""
    connection = engine.connect()
    return connection if engine.name == "sqlite" else connection.execution_options(isolation_level="AUTOCOMMIT")


@contextmanager
def transaction(connection: Connection, writing: bool, meanwhile: Meanwhile | None = None) -> Iterator[None]:
    """A transaction; while SQLite lets it wait, `meanwhile` is called now and then."""
    connection.info["writing"], connection.info["meanwhile"] = writing, meanwhile
    with connection.begin():
        yield


def driver_of(connection: Connection) -> Any:
    """The driver's own connection, for what is done often."""
    return connection.connection.driver_connection
