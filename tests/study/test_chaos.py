"""Processes and servers that are killed: no acknowledged result lost, none counted twice, the log verifies."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import satisfice as sf
from tests.helpers.chaos import SPEC, judged, noted_in
from tests.helpers.server import crash, running_server

ROOT = Path(__file__).parent.parent.parent


def ravaged(url: str, kills: int, studies: int, seed: int, seconds: float) -> dict[str, Any]:
    """What happened to studies whose processes were killed; in a process of its own, since it forks."""
    command = [sys.executable, "-m", "tests.helpers.chaos", url, *map(str, (kills, studies, seed))]
    out = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=seconds, check=False)
    assert out.returncode == 0, out.stderr
    happened: dict[str, Any] = json.loads(out.stdout)
    assert happened["problems"] == []
    assert happened["acknowledged"] > 100 * studies
    assert happened["reissued"] > 0
    return happened


def test_killed_processes_on_sqlite(sqlite: str) -> None:
    assert ravaged(sqlite, 8, 1, 1, 100)["kills"] == 8


def test_killed_processes_on_postgres(postgres: str) -> None:
    assert ravaged(postgres, 8, 1, 2, 100)["kills"] == 8


@pytest.mark.full
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_two_hundred_kills(kind: str, request: pytest.FixtureRequest) -> None:
    assert ravaged(request.getfixturevalue(kind), 220, 20, 3, 1200)["kills"] >= 200


@pytest.fixture
def own_server() -> Iterator[Any]:
    """A server that no other test uses."""
    with running_server() as server:
        yield server


def test_workers_wait_for_a_server_that_crashed(own_server: Any, tmp_path: Path) -> None:
    url = own_server.get_uri()
    sf.create_study(**SPEC, storage=url, name="crashed").close()
    code = (
        "import sys; from pathlib import Path; from tests.helpers.chaos import be_a_process;"
        "be_a_process(sys.argv[1], 'crashed', Path(sys.argv[2]), False)"
    )
    notes = [tmp_path / str(place) for place in range(3)]
    workers = [
        subprocess.Popen([sys.executable, "-c", code, url, str(path)], cwd=ROOT, stderr=subprocess.PIPE, text=True)
        for path in notes
    ]
    while sum(len(path.read_text().splitlines()) for path in notes if path.exists()) < 100:
        time.sleep(0.02)
        assert any(worker.poll() is None for worker in workers)
    crash(own_server)
    time.sleep(0.5)
    own_server.ensure_postgres_running()
    for worker in workers:
        _, error = worker.communicate(timeout=100)
        assert worker.returncode == 0, error
    outcome = judged(url, "crashed", 0, *noted_in(tmp_path))
    assert outcome.problems == []
