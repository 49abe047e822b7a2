"""The guard: a process that outlives a run which was killed, and ends the programs that the run left behind.

It reads lines from its standard input, a pipe that closes when the run is gone, however that came about: `start TOKEN`
before a program is started, `runs TOKEN PID` afterwards, `over TOKEN` once it and its process group have ended. A bare
interpreter runs it as a file, so it imports nothing of the package.

A signal on the parent's death (PR_SET_PDEATHSIG) would need a step between fork and exec, which is unsafe beside
threads, would come when the thread that started the program ends, and exists on Linux only.
"""

import os
import signal
import sys
import time
from contextlib import suppress

GRACE_SECONDS = 1.0
PAUSE_SECONDS = 0.02


def end_programs(programs: dict[bytes, int]) -> None:
    """Ask the groups of all programs to end, and kill those that do not; a program without a number is looked for."""
    until = time.monotonic() + GRACE_SECONDS
    starting = {token for token, pid in programs.items() if not pid}
    groups = {pid for pid in programs.values() if pid}
    fresh = set(groups)
    while groups or starting:
        for token, pid in found(starting).items():
            starting.discard(token)
            fresh.add(pid)
        groups = {pid for pid in groups | fresh if signalled(pid, signal.SIGTERM if pid in fresh else 0)}
        fresh.clear()
        if time.monotonic() >= until:
            break
        time.sleep(PAUSE_SECONDS)
    for pid in groups:
        signalled(pid, signal.SIGKILL)


def found(tokens: set[bytes]) -> dict[bytes, int]:
    """The programs of which only the token is known, by their environment: the run was killed as it started them."""
    places: dict[bytes, int] = {}
    with suppress(OSError):  # there is no /proc but on Linux
        for name in os.listdir("/proc") if tokens else ():
            with suppress(OSError):
                if name.isdecimal() and os.getpgid(int(name)) == int(name):
                    with open(f"/proc/{name}/environ", "rb") as environment:
                        held = tokens & {entry.partition(b"=")[2] for entry in environment.read().split(b"\0")}
                    places |= dict.fromkeys(held, int(name))
    return places


def signalled(group: int, sign: int) -> bool:
    """Send a signal to a process group; whether there is such a group."""
    try:
        os.killpg(group, sign)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def main() -> None:
    """Follow what the run says until it is gone."""
    programs: dict[bytes, int] = {}
    for line in sys.stdin.buffer:
        said, token, *pid = line.split()
        if said == b"over":
            programs.pop(token, None)
        else:
            programs[token] = int(pid[0]) if pid else 0
    end_programs(programs)


if __name__ == "__main__":
    os.chdir("/")  # it was started in the folder of this file, and keeps no folder busy
    main()
