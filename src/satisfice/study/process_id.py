"""Who works on a pull: names by which a process is known, and by which another one sees that it is gone."""

import os
import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from enum import Enum
from functools import cache
from hashlib import sha256
from pathlib import Path

LEFT = ".left"
"""After when a process started: it only asked, and whoever has the pull's id may tell. When it asked may follow."""
PROCESS = re.compile(rf"(?P<number>[0-9]{{1,10}})\.(?P<start>[0-9]{{1,20}})(?P<left>{re.escape(LEFT)})?")
ASKED = re.compile(rf"(?P<worker>.*{re.escape(LEFT)})\.(?P<milliseconds>[0-9]{{1,20}})", re.DOTALL)


class Presence(Enum):
    """What can be known here of a worker: that its process has ended, and whether its pulls went with it."""

    UNKNOWN = 0
    GONE = 1
    LEFT_IT_TO_OTHERS = 2


def worker_name(label: str | None = None, *, evaluates: bool = True) -> str:
    """The name of this process, with a label in front: label@host/machine/process.start.

    A process that `evaluates` what it asks for takes its pulls with it when it ends; otherwise another one may have
    their ids.
    """
    start = _own_start(os.getpid())
    place = f"{_place()}/{os.getpid()}.{start}" + ("" if evaluates else LEFT)
    return f"{label}@{place}" if label else place


def asking_at(worker: str, elapsed: float) -> str:
    """The name of a worker that asks now and leaves its pulls to others, with the time on the clock of this machine.

    That clock, which nobody sets, is the same one for all processes since the machine was started. A worker that
    evaluates itself, or is of another machine, keeps its name.
    """
    place = worker.rpartition("@")[2].rpartition("/")[0]
    return f"{worker}.{int(1000 * elapsed)}" if worker.endswith(LEFT) and place == _place() else worker


def asked_at(worker: str) -> float | None:
    """When a worker of this machine asked, in seconds on the same clock; None unless its name says so."""
    said = ASKED.fullmatch(worker)
    return None if said is None else int(said["milliseconds"]) / 1000


def presences_of(workers: Iterable[str]) -> dict[str, Presence]:
    """What can be known here of each worker; each process is looked at once, however often it asked."""
    processes = {worker: _process_of(worker) for worker in workers}
    found = {process: presence_of(process) for process in set(processes.values())}
    return {worker: found[process] for worker, process in processes.items()}


def presence_of(worker: str) -> Presence:
    """Whether the process of that name was on this machine and has ended; unknown whenever that cannot be known."""
    place, _, process = _process_of(worker).rpartition("@")[2].rpartition("/")
    said = PROCESS.fullmatch(process)
    if place != _place() or place.endswith("/unknown") or said is None:
        return Presence.UNKNOWN
    if _start_of(int(said["number"])) == int(said["start"]):
        return Presence.UNKNOWN
    return Presence.LEFT_IT_TO_OTHERS if said["left"] else Presence.GONE


def _process_of(worker: str) -> str:
    """The name without when it asked."""
    said = ASKED.fullmatch(worker)
    return worker if said is None else said["worker"]


@cache
def _place() -> str:
    """This machine since it was started, seen from this container: numbers of processes and times mean the same."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        inside = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return f"{socket.gethostname()}/unknown"
    with suppress(OSError):  # kernels before 5.6 have one clock for all
        inside += str(Path("/proc/self/ns/time").readlink())
    return f"{socket.gethostname()}/{sha256(f'{boot}{inside}'.encode()).hexdigest()[:8]}"


@cache
def _own_start(process: int) -> int:
    """When this process was started; a forked one has another number, and asks anew."""
    return _start_of(process) or 0


def _start_of(process: int) -> int | None:
    """When the process was started, in ticks; None if there is none or it has ended. Numbers are used again."""
    try:
        after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if after_name[0] in "ZX" else int(after_name[19])
