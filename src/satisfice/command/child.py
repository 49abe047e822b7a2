"""A program that was started: its output, kept from its end, its exit code, and what it used of the machine."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from resource import struct_rusage
from selectors import EVENT_READ, PollSelector, SelectorKey
from threading import Event, Thread
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


KEPT_BYTES = 1 << 20
"""What is kept of each of standard output and standard error: its end."""
PIECE_BYTES = 1 << 16
SLACK_BYTES = 1 << 18
"""What may come on top before the beginning is dropped, so that dropping costs little."""

LOOK_SECONDS = 0.005
"""Between two looks whether a program has ended, where the system does not tell."""
QUIET_SECONDS = 0.25
"""Who keeps the pipes of a program that has ended, and writes nothing for this long, has nothing more to say."""
LONGEST_REST_SECONDS = 1.0
"""How long what is written after the program's end is read."""


class Tail:
    """The end of a stream, however long that is."""

    def __init__(self) -> None:
        self._kept, self._dropped = bytearray(), False

    def add(self, piece: bytes) -> None:
        self._kept += piece
        if len(self._kept) > KEPT_BYTES + SLACK_BYTES:
            del self._kept[:-KEPT_BYTES]
            self._dropped = True

    @property
    def cut(self) -> bool:
        """Whether the stream was longer than what is kept."""
        return self._dropped or len(self._kept) > KEPT_BYTES

    def text(self) -> str:
        """What is kept, in whole lines: the first one is left out if it has lost its beginning."""
        kept = bytes(self._kept[-KEPT_BYTES:])
        if self.cut:
            kept = kept.partition(b"\n")[2]
        return kept.decode(errors="replace").replace("\r\n", "\n").replace("\r", "\n")


class Drain:
    """Reads the pipes of a program until the program itself has ended, whoever else holds them open."""

    def __init__(self, child: Child) -> None:
        self.stdout, self.stderr = Tail(), Tail()
        self._child, self._selector, self._ended = child, PollSelector(), False
        self._pipes = (child.process.stdout, child.process.stderr)
        self._followed: Thread | None = None
        self._let_go = Event()
        for pipe, kept in zip(self._pipes, (self.stdout, self.stderr), strict=True):
            if pipe is not None:
                os.set_blocking(pipe.fileno(), False)
                self._selector.register(pipe.fileno(), EVENT_READ, kept)
        self._end = _descriptor_of(child.pid)
        if self._end is not None:
            self._selector.register(self._end, EVENT_READ)

    def wait(self, until: float | None) -> bool:
        """Read until the program has ended, or until the time, by `perf_counter`; whether it has ended.

        Where the system tells of the end, the program is not collected yet, and its number still its own.
        """
        left: float | None = None
        while not self._ended and (left is None or left > 0):
            left = None if until is None else max(0.0, until - perf_counter())
            if self._end is not None:
                ready = self._selector.select(left)
                self._ended = any(key.fd == self._end for key, _ in ready)
            else:
                ready = self._selector.select(LOOK_SECONDS if left is None else min(left, LOOK_SECONDS))
                self._ended = self._child.poll()
            if not self._ended:
                self._read(ready)
        return self._ended

    def rest(self) -> None:
        """Read what is left after the end: to the end of the pipes, or until nothing comes any more.

        What a program has written is there at once. A `tee` behind it needs a moment; a daemon never ends.
        """
        if self._end is not None:
            self._selector.unregister(self._end)
            os.close(self._end)
            self._end = None
        until = perf_counter() + LONGEST_REST_SECONDS
        while self._selector.get_map() and perf_counter() < until:
            ready = self._selector.select(QUIET_SECONDS)
            if not ready:
                break
            self._read(ready)

    def follow(self) -> None:
        """Go on reading in the background, so that whoever was left behind can go on writing."""
        self._followed = Thread(target=self._follow, daemon=True)
        self._followed.start()

    def _follow(self) -> None:
        while self._selector.get_map() and not self._let_go.is_set():
            self._read(self._selector.select(QUIET_SECONDS))

    def close(self) -> None:
        if self._followed is not None:
            self._let_go.set()
            self._followed.join()
        self._selector.close()
        if self._end is not None:
            os.close(self._end)
        for pipe in self._pipes:
            if pipe is not None:
                pipe.close()

    def _read(self, ready: list[tuple[SelectorKey, int]]) -> None:
        for key, _ in ready:
            try:
                piece = os.read(key.fd, PIECE_BYTES)
            except BlockingIOError:
                continue
            if piece:
                key.data.add(piece)
            else:
                self._selector.unregister(key.fd)


def _descriptor_of(pid: int) -> int | None:
    """What becomes readable when a process ends; Linux has it."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
