"""How many programs may run at a time: each needs open files, and a system limits those of a process."""

import os
import resource

from satisfice.errors import InvalidCommand
from satisfice.layout.numbers import counted

FILES_OF_A_PROGRAM = 3
"""Two pipes, and what tells of its end."""
SPARE_FILES = 32
"""For the storage, for starting a program, and for whatever Python opens."""


def make_room(jobs: int) -> None:
    """Raise the limit of open files to what `jobs` programs at a time need; InvalidCommand if that cannot be."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    others = _open_files() + SPARE_FILES
    needed = others + FILES_OF_A_PROGRAM * jobs
    if soft == resource.RLIM_INFINITY or needed <= soft:
        return
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    except (ValueError, OSError):
        room = soft if hard == resource.RLIM_INFINITY else hard
        fits = max(0, (room - others) // FILES_OF_A_PROGRAM)
        advice = f"The largest number that fits is -j {fits}" if fits else "Not even one fits"
        raise InvalidCommand(
            f"{counted(jobs, 'evaluation')} at a time need {needed:,} open files, and this process may have {room:,}. "
            f"{advice}; ulimit -n says and sets the limit."
        ) from None


def _open_files() -> int:
    try:
        return len(os.listdir("/dev/fd"))
    except OSError:
        return SPARE_FILES
