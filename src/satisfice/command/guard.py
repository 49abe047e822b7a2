"""A run's side of its guard: who is told which programs run, so that none outlives the run."""

import os
import secrets
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from threading import Lock
from weakref import finalize

from satisfice.study.storage.passwords import environment_without_secrets

TOKEN = "SATISFICE_PROGRAM"
"""The variable by which the guard finds a program that was just being started."""
PATIENCE_SECONDS = 5.0
"""How long a guard that was let go may take to end; it has ended all programs by then."""
_PROGRAM = Path(__file__).with_name("guard_process.py")


class Guard:
    """One process for all programs of a run, started with the first of them; see `guard_process`.

    If it is killed, the next program starts another one, which is told of all that run.
    """

    def __init__(self) -> None:
        self._running: dict[str, int] = {}
        self._pipe: int | None = None
        self._end: finalize[..., Guard] | None = None
        self._lock, self._numbers, self._run = Lock(), count(), secrets.token_hex(8)

    @contextmanager
    def starting(self) -> Iterator[str]:
        """The token of a program that starts now; it is forgotten if that fails."""
        token = f"{self._run}-{next(self._numbers)}"
        try:
            with self._lock:
                self._running[token] = 0
                if not self._said(f"start {token}"):
                    self._begin()
            yield token
        except Exception:
            self.over(token)
            raise

    def runs(self, token: str, pid: int) -> None:
        """The program has started."""
        with self._lock:
            self._running[token] = pid
            self._said(f"runs {token} {pid}")

    def over(self, token: str) -> None:
        """The program and its process group have ended."""
        with self._lock:
            self._running.pop(token, None)
            self._said(f"over {token}")

    def close(self) -> None:
        """Let the guard end; what still runs is ended by it."""
        with self._lock:
            if self._end is not None:
                self._end()
            self._pipe = self._end = None

    def _said(self, line: str) -> bool:
        return self._pipe is not None and _written(self._pipe, line)

    def _begin(self) -> None:
        """Start the guard, and tell it of everything that runs."""
        if self._end is not None:
            self._end()
            self._pipe = self._end = None
        reading, self._pipe = os.pipe()
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", _PROGRAM.name],
                stdin=reading,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd=_PROGRAM.parent,
                env=environment_without_secrets(),
                start_new_session=True,
            )
        except BaseException:
            os.close(self._pipe)
            self._pipe = self._end = None
            raise
        finally:
            os.close(reading)
        self._end = finalize(self, _ended, self._pipe, process)
        for token, pid in self._running.items():
            _written(self._pipe, f"runs {token} {pid}" if pid else f"start {token}")


def _written(pipe: int, line: str) -> bool:
    try:
        os.write(pipe, f"{line}\n".encode())
    except BrokenPipeError:
        return False
    return True


def _ended(pipe: int, process: subprocess.Popen[bytes]) -> None:
    os.close(pipe)
    with suppress(subprocess.TimeoutExpired):
        process.wait(timeout=PATIENCE_SECONDS)
