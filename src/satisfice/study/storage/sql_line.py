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
