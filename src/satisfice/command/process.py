"""One run of a program in a process group of its own, which ends as a whole."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from threading import Lock
from time import perf_counter, sleep

from satisfice.command.output import Output, tail
from satisfice.errors import EvaluationFailed

GRACE_SECONDS = 1.0
"""What a program has between being asked to end and being killed."""


class Processes:
    """The programs that run now; a stop ends them all, and none starts afterwards."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._stopped = False
        self._lock = Lock()

    def run(
        self, words: Sequence[str], *, environment: Mapping[str, str], folder: str | None, timeout: float | None
    ) -> Output:
        """Run a program to its end, or to its time limit."""
        began = perf_counter()
        process = self._start(words, environment, folder)
        try:
            stdout, stderr = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            said = tail(end_group(process))
            raise EvaluationFailed(
                f"{words[0]} did not end within {timeout:g} s and was killed{f'; it said: {said}' if said else ''}."
            ) from None
        except BaseException:
            end_group(process)
            raise
        finally:
            with self._lock:
                self._running.discard(process)
        taken = perf_counter() - began
        # who ended within the limit took no longer, whatever the clock says a moment later
        return Output(stdout, stderr, process.returncode, taken if timeout is None else min(taken, timeout))

    def stop(self) -> None:
        """End everything that runs, and let nothing start again."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        for sign in (signal.SIGTERM, signal.SIGKILL):
            for process in running:
                signal_group(process, sign)
            until = perf_counter() + GRACE_SECONDS
            while perf_counter() < until and any(process.poll() is None for process in running):
                sleep(0.01)

    def _start(self, words: Sequence[str], environment: Mapping[str, str], folder: str | None) -> subprocess.Popen[str]:
        with self._lock:
            if self._stopped:
                raise EvaluationFailed("The study was told to stop.")
            try:
                process = subprocess.Popen(
                    words,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                    errors="replace",
                    env=os.environ | environment,
                    cwd=folder,
                    start_new_session=True,
                )
            except (OSError, ValueError) as error:
                raise EvaluationFailed(_cannot_start(words, folder, error)) from None
            self._running.add(process)
        return process


def end_group(process: subprocess.Popen[str]) -> str:
    """Ask a program and all its children to end, and kill those that do not; what it wrote to standard error."""
    stderr = ""
    for sign in (signal.SIGTERM, signal.SIGKILL):
        signal_group(process, sign)
        with suppress(subprocess.TimeoutExpired, ValueError):  # a child that left the group may keep the pipes open
            stderr = process.communicate(timeout=GRACE_SECONDS)[1]
    return stderr


def signal_group(process: subprocess.Popen[str], sign: signal.Signals) -> None:
    """Send a signal to a program and all its children."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, sign)


def _cannot_start(words: Sequence[str], folder: str | None, error: Exception) -> str:
    if folder is not None and not os.path.isdir(folder):
        return f"There is no folder {folder!r} to run {words[0]!r} in."
    why = error.strerror if isinstance(error, OSError) else error
    return f"{words[0]!r} cannot be run: {why}. Check its name, its path and that it may be executed."
