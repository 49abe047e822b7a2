"""The event log of one study in a database.

A child must not talk over a connection of its parent, not even to end it. Whatever it does with one, if only that it
exits and the connection is collected, would reach the server over the socket that both have. So in a child that socket
is replaced by nothing at all before the connection is let go of.
"""

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import RLock
from typing import Any, NamedTuple, Protocol
from weakref import WeakSet

from sqlalchemy import BindParameter, Connection, Engine, Integer, bindparam, delete, func, insert, select
from sqlalchemy.exc import SQLAlchemyError

from satisfice.errors import DamagedLog, PullAlreadyTold, PullReissued, SatisficeError, UnknownPull
from satisfice.study.errors import deleted
from satisfice.study.events import Event, stored
from satisfice.study.storage import sql_summaries
from satisfice.study.storage.protocol import Beat, Decide, Follow, Snapshot
from satisfice.study.storage.sql_engine import driver_of, for_reading, transaction
from satisfice.study.storage.sql_schema import SameFile, beats, events, sentence_for, snapshots, studies, told_beside
from satisfice.study.storage.sql_turns import PostgresTurns, SQLiteTurns, Turns
from satisfice.study.summary import KeptSummary


class HasConnections(Protocol):
    def inherited(self) -> list[Connection]:
        """In a child: forget the connections, and say which they were."""


_all: WeakSet[HasConnections] = WeakSet()
_kept: list[Connection] = []
"""Connections to SQLite files: to close one may tidy up what the parent still uses."""


def let_go_in_forks(owner: HasConnections) -> None:
    """From now on, forks of this process let go of the owner's connections."""
    _all.add(owner)


def _let_go() -> None:
    for owner in list(_all):
        for connection in owner.inherited():
            if connection.dialect.name == "sqlite":
                _kept.append(connection)
                continue
            with suppress(Exception):  # it may be closed, or have been in use by another thread
                _silence(connection)
                connection.invalidate()


def _silence(connection: Connection) -> None:
    driver = connection.connection.driver_connection
    if driver is not None:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, driver.fileno())
        os.close(nothing)


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_let_go)


FIRST_BATCH, BATCH = 64, 5000
"""Events that are read at once: at first, and then."""

_study: BindParameter[int] = bindparam("study", type_=Integer)
_after: BindParameter[int] = bindparam("after", type_=Integer)
_most: BindParameter[int] = bindparam("most", type_=Integer)
_number: BindParameter[int] = bindparam("number_asked", type_=Integer)
_columns = (events.c.position, events.c.kind, events.c.body, events.c.digest, events.c.number)
HEAD = select(studies.c.head_position, studies.c.head_digest, studies.c.identity).where(studies.c.id == _study)
AFTER = select(*_columns).where(events.c.study_id == _study, events.c.position > _after).order_by(events.c.position)
SOME_AFTER = AFTER.limit(_most)
ABOUT = select(*_columns).where(events.c.study_id == _study, events.c.number == _number).order_by(events.c.position)
LATEST = (
    select(snapshots.c.position, snapshots.c.digest, snapshots.c.version, snapshots.c.data)
    .where(snapshots.c.study_id == _study)
    .order_by(snapshots.c.position.desc())
    .limit(1)
)


class KnownStudy(NamedTuple):
    """A study by its name, its number in the database and its identity, which no other ever has."""

    name: str
    number: int
    identity: str


