"""Storages for the tests of the page."""

from pathlib import Path

import pytest


@pytest.fixture
def sqlite(tmp_path: Path) -> str:
    """The URL of a database file that is not there yet."""
    return f"sqlite:///{tmp_path}/study.db"
