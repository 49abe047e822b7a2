"""Turns: whoever appends to a log waits for the others, and reads meanwhile what they record.

What is done in one's turn is what all others wait for, so it is as little as can be, in statements of the driver
itself: in PostgreSQL two round trips, one that takes the turn and reads the last news, one that appends and commits.

Processes wait for an SQLite file in a line: one of them is next, the others sleep until it is their turn. The line is a
lock on the file in which SQLite keeps what was written last: it holds none of its own on that one. The system wakes who
waits for such a lock, when the one before has left or died, and nobody else. But it does so for however long it takes,
and one who is next may be stopped there; so a thread waits for the lock, and we for the thread, no longer than we want
to.
"""

import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, Protocol

from satisfice.layout.numbers import plain
from satisfice.study.events import Event
from satisfice.study.storage.sql_pipeline import Carries, Statement, Wanted, in_one_trip
from satisfice.study.storage.sql_schema import LINE_LOCKS, STUDY_LOCKS

Answer = SimpleQueue[None]


class Waiter:
    """A thread that waits for locks on files; where it has to wait for too long it is left to it, with the file.

    Then it ends when it has the lock.
    """

    def __init__(self) -> None:
        self._files: SimpleQueue[tuple[int, Lock, Answer]] = SimpleQueue()
        self._thread = Thread(target=self._serve, name="satisfice line", daemon=True)
        self._thread.start()

    @property
    def works(self) -> bool:
        return self._thread.is_alive()

    def wait(self, file: int, seconds: float) -> bool:
        """Whether the lock was had in time; otherwise, or if it is interrupted, the file is no longer the caller's."""
        claim, answer = Lock(), Answer()
        self._files.put((file, claim, answer))
        try:
            answer.get(timeout=seconds)
        except BaseException as error:
            late, left_to_it = isinstance(error, Empty), claim.acquire(blocking=False)
            if not late:
                if not left_to_it:
                    os.close(file)
                raise
            return not left_to_it
        return True

    def _serve(self) -> None:
        while True:
            file, claim, answer = self._files.get()
            locked(file, wait=True)
            if not claim.acquire(blocking=False):
                os.close(file)
                return
            answer.put(None)


class Line:
    """The line of one SQLite file, for all threads of a process.

    `_idle` are those that wait for none just now, `_late` is one who had to wait for too long: as long as it does,
    somebody is stopped there, and nobody stands in line.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._idle: list[Waiter] = []
        self._late: Waiter | None = None
        self._process = os.getpid()

    @contextmanager
    def next(self, seconds: float) -> Iterator[None]:
        """Be the one who is next; a courtesy, so nobody waits longer for one who is stopped there."""
        try:
            file = os.open(f"{self._path}-wal", os.O_RDONLY)
        except OSError:
            yield
            return
        ours = True
        try:
            if not locked(file):
                ours = False
                ours = self._waited(file, seconds)
            yield
        finally:
            if ours:
                unlock(file)
                os.close(file)

    def _waited(self, file: int, seconds: float) -> bool:
        """Whether the lock was had; otherwise the file is somebody else's to close."""
        if self._process != os.getpid():  # a fork has no threads of the process before it
            self._idle, self._late, self._process = [], None, os.getpid()
        if self._late is not None and self._late.works:
            os.close(file)
            return False
        try:
            waiter = self._idle.pop() if self._idle else Waiter()
        except RuntimeError:  # there can be no more threads
            os.close(file)
            return False
        if waiter.wait(file, seconds):
            self._idle.append(waiter)
            return True
        self._late = waiter
        return False


if sys.platform == "win32":

    def locked(file: int, *, wait: bool = False) -> bool:
        """Whether the lock was free, or after waiting for it; where there are none, as if it were."""
        return True

    def unlock(file: int) -> None:
        """For those who have a copy of the file, too, as forks do."""
else:
    import fcntl

    def locked(file: int, *, wait: bool = False) -> bool:
        """Whether the lock was free, or after waiting for it; where there are none, as if it were."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:  # a file system without such locks
            return True
        return True

    def unlock(file: int) -> None:
        """For those who have a copy of the file, too, as forks do."""
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)


BUSY_SECONDS = 30.0
"""How long one waits for another process that writes to the same SQLite file."""
SHORTEST_PAUSE, LONGEST_PAUSE = 0.0001, 0.01
"""Seconds between two looks of who is next whether an SQLite file is free: a quarter of what was waited, or these."""
STUCK_SECONDS = 1.0
"""Who is next to have the file and does not take it for this long seems not to be working, and is passed over."""
CROWD_EVENTS = 4
"""With more news than this in one's turn there are many workers: then stand in line, and read there what is new."""

Row = tuple[Any, ...]
Meanwhile = Callable[[], bool]
"""What is done while one waits; whether there was something to do."""

COLUMNS = "position, kind, body, digest, number"


class Turns(Protocol):
    """How steps of one study are appended; `driver` is the driver's own connection, in a transaction that may write."""

    def meanwhile(self, driver: Any, follow: Callable[[Sequence[Row]], int]) -> Meanwhile | None:
        """What is to be done while one waits for that transaction."""

    def take(self, driver: Any, after: int, follow: Callable[[Sequence[Row]], int] | None) -> Sequence[Row]:
        """Wait for one's turn; the events that `follow` has not seen."""

    def append(self, driver: Any, made: Sequence[Event]) -> bool:
        """Append and move the head; False, and nothing was, if the head is not where they begin."""


