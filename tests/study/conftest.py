"""Storages for the tests: memory, SQLite, and a real PostgreSQL that the tests start."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from satisfice.study.storage.memory import MemoryStorage
from tests.helpers.server import running_server

_numbers = count()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[Any]:
    """A PostgreSQL server that the tests share."""
    with running_server() as server:
        yield server


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
