"""SIGKILL of the service under load: nothing that was acknowledged is lost, nothing counts twice."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Event, Thread
from typing import NamedTuple

import httpx
import pytest

import satisfice as sf
from satisfice.study.verify import verify
from satisfice.web.server import bound
from tests.helpers.parts import endless


class Worker(Thread):
    """Asks and tells over HTTP, whatever becomes of the server, and keeps what was acknowledged."""

    def __init__(self, address: str, over: Event) -> None:
        super().__init__(daemon=True)
        self._address, self._over = address, over
        self.acknowledged: list[str] = []
        self.refused: list[list[str]] = []

    def run(self) -> None:
        held: list[str] = []
        with httpx.Client(base_url=self._address, timeout=10) as web:
            while not self._over.is_set():
                tell = [{"pull": one, "results": {"speed": 3.0, "loss": 0}} for one in held]
                try:
                    answer = web.post("/api/exchange", json={"tell": tell, "ask": 2})
                except httpx.TransportError:
                    time.sleep(0.05)
                    continue
                if answer.status_code == 200:
                    self.acknowledged += held
                    held = [one["id"] for one in answer.json()["pulls"]]
                elif answer.status_code == 409:  # somebody else has one of them now
                    self.refused.append(held)
                    held = []


def started(storage: str, port: int) -> subprocess.Popen[str]:
    line = [sys.executable, "-m", "satisfice", "serve", storage, "--port", str(port)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SATISFICE_")}
    server = subprocess.Popen(line, stderr=subprocess.PIPE, text=True, env=environment)
    assert server.stderr is not None
    assert "is served at" in server.stderr.readline()
    return server


class Seen(NamedTuple):
    """What workers heard to be recorded or refused, pulls that are told in the log, and whether it verifies."""

    acknowledged: list[str]
    refused: list[list[str]]
    told: list[str]
    verified: bool


def killed(tmp_path: Path, times: int) -> Seen:
    """Kill the service so many times while workers go on."""
    storage = f"sqlite:///{tmp_path}/study.db"
    endless(storage, lease_seconds=2.0).close()
    with bound("127.0.0.1", 0) as free:
        port = free.getsockname()[1]
    rng, over = random.Random(5), Event()
    workers = [Worker(f"http://127.0.0.1:{port}", over) for _ in range(6)]
    server = started(storage, port)
    for one in workers:
        one.start()
    try:
        for _ in range(times):
            before = sum(len(one.acknowledged) for one in workers)
            until = time.monotonic() + 60
            while sum(len(one.acknowledged) for one in workers) < before + 10 and time.monotonic() < until:
                time.sleep(0.01)
            time.sleep(rng.random() * 0.1)
            server.send_signal(signal.SIGKILL)
            server.communicate()
            server = started(storage, port)
    finally:
        over.set()
        for one in workers:
            one.join(30)
        server.kill()
        server.communicate()
    acknowledged = [one for worker in workers for one in worker.acknowledged]
    with sf.load_study(storage) as study:
        events = [event.content for event in study.events() if event.kind == "told"]
        told = [f"{study.identity}:{one['number']}:{one['attempt']}" for one in events]
    refused = [held for worker in workers for held in worker.refused]
    return Seen(acknowledged, refused, told, verify(storage).ok)


@pytest.mark.parametrize(
    "times", [2, pytest.param(100, marks=[pytest.mark.full, pytest.mark.timeout(3600)])], ids=["a few", "a hundred"]
)
def test_kills(times: int, tmp_path: Path) -> None:
    seen = killed(tmp_path, times)
    assert len(seen.acknowledged) >= 10 * times
    assert len(seen.acknowledged) == len(set(seen.acknowledged))
    assert set(seen.acknowledged) <= set(seen.told)
    assert [held for held in seen.refused if set(held) <= set(seen.told)] == [], "all of it was recorded"
    assert len(seen.told) == len({one.rpartition(":")[0] for one in seen.told}), "a pull was told twice"
    assert seen.verified