class SQLiteTurns:
    """In SQLite the transaction is the turn."""

    _AFTER = f"SELECT {COLUMNS} FROM satisfice_events WHERE study_id = ? AND position > ? ORDER BY position"
    _APPEND = f"INSERT INTO satisfice_events (study_id, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)"
    _MOVE_HEAD = """
        UPDATE satisfice_studies SET head_position = ?, head_digest = ?
        WHERE id = ? AND head_position = ? AND identity = ?
    """

    def __init__(self, study: int, identity: str) -> None:
        self._study, self._identity = study, identity  # older versions gave the number of a deleted study again

    def meanwhile(self, driver: sqlite3.Connection, follow: Callable[[Sequence[Row]], int]) -> Meanwhile:
        def read() -> bool:
            news = self._after(driver, follow(()))
            follow(news)
            return bool(news)

        return read

    def take(
        self, driver: sqlite3.Connection, after: int, follow: Callable[[Sequence[Row]], int] | None
    ) -> Sequence[Row]:
        return self._after(driver, after if follow is None else follow(()))

    def append(self, driver: sqlite3.Connection, made: Sequence[Event]) -> bool:
        driver.executemany(self._APPEND, [(self._study, *_row(one)) for one in made])
        last, before = made[-1], made[0].position - 1
        moved = driver.execute(self._MOVE_HEAD, (last.position, last.digest, self._study, before, self._identity))
        return moved.rowcount == 1

    def _after(self, driver: sqlite3.Connection, after: int) -> Sequence[Row]:
        return driver.execute(self._AFTER, (self._study, after)).fetchall()


class PostgresTurns:
    """In PostgreSQL a lock is the turn, and where there are many workers another one the place of who is next.

    Only who is next reads what is new while the one before still works; so in a turn there is little left to read, and
    nobody asks again and again. That place is a lock of the session, since one leaves it before the transaction ends.
    """

    _LOCK = Statement("satisfice_lock", f"SELECT pg_advisory_xact_lock({STUDY_LOCKS}, $1::int)")
    _NEXT = Statement("satisfice_next", f"SELECT pg_advisory_lock({LINE_LOCKS}, $1::int)")
    _LEAVE = Statement("satisfice_leave", f"SELECT pg_advisory_unlock({LINE_LOCKS}, $1::int)")
    _AFTER = Statement(
        "satisfice_after",
        f"SELECT {COLUMNS} FROM satisfice_events WHERE study_id = $1::int AND position > $2::int ORDER BY position",
    )
    _APPEND = Statement(
        "satisfice_append",
        f"""
        WITH moved AS (
            UPDATE satisfice_studies SET head_position = $1::int, head_digest = $2::text
            WHERE id = $3::int AND head_position = $4::int
            RETURNING id
        )
        INSERT INTO satisfice_events (study_id, {COLUMNS})
        SELECT moved.id, made.* FROM moved, unnest($5::int[], $6::text[], $7::text[], $8::text[], $9::int[]) AS made""",
    )

    def __init__(self, study: int, answers: Carries = in_one_trip) -> None:
        self._study, self._answers = study, answers
        self._crowded = False

    def meanwhile(self, driver: Any, follow: Callable[[Sequence[Row]], int]) -> None:
        """Transactions begin at once; one waits in `take`."""

    def take(self, driver: Any, after: int, follow: Callable[[Sequence[Row]], int] | None) -> Sequence[Row]:
        study, leave = (self._study,), list[Wanted]()
        if self._crowded and follow is not None:
            found = self._answers(driver, (self._NEXT, study), (self._AFTER, (self._study, after)))
            rows = [_read(row) for row in found[1].rows]
            self._crowded, leave = len(rows) > CROWD_EVENTS, [(self._LEAVE, study)]
            try:
                after = follow(rows)
            except Exception:
                self._answers(driver, (self._LEAVE, study))
                raise
        *_, last = self._answers(driver, (self._LOCK, study), *leave, (self._AFTER, (self._study, after)))
        self._crowded = self._crowded or len(last.rows) > CROWD_EVENTS
        return [_read(row) for row in last.rows]

    def append(self, driver: Any, made: Sequence[Event]) -> bool:
        last, before = made[-1], made[0].position - 1
        columns = list(zip(*map(_row, made), strict=True))
        moved = (last.position, last.digest, self._study, before)
        (done,) = self._answers(driver, (self._APPEND, (*moved, *columns)), commit=True)
        return done.written == len(made)


def begin(driver: sqlite3.Connection, line: Line, meanwhile: Meanwhile | None) -> None:
    """Begin a transaction that writes to an SQLite file once nobody else is in one.

    SQLite's own waiting sleeps for up to a tenth of a second, while whoever comes by chance gets the turn. Here one
    process is next, and looks often; the others wait in line. It reads what is new until there is nothing: more comes
    only with the end of the turn for which it waits.
    """
    with line.next(STUCK_SECONDS):
        started, news = time.monotonic(), meanwhile is not None
        driver.execute("PRAGMA busy_timeout = 0")
        try:
            while True:
                try:
                    driver.execute("BEGIN IMMEDIATE")
                    return
                except sqlite3.OperationalError as error:
                    waited = time.monotonic() - started
                    if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or waited > BUSY_SECONDS:
                        raise
                if news and meanwhile is not None:
                    news = meanwhile()
                    continue
                time.sleep(min(max(SHORTEST_PAUSE, waited / 4), LONGEST_PAUSE))
        finally:
            driver.execute(f"PRAGMA busy_timeout = {plain(1000 * BUSY_SECONDS)}")


def _read(row: Sequence[str | None]) -> Row:
    """An event as PostgreSQL writes it in texts."""
    position, kind, body, digest, number = row
    return int(position or 0), kind, body, digest, None if number is None else int(number)


def _row(event: Event) -> Row:
    return event.position, str(event.kind), event.body, event.digest, event.number
