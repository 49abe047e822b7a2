"""Who works on a pull: names by which a process is known, and by which another one sees that it is gone."""

import os
import socket
from functools import cache
from hashlib import sha256
from pathlib import Path


def worker_name(label: str | None = None) -> str:
    """The name of this process, with a label in front: label@host/machine/process.start."""
    place = f"{_place()}/{os.getpid()}.{_start_of(os.getpid()) or 0}"
    return f"{label}@{place}" if label else place


def is_gone(worker: str) -> bool:
    """Whether the process of that name was on this machine and has ended; False whenever that cannot be known."""
    place, _, process = worker.rpartition("@")[2].rpartition("/")
    number, _, start = process.partition(".")
    if place != _place() or place.endswith("/unknown") or not number.isdigit():
        return False
    return _start_of(int(number)) != int(start or 0)


@cache
def _place() -> str:
    """This machine since it was started, seen from this container: process numbers mean the same only there."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        inside = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return f"{socket.gethostname()}/unknown"
    return f"{socket.gethostname()}/{sha256(f'{boot}{inside}'.encode()).hexdigest()[:8]}"


def _start_of(process: int) -> int | None:
    """When the process was started, in ticks; None if there is none or it has ended. Numbers are used again."""
    try:
        after_name = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if after_name[0] in "ZX" else int(after_name[19])
