"""Nothing is left running when a test run ends, however it does: `watch()` in a conftest starts a sweeper.

The sweeper is a process of its own that waits for the end of the test run, be it by Ctrl-C, SIGTERM or SIGKILL, and
then ends what the tests have started: processes that carry the run's mark in their environment (also servers that have
left for a session of their own), and forks, which it has seen as descendants. Linux only; elsewhere it does nothing.
A run that ends in good order does that itself (`pytest_unconfigure`): it would wait for its forks.
"""

import os
import secrets
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

MARK = "SATISFICE_TEST_RUN"
LOOK_SECONDS = 0.5
GRACE_SECONDS = 2.0
SWEEPER: dict[str, int] = {}


def watch() -> None:
    """Mark all that this process will start, and have it swept up afterwards; workers of a run are its own."""
    if not hasattr(os, "pidfd_open") or MARK in os.environ:
        return
    os.environ[MARK] = secrets.token_hex(8)
    sweeper = subprocess.Popen(
        [sys.executable, __file__, str(os.getpid()), os.environ[MARK]],
        env={key: value for key, value in os.environ.items() if key != MARK},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C in a terminal goes to all of a session
    )
    SWEEPER["process"] = sweeper.pid
    sweeper.returncode = 0  # it outlives this process, and that is no reason for a warning


def born(process: int) -> tuple[int, str] | None:
    """The parent and the time of birth of a process that runs."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else (int(fields[1]), fields[19])


def still_there(seen: dict[int, str]) -> dict[int, str]:
    """Those that run; another process may have got the number of one that does not."""
    return {each: birth for each, birth in seen.items() if (born(each) or ("", ""))[1] == birth}


def everyone() -> dict[int, tuple[int, str]]:
    found = ((int(each.name), born(int(each.name))) for each in Path("/proc").iterdir() if each.name.isdigit())
    return {process: birth for process, birth in found if birth is not None}


def descendants(root: int) -> dict[int, str]:
    """All that a process and its children have started, with their times of birth, this one left out."""
    alive = everyone()
    found: dict[int, str] = {}
    parents = {root}
    while parents:
        children = {child for child, (parent, _) in alive.items() if parent in parents and child not in found}
        children.discard(os.getpid())
        found |= {child: alive[child][1] for child in children}
        parents = children
    return found


def marked(mark: str) -> dict[int, str]:
    """All that carry the mark."""
    found = {}
    for process, (_, birth) in everyone().items():
        try:
            environment = Path(f"/proc/{process}/environ").read_bytes()
        except OSError:
            continue
        if f"{MARK}={mark}".encode() in environment.split(b"\0"):
            found[process] = birth
    return found


def pytest_unconfigure() -> None:
    """Whatever this process, a run or one of its workers, has started and not ended."""
    if MARK in os.environ:
        sweep("", {each: birth for each, birth in descendants(os.getpid()).items() if each != SWEEPER.get("process")})


def sweep(mark: str, seen: dict[int, str]) -> None:
    """End them, kindly at first: a database server then gives back what it holds."""
    for number, until in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, GRACE_SECONDS)):
        end = time.monotonic() + until
        told: set[int] = set()
        while time.monotonic() < end:
            left = (marked(mark) if mark else {}) | still_there(seen)
            if not left:
                return
            for process in left.keys() - told:
                told.add(process)
                try:
                    os.kill(process, number)
                except OSError:
                    continue
            time.sleep(0.05)


def main(root: int, mark: str) -> None:
    seen: dict[int, str] = {}
    try:
        handle = os.pidfd_open(root)
    except OSError:  # it has ended before this began
        sweep(mark, seen)
        return
    while not select.select([handle], [], [], LOOK_SECONDS)[0]:
        seen = still_there(seen) | descendants(root)
    sweep(mark, seen)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2])
