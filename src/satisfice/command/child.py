"""A program that was started: its end, its exit code, and what it used of the machine."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from resource import struct_rusage
from time import perf_counter, sleep
from typing import NamedTuple

PAUSE_SECONDS = 0.01
KIB_OF_MAXRSS = 1024 if sys.platform == "darwin" else 1
"""In which part of a KiB the system counts memory."""
KIB_OF_MB = 1e6 / 1024
LAUNCHER = Path(__file__).with_name("peak_process.py")


class Usage(NamedTuple):
    """Processor time in seconds, and the largest memory in MB: of the program and of what it started and waited for."""

    user_time: float = 0.0
    system_time: float = 0.0
    max_rss_mb: float = 0.0


class Child:
    """A program in a process group of its own, whose output comes through pipes.

    With `peak` its largest memory is its own, and not that of this process: it is then started by a small launcher.
    """

    def __init__(self, words: Sequence[str], environment: Mapping[str, str], folder: str | None, *, peak: bool) -> None:
        self._told: int | None = None
        said: int | None = None
        if peak and sys.platform == "linux":
            self._told, said = os.pipe()
        launcher = [] if said is None else [sys.executable, "-I", "-S", str(LAUNCHER), str(said)]
        self.began = perf_counter()
        try:
            self.process = subprocess.Popen(
                [*launcher, *words],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env=environment,
                cwd=folder,
                start_new_session=True,
                pass_fds=() if said is None else (said,),
            )
        except BaseException:
            self.close()
            raise
        finally:
            if said is not None:
                os.close(said)
        self.pid = self.process.pid
        self.usage, self.wall_time = Usage(), 0.0
        self.not_started: OSError | None = None

    @property
    def exit_code(self) -> int | None:
        """The exit code, or the signal that ended it below 0; None until its end was collected."""
        return self.process.returncode

    def poll(self) -> bool:
        """Collect the program if it has ended; whether it has."""
        if self.exit_code is None:
            self._collect(os.WNOHANG)
        return self.exit_code is not None

    def peek(self) -> int | None:
        """The exit code of a program that has ended; where the system can tell it, without collecting the program.

        Until it is collected its number, which is that of its group, is given to nobody else.
        """
        try:
            seen = os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except (AttributeError, OSError):  # some systems have no waitid
            seen = None
        if seen is None:
            self.poll()
            return self.exit_code
        return seen.si_status if seen.si_code == os.CLD_EXITED else -seen.si_status

    def wait(self, seconds: float) -> bool:
        """Wait for the end, at most so long, and collect it; whether it has ended."""
        until = perf_counter() + seconds
        while not self.poll() and perf_counter() < until:
            sleep(PAUSE_SECONDS)
        return self.exit_code is not None

    def close(self) -> None:
        """Take what a launcher says, and let go of its pipe."""
        if self._told is not None:
            os.set_blocking(self._told, False)
            try:
                self._said_by_launcher(os.read(self._told, 1000).split())
            except BlockingIOError:  # it was killed before the program ended
                pass
            finally:
                os.close(self._told)
                self._told = None

    def _collect(self, options: int) -> None:
        try:
            pid, status, used = os.wait4(self.pid, options)
        except ChildProcessError:  # somebody else has collected it, or nobody may
            self.process.returncode = 0
            return
        if pid:
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self.usage = _usage(used)

    def _said_by_launcher(self, words: list[bytes]) -> None:
        if words[:1] == [b"used"]:
            self.process.returncode = int(words[1])
            wall, user, system, kib = map(float, words[2:])
            self.wall_time, self.usage = wall, Usage(user, system, kib / KIB_OF_MB)
        elif words[:1] == [b"lacking"]:
            self.not_started = OSError(int(words[1]), os.strerror(int(words[1])))


def _usage(used: struct_rusage) -> Usage:
    return Usage(used.ru_utime, used.ru_stime, used.ru_maxrss / KIB_OF_MAXRSS / KIB_OF_MB)
