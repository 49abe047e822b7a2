"""Who works on a pull: names by which a process is known, and by which another one sees that it is gone."""

import os
import re
import socket
from enum import Enum
from functools import cache
from hashlib import sha256
from pathlib import Path

LEFT = ".left"
"""After when a process started: it only asked, and whoever has the pull's id may tell."""
PROCESS = re.compile(rf"(?P<number>[0-9]{{1,10}})\.(?P<start>[0-9]{{1,20}})(?P<left>{re.escape(LEFT)})?")


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


def presence_of(worker: str) -> Presence:
    """Whether the process of that name was on this machine and has ended; unknown whenever that cannot be known."""
    place, _, process = worker.rpartition("@")[2].rpartition("/")
    said = PROCESS.fullmatch(process)
    if place != _place() or place.endswith("/unknown") or said is None:
        return Presence.UNKNOWN
    if _start_of(int(said["number"])) == int(said["start"]):
        return Presence.UNKNOWN
    return Presence.LEFT_IT_TO_OTHERS if said["left"] else Presence.GONE


@cache
def _place() -> str:
    """This machine since it was started, seen from this container: process numbers mean the same only there."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        inside = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return f"{socket.gethostname()}/unknown"
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
