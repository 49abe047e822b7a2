"""The command line as people use it, in this process: fast, and with what it printed."""

import sys
from typing import NamedTuple

import pytest

from satisfice.cli import main

INSTANCE = """
name = "small"
error_rate = 0.1
thresholds = ["speed >= 0.5 ~ 0.1 : normal(1)", "cost <= 1 ~ 0.1 : normal(2)"]

[arms]
names = ["slow", "right", "dear"]
means = [[0.0, 0.0], [1.5, -1.0], [1.0, 3.0]]

[simulate]
repetitions = 40
seed = 7
"""


class Done(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path):
    """A folder that holds a small instance file, small.toml."""
    (tmp_path / "small.toml").write_text(INSTANCE)
    return tmp_path


@pytest.fixture
def satisfice(monkeypatch, capsys, folder):
    """Run `satisfice WORDS` in that folder."""
    monkeypatch.chdir(folder)
    monkeypatch.delenv("COLUMNS", raising=False)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["satisfice", *map(str, words)])
        with pytest.raises(SystemExit) as leaving:
            main()
        printed = capsys.readouterr()
        return Done(leaving.value.code, printed.out, printed.err)

    return run


@pytest.fixture
def edited(tmp_path):
    """The small instance file with one text replaced by another."""

    def write(old, new):
        assert old in INSTANCE
        (tmp_path / "small.toml").write_text(INSTANCE.replace(old, new))

    return write


@pytest.fixture
def files(tmp_path):
    """All files below the test's folder with their contents."""
    return lambda: {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