class SQLLog:
    """The event log of one study; threads take turns. Over a `shared` connection it is only read."""

    def __init__(
        self,
        engine: Engine,
        where: str,
        study: KnownStudy,
        file: SameFile | None,
        *,
        shared: Connection | None = None,
    ) -> None:
        self._engine, self._where, self._study, self._file = engine, where, study.number, file
        self._known = study
        self._shared = shared
        self._turns: Turns = SQLiteTurns(*study[1:]) if engine.name == "sqlite" else PostgresTurns(study.number)
        self._errors: type[Exception] = engine.dialect.loaded_dbapi.Error
        self._lock = RLock()
        self._open: Connection | None = None
        self._reader: Connection | None = None
        self._inside = False
        let_go_in_forks(self)

    def read(self, after: int) -> Iterator[Event]:
        most = FIRST_BATCH  # who opens a study wants the first one, who follows it the last few
        while batch := self._plain_rows(SOME_AFTER, after=after, most=most):
            yield from map(_event, batch)
            if len(batch) < most:
                return
            after, most = batch[-1][0], BATCH
        self._check_there()

    def extend(self, after: int, decide: Decide) -> None:
        self.extend_following(after, None, decide)

    def extend_following(self, after: int, follow: Follow | None, decide: Decide) -> None:
        def take_in(rows: Sequence[Any]) -> int:
            """Let the news be followed; up to where they were by then."""
            nonlocal after
            if rows and follow is not None:
                follow([_event(row) for row in rows])
                after = rows[-1][0]
            return after

        followed = None if follow is None else take_in
        try:
            with self._turn(writing=True, follow=followed) as connection:
                driver = driver_of(connection)
                made = decide([_event(row) for row in self._turns.take(driver, after, followed)])
                if not made:
                    self._check_there()
                elif not self._turns.append(driver, made):
                    raise DamagedLog(
                        f"The log in {self._where} ends at event {made[0].position - 1} and should not: events were "
                        "removed. Restore it from a backup."
                    )
        except (DamagedLog, UnknownPull, PullAlreadyTold, PullReissued):
            self._check_there()  # of a study that is gone nothing else is true
            raise

    def about(self, number: int) -> list[Event]:
        return [_event(row) for row in self._rows(ABOUT, number_asked=number)]

    def head(self) -> tuple[int, str]:
        position, digest, _ = self._check_there()
        return position, digest

    def _check_there(self) -> Any:
        """The row of the study; UnknownStudy if it was deleted, whoever has its name or its number since."""
        rows = self._rows(HEAD)
        if not rows or rows[0].identity != self._known.identity:
            raise deleted(self._known.name, self._where)
        return rows[0]

    def snapshot(self) -> Snapshot | None:
        rows = self._rows(LATEST)
        return Snapshot(*rows[0]) if rows else None

    def keep(self, snapshot: Snapshot) -> None:
        with self._turn(writing=True) as connection:
            mine = snapshots.c.study_id == self._study
            if connection.execute(
                select(func.count()).where(mine, snapshots.c.position >= snapshot.position)
            ).scalar_one():
                return  # another process was faster
            connection.execute(delete(snapshots).where(mine))
            connection.execute(insert(snapshots), {"study_id": self._study, **snapshot._asdict()})

    def keep_summary(self, found: KeptSummary) -> None:
        with self._turn(writing=True) as connection:
            sql_summaries.keep(connection, [found])

    def beat(self, noted: Mapping[int, Beat]) -> None:
        if not noted:
            return
        mine = beats.c.study_id == self._study
        with self._turn(writing=True) as connection:
            connection.execute(delete(beats).where(mine, beats.c.number.in_(list(noted))))
            rows = [{"study_id": self._study, "number": number, **beat._asdict()} for number, beat in noted.items()]
            connection.execute(insert(beats), rows)

    def beats(self) -> dict[int, Beat]:
        rows = self._rows(select(beats.c.number, beats.c.attempt, beats.c.sign).where(beats.c.study_id == _study))
        return {number: Beat(attempt, sign) for number, attempt, sign in rows}

    def forget_beats(self, numbers: Sequence[int]) -> None:
        with self._turn(writing=True) as connection:
            connection.execute(delete(beats).where(beats.c.study_id == self._study, beats.c.number.in_(list(numbers))))

    def close(self) -> None:
        with self._lock:
            for connection in (self._open, self._reader):
                if connection is not None:
                    connection.close()
            self._open = self._reader = None
            if self._shared is None:
                self._engine.dispose()

    def _rows(self, statement: Any, **given: Any) -> list[Any]:
        with self._turn() as connection:
            return list(connection.execute(statement, {"study": self._study, **given}).all())

    def _plain_rows(self, statement: Any, **given: Any) -> list[Any]:
        """The same as the driver's own tuples, which take a tenth less where there are millions."""
        with self._turn() as connection:
            result: Any = connection.execute(statement, {"study": self._study, **given})
            found = result.cursor.fetchall()
            result.close()
            return list(found)

    @contextmanager
    def _turn(
        self, writing: bool = False, follow: Callable[[Sequence[Any]], int] | None = None
    ) -> Iterator[Connection]:
        """The connection, in a transaction; within another turn of the same thread, in that one's."""
        with self._lock:
            if self._inside and self._open is not None:
                yield self._open
                return
            try:
                connection = self._connected(writing)
                self._inside = writing
                meanwhile = None if follow is None else self._turns.meanwhile(driver_of(connection), follow)
                with transaction(connection, writing, meanwhile):
                    yield connection
            except (SQLAlchemyError, self._errors) as error:
                self._drop()
                raise sentence_for(error, self._where) from told_beside(error)
            except SatisficeError:
                raise  # the step was refused, and rolled back
            except BaseException:
                self._drop()  # interrupted or out of memory, who knows where: perhaps in a transaction that goes on
                raise
            finally:
                self._inside = False

    def _connected(self, writing: bool = True) -> Connection:
        """The connection for writing, or one for single statements, which need no transaction around them."""
        if self._file is not None and (writing or self._open is None):
            self._file.check()
        if self._shared is not None:
            return self._shared
        if writing or self._engine.name == "sqlite":
            self._open = self._open or self._engine.connect()
            return self._open
        self._reader = self._reader or for_reading(self._engine)
        return self._reader

    def inherited(self) -> list[Connection]:
        found = [connection for connection in (self._open, self._reader) if connection is not None]
        self._open, self._reader, self._inside, self._lock = None, None, False, RLock()
        return found

    def _drop(self) -> None:
        for connection in (self._open, self._reader):
            with suppress(SQLAlchemyError):
                if connection is not None:
                    connection.invalidate()
                    connection.close()
        self._open = self._reader = None


def _event(row: Any) -> Event:
    position, kind, body, digest, number = row
    event = stored(position, kind, body, digest)
    if event.content.get("number") != number:
        raise DamagedLog(
            f"Event {position} is filed under pull {number} and is about pull {event.number}. The log was changed "
            "after it was written; restore it from a backup."
        )
    return event
