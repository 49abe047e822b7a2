"""The command line as people use it, in this process: fast, and with what it printed."""

import shutil
import subprocess
import sys
from pathlib import Path
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
    return lambda: {
        path: path.read_bytes()
        for path in tmp_path.rglob("*")
        if path.is_file() and not path.name.endswith(("-wal", "-shm"))  # SQLite's own, while a database is open
    }


EXAMPLES = Path(__file__).parent.parent.parent / "examples"
BENCH = EXAMPLES / "iot" / "bench.sh"
GRID = ["-L", "codec=opus,aac,lc3", "-L", "txpower=4,8,12"]
THRESHOLDS = [
    *("-t", "p90(latency_ms) <= 100 ~ 10", "-t", "loss <= 0.1 ~ 0.05 : bernoulli"),
    *("-t", "energy_mj <= 50 ~ 1 : bounded(0, 200)"),
]
PROGRAM = ["--", "./bench.sh", "--codec", "{codec}", "--tx", "{txpower}"]


@pytest.fixture
def bench(folder, monkeypatch):
    """A folder with the radio bench of the examples, for `satisfice run *GRID *THRESHOLDS *PROGRAM`."""
    shutil.copy(BENCH, folder)
    monkeypatch.delenv("SATISFICE_STORAGE", raising=False)
    return folder


@pytest.fixture(scope="session")
def radio_file(tmp_path_factory):
    """A database with one study, radio, that found lc3 at 8 dBm."""
    folder = tmp_path_factory.mktemp("radio")
    shutil.copy(BENCH, folder)
    words = ["run", *GRID, *THRESHOLDS, "--storage", "sqlite:///iot.db", "--name", "radio", *PROGRAM]
    subprocess.run([sys.executable, "-m", "satisfice", *words], cwd=folder, check=True, capture_output=True)
    return folder / "iot.db"


@pytest.fixture
def radio(bench, radio_file):
    """The same folder with a copy of that database."""
    shutil.copy(radio_file, bench)
    return bench


@pytest.fixture
def examples(tmp_path):
    """A folder with a copy of the examples: they write beside themselves."""
    shutil.copytree(EXAMPLES, tmp_path / "examples")
    return tmp_path
