"""A server to measure: `satisfice serve` in a process of its own, and what it and its database take."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Served(NamedTuple):
    """A server by its port and process, and the process of the database's server, if it has one."""

    port: int
    process: int
    database: int | None

    def spent(self) -> tuple[float, float]:
        """Seconds of all processors that the server and the database have used."""
        own = [] if self.database is None else [self.database, *_children(self.database)]
        return _seconds(self.process), sum(map(_seconds, own))

    def megabytes(self) -> float:
        pages = int(Path(f"/proc/{self.process}/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@contextmanager
def served(storage: str, database: int | None = None) -> Iterator[Served]:
    """A server of that storage."""
    line = [sys.executable, "-m", "satisfice", "serve", storage, "--port", "0"]
    with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as server:
        try:
            said = server.stderr.readline() if server.stderr is not None else ""
            yield Served(int(re.findall(r":(\d+)/", said)[-1]), server.pid, database)
        finally:
            server.terminate()


def _seconds(process: int) -> float:
    """What a process has used of all processors, as Linux counts it; nothing if it has ended."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="ascii")
    return [int(one) for one in found.split()]
