"""One run of a program in a process group of its own, which ends as a whole."""

import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from time import perf_counter, sleep
from typing import NamedTuple

from satisfice.command.drain import Drain
from satisfice.command.guard import TOKEN, Guard, program_environment
from satisfice.command.output import Output
from satisfice.command.start_errors import cannot_start
from satisfice.errors import EvaluationFailed, NotMeasured
from satisfice.layout.numbers import written

GRACE_SECONDS = 1.0
"""What a program has between being asked to end and being killed."""
PAUSE_SECONDS = 0.01


class Program(NamedTuple):
    """A program that was started, when that was, and what its guard calls it."""

    process: subprocess.Popen[bytes]
    token: str
    began: float


class Processes:
    """The programs that run now; a stop ends them all, and none starts afterwards."""

    def __init__(self) -> None:
        self._running: dict[str, Program] = {}
        self._guard = Guard()
        self._stopped = False
        self._lock = Lock()

    def run(
        self,
        words: Sequence[str],
        *,
        environment: Mapping[str, str],
        folder: str | None,
        timeout: float | None,
        masks: Mapping[str, str] | None = None,
        seen: Callable[[Output], None] = lambda output: None,
    ) -> Output:
        """Run a program to its end, or to its time limit; then end what it started and left behind.

        It is over when the program itself has ended, whoever else holds its standard output. Whatever it printed is
        `seen`, also if it had not the time to end.
        """
        program = self._start(words, environment, folder)
        drain = Drain(program.process)
        try:
            in_time = drain.wait(None if timeout is None else program.began + timeout)
            taken = perf_counter() - program.began
            if in_time and not self._stopped:
                drain.rest()
        finally:
            self._end(program, drain)
        code = program.process.returncode
        # who ended within the limit took no longer, whatever the clock says a moment later
        seconds = taken if timeout is None else min(taken, timeout)
        output = Output(drain.stdout.text(), drain.stderr.text(), code, seconds, drain.stdout.cut, masks or {})
        seen(output)
        if self._stopped:
            raise NotMeasured(f"{words[0]} ended with exit code {code} as the run was stopped.")
        if not in_time and timeout is not None:
            said = f"; it said: {output.said}" if output.said else ""
            raise EvaluationFailed(f"{words[0]} did not end within {written(timeout)} s and was killed{said}.")
        return output

    def stop(self) -> None:
        """End everything that runs, and let nothing start again."""
        with self._lock:
            self._stopped = True
            running = list(self._running.values())
        for sign in (signal.SIGTERM, signal.SIGKILL):
            for program in running:
                if program.token in self._running:
                    signal_group(program.process.pid, sign)
            until = perf_counter() + GRACE_SECONDS
            while perf_counter() < until and self._running:
                sleep(PAUSE_SECONDS)
        self._guard.close()

    def _start(self, words: Sequence[str], environment: Mapping[str, str], folder: str | None) -> Program:
        with self._lock:
            if self._stopped:
                raise NotMeasured("The study was told to stop.")
            variables = {**program_environment(), **environment}
            try:
                with self._guard.starting() as token:
                    began = perf_counter()
                    process = subprocess.Popen(
                        words,
                        stdin=subprocess.DEVNULL,
                        stdout=subprocess.PIPE,
                        stderr=subprocess.PIPE,
                        bufsize=0,
                        env=variables | {TOKEN: token},
                        cwd=folder,
                        start_new_session=True,
                    )
            except (OSError, ValueError) as error:
                raise NotMeasured(cannot_start(words, variables, folder, error)) from None
            program = self._running[token] = Program(process, token, began)
            self._guard.runs(token, process.pid)
        return program

    def _end(self, program: Program, drain: Drain) -> None:
        """End the program, if it still runs, and whatever is left of its group."""
        process = program.process
        try:
            signal_group(process.pid, signal.SIGTERM)  # before it is collected: until then its number is its own
            if not drain.wait(perf_counter() + GRACE_SECONDS):
                signal_group(process.pid, signal.SIGKILL)
                drain.wait(perf_counter() + GRACE_SECONDS)
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=GRACE_SECONDS)
            until = perf_counter() + GRACE_SECONDS
            while is_alive(process.pid) and perf_counter() < until:
                sleep(PAUSE_SECONDS)
            signal_group(process.pid, signal.SIGKILL)
        finally:
            drain.close()
            self._guard.over(program.token)
            with self._lock:
                self._running.pop(program.token, None)


def signal_group(group: int, sign: int) -> bool:
    """Send a signal to a program and all its children; whether any is there."""
    try:
        os.killpg(group, sign)
    except (ProcessLookupError, PermissionError):  # some systems forbid it where all have ended and none was collected
        return False
    return True


def is_alive(group: int) -> bool:
    """Whether anything in a group still runs; what has ended and waits for a parent to collect it does not."""
    if not signal_group(group, 0):
        return False
    with suppress(ChildProcessError):  # of the first process of a container every orphan is a child
        os.waitpid(-group, os.WNOHANG)
    try:
        numbers = [name for name in os.listdir("/proc") if name.isdecimal()]
    except OSError:  # not on Linux
        return signal_group(group, 0)
    return any(_runs_in(group, number) for number in numbers)


def _runs_in(group: int, number: str) -> bool:
    try:
        with open(f"/proc/{number}/stat", "rb") as file:
            state, _, its_group = file.read().rpartition(b")")[2].split()[:3]
    except OSError:
        return False
    return int(its_group) == group and state not in b"ZX"
