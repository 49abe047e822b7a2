"""Programs as evaluations, and whether what they started is gone."""

import os
import sys
from contextlib import suppress
from time import monotonic, sleep

import pytest

from satisfice.command import CommandEvaluation

in_proc = pytest.mark.skipif(not os.path.exists("/proc"), reason="looks processes up in /proc")


def python(code, *words, **more):
    """The evaluation of a Python program with two metrics, a and b, unless told otherwise."""
    return CommandEvaluation([sys.executable, "-c", code, *words], **{"metrics": ["a", "b"]} | more)


def shell(script, *words, **more):
    """The evaluation of a shell script with one metric, a, unless told otherwise."""
    return CommandEvaluation(["sh", "-c", script, "sh", *words], **{"metrics": ["a"]} | more)


def run(evaluation, **parameters):
    return evaluation(parameters, config="one", number=7)


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"  # killed, but not yet collected by its new parent
    except FileNotFoundError:
        return False


def gone(path, within=10.0):
    """Whether the processes whose numbers are in the file end soon."""
    until = monotonic() + within
    while monotonic() < until:
        if not any(alive(int(pid)) for pid in path.read_text().split()):
            return True
        sleep(0.02)
    return False


def awaited(value, within=30.0):
    """What a function returns as soon as that is something."""
    until = monotonic() + within
    while not (found := value()):
        assert monotonic() < until, "it did not come"
        sleep(0.01)
    return found


def written(path, lines=1, within=30.0):
    """Wait until a file has so many whole lines."""
    return awaited(lambda: path.exists() and path.read_text().count("\n") >= lines and path, within)


def children(name):
    """The running children of this process whose command line has a name in it."""
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        pids = [int(pid) for pid in file.read().split()]
    found = set()
    for pid in pids:
        with suppress(FileNotFoundError), open(f"/proc/{pid}/cmdline") as line:
            found |= {pid} if name in line.read() else set()
    return found
