"""The line in which processes wait for an SQLite file: one of them is next, the others sleep until it is their turn.

The line is a lock on the file in which SQLite keeps what was written last: it holds none of its own on that one. The
system wakes who waits for such a lock, when the one before has left or died, and nobody else. But it does so for
however long it takes, and one who is next may be stopped there; so a thread waits for the lock, and we for the thread,
no longer than we want to.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from threading import Lock, Thread

Answer = SimpleQueue[None]


class Waiter:
    """A thread that waits for locks on files; where it has to wait for too long it is left to it, with the file."""

    def __init__(self) -> None:
        self._files: SimpleQueue[tuple[int, Lock, Answer]] = SimpleQueue()
        Thread(target=self._serve, name="satisfice line", daemon=True).start()

    def wait(self, file: int, seconds: float) -> bool:
        """Whether the lock was had in time; otherwise the file is the thread's, who closes it."""
        claim, answer = Lock(), Answer()
        self._files.put((file, claim, answer))
        try:
            answer.get(timeout=seconds)
        except Empty:
            if claim.acquire(blocking=False):
                return False
            answer.get()
        return True

    def _serve(self) -> None:
        while True:
            file, claim, answer = self._files.get()
            locked(file, wait=True)
            if claim.acquire(blocking=False):
                answer.put(None)
            else:
                os.close(file)


class Line:
    """The line of one SQLite file, as its threads stand in it, one at a time."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._waiter: Waiter | None = None
        self._process = 0

    @contextmanager
    def next(self, seconds: float) -> Iterator[None]:
        """Be the one who is next; a courtesy, so nobody waits longer for one who is stopped there."""
        try:
            file = os.open(f"{self._path}-wal", os.O_RDONLY)
        except OSError:
            yield
            return
        if not (locked(file) or self._waited(file, seconds)):
            yield
            return
        try:
            yield
        finally:
            unlock(file)
            os.close(file)

    def _waited(self, file: int, seconds: float) -> bool:
        if self._waiter is None or self._process != os.getpid():  # a fork has no threads of the process before it
            self._waiter, self._process = Waiter(), os.getpid()
        if self._waiter.wait(file, seconds):
            return True
        self._waiter = None  # it waits still
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
