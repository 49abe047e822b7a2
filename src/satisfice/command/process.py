"""One run of a program in a process group of its own, which ends as a whole."""

import os
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from threading import Lock
from time import perf_counter, sleep
from typing import NamedTuple

from satisfice.command.child import PAUSE_SECONDS, Child, Drain
from satisfice.command.guard import TOKEN, Guard
from satisfice.command.output import Output
from satisfice.command.reasons import cannot_start
from satisfice.errors import EvaluationFailed, NotMeasured
from satisfice.layout.numbers import written
from satisfice.study.storage.passwords import environment_without_secrets

GRACE_SECONDS = 1.0
"""What a program has between being asked to end and being killed."""


class Program(NamedTuple):
    """A program that was started, and what its guard calls it."""

    child: Child
    token: str


class Processes:
    """The programs that run now; a stop ends them all, and none starts afterwards.

    What some of them were allowed to leave running goes on until it is ended, at last by `close`.
    """

    def __init__(self) -> None:
        self._running: dict[str, Program] = {}
        self._left: dict[str, tuple[Program, Drain]] = {}
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
        peak: bool = False,
        keeps: bool = False,
    ) -> Output:
        """Run a program to its end, or to its time limit; then end what it started and left behind.

        It is over when the program itself has ended, whoever else holds its standard output. Whatever it printed is
        `seen`, also if it had not the time to end. With `peak` its largest memory is measured. A program that ends well
        and `keeps` what it started, such as a server, leaves it running until `end_left` of the output is called.
        """
        program = self._start(words, environment, folder, peak)
        child, drain, left = program.child, Drain(program.child), False
        try:
            in_time = drain.wait(None if timeout is None else child.began + timeout)
            taken = perf_counter() - child.began
            if in_time and not self._stopped:
                drain.rest()
                left = keeps and child.peek() == 0 and runs_in_group(child.pid)
        finally:
            if left:
                self._leave(program, drain)
            else:
                self._end(program, drain)
        if child.not_started is not None:
            raise NotMeasured(cannot_start(words, environment, folder, child.not_started))
        code = 0 if child.exit_code is None else child.exit_code  # of what is left the first one is not collected yet
        seconds = child.wall_time or taken
        # who ended within the limit took no longer, whatever the clock says a moment later
        seconds = seconds if timeout is None else min(seconds, timeout)
        output = Output(
            *(drain.stdout.text(), drain.stderr.text(), code, seconds, drain.stdout.cut, masks or {}, child.usage),
            end_left=partial(self._end_left, program.token),
        )
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
                    signal_group(program.child.pid, sign)
            until = perf_counter() + GRACE_SECONDS
            while perf_counter() < until and self._running:
                sleep(PAUSE_SECONDS)
        if not self._left:
            self._guard.close()

    def close(self) -> None:
        """Stop, and end what was left running."""
        self.stop()
        for token in list(self._left):
            self._end_left(token)
        self._guard.close()

    def _start(self, words: Sequence[str], environment: Mapping[str, str], folder: str | None, peak: bool) -> Program:
        with self._lock:
            if self._stopped:
                raise NotMeasured("The study was told to stop.")
            variables = {**environment_without_secrets(), **environment}
            try:
                with self._guard.starting() as token:
                    child = Child(words, variables | {TOKEN: token}, folder, peak=peak)
            except (OSError, ValueError) as error:
                raise NotMeasured(cannot_start(words, variables, folder, error)) from None
            program = self._running[token] = Program(child, token)
            self._guard.runs(token, child.pid)
        return program

    def _leave(self, program: Program, drain: Drain) -> None:
        """Let what the program started go on: the guard still knows of it."""
        drain.follow()
        with self._lock:
            self._running.pop(program.token, None)
            self._left[program.token] = program, drain

    def _end_left(self, token: str) -> None:
        with self._lock:
            left = self._left.pop(token, None)
        if left is not None:
            self._end(*left)

    def _end(self, program: Program, drain: Drain) -> None:
        """End the program, if it still runs, and whatever is left of its group."""
        child = program.child
        try:
            signal_group(child.pid, signal.SIGTERM)  # before it is collected: until then its number is its own
            if not drain.wait(perf_counter() + GRACE_SECONDS):
                signal_group(child.pid, signal.SIGKILL)
                drain.wait(perf_counter() + GRACE_SECONDS)
            child.wait(GRACE_SECONDS)
            until = perf_counter() + GRACE_SECONDS
            while is_alive(child.pid) and perf_counter() < until:
                sleep(PAUSE_SECONDS)
            signal_group(child.pid, signal.SIGKILL)
        finally:
            child.close()
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
    return runs_in_group(group)


def runs_in_group(group: int) -> bool:
    """The same, where nobody has been collected yet who is still to be."""
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
