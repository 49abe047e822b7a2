"""64 workers of one study over HTTP, whose evaluations take no time.

The workers are coroutines of one process that write HTTP/1.1 onto sockets, as little as will do: in the world they are
on other machines, and here they share the processors with the server. Each has one request under way, which tells what
it has and asks for as much.
"""

import asyncio
import json
import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import Any, NamedTuple

import satisfice as sf
from benchmarks.bar import Bar, at_least, at_most
from benchmarks.live.studies import check_verified
from benchmarks.rounds import Effort, Rounds
from benchmarks.service.serving import Served, served
from tests.helpers.server import running_server

WORKERS, SECONDS, BATCH = 64, 5.0, 16
PAIRS, PAIRS_IN_BATCHES, P99_MS = 1500, 5000, 150
CLIENTS, CLIENT_MS = 4, 3.0
WARM_SECONDS = 0.5
"""Until the server has opened the study; what workers do meanwhile is not counted."""
THRESHOLDS = ["latency <= 100 : bounded(0, 400)", "loss <= 0.02 : bernoulli"]
"""Results lie at their limits, so that a study does not end."""

CLIENT = "import sys; from benchmarks.service.workers import python_client; python_client(*sys.argv[1:])"


class Measured(NamedTuple):
    """Pairs of ask and tell a second, the slowest hundredth of requests, and what a pair takes of processors."""

    pairs: float
    p99_ms: float
    server_us: float
    database_us: float
    workers_us: float

    @property
    def parts(self) -> str:
        return f"{self.server_us:,.0f} us of the server, {self.database_us:,.0f} of the database"


def sixty_four_workers(folder: Path, effort: Effort) -> list[Bar]:
    """64 workers over HTTP on SQLite and PostgreSQL, one at a time and in batches"""
    asked = [(kind, batch) for batch in (1, BATCH) for kind in ("SQLite", "PostgreSQL")]
    rounds: dict[tuple[str, int], list[Measured]] = {each: [] for each in asked}
    clients: list[Measured] = []
    with running_server() as server:
        places = {
            "SQLite": (f"sqlite:///{folder}/service.db", None),
            "PostgreSQL": (server.get_uri(), server.get_pid()),
        }
        for number in range(effort.rounds):
            for kind, batch in asked:
                url, database = places[kind]
                name = _made(url, f"{batch} at a time, round {number}")
                with served(url, database) as one:
                    rounds[kind, batch].append(asyncio.run(_measured(one, name, batch, effort)))
                if number == 0:
                    check_verified(url, name)
            url, database = places["SQLite"]
            name = _made(url, f"Python clients, round {number}")
            with served(url, database) as one:
                clients.append(_of_clients(one, name, effort))
    bars = [bar for each, found in rounds.items() for bar in _bars(*each, found)]
    return [*bars, _of_python(clients)]


def _bars(kind: str, batch: int, found: list[Measured]) -> list[Bar]:
    steps = "one at a time" if batch == 1 else f"{batch} at a time"
    middle = sorted(found, key=lambda one: one.pairs)[len(found) // 2]
    details = f"{steps}, log verified; a pair takes {middle.parts}, "
    details += f"{middle.workers_us:,.0f} of the workers"
    rates, waits = Rounds(tuple(one.pairs for one in found)), Rounds(tuple(one.p99_ms for one in found))
    least = PAIRS if batch == 1 else PAIRS_IN_BATCHES
    floor = f"{steps}; {WORKERS * batch:,} evaluations are under way" if batch > 1 else steps
    return [
        at_least(f"{WORKERS} workers over HTTP, {kind}", rates, least, unit=" /s", details=details),
        at_most(f"the slowest hundredth of requests, {kind}", waits, P99_MS, unit=" ms", details=floor),
    ]


def _of_python(found: list[Measured]) -> Bar:
    """What the client in Python takes; httpx is most of it."""
    middle = sorted(found, key=lambda one: one.pairs)[len(found) // 2]
    spent = Rounds(tuple(one.workers_us / 1000 for one in found))
    details = f"one at a time, SQLite, {CLIENTS} processes: {middle.pairs:,.0f} pairs a second; {middle.parts}"
    return at_most("a pair in the Python client, processor time", spent, CLIENT_MS, unit=" ms", details=details)


def _made(url: str, name: str) -> str:
    names = [f"config {place}" for place in range(20)]
    sf.create_study(names, THRESHOLDS, storage=url, name=name, goal="all").close()
    return name


async def _measured(server: Served, study: str, batch: int, effort: Effort) -> Measured:
    workers, seconds = (
        [Worker(server.port, study, batch, seed) for seed in range(WORKERS)],
        SECONDS * max(effort.share, 0.1),
    )
    since = time.monotonic() + WARM_SECONDS
    running = asyncio.gather(*(worker.round(since, since + seconds) for worker in workers))
    await asyncio.sleep(WARM_SECONDS)
    before, own = server.spent(), time.process_time()
    told = sum(await running)
    lasted, each, after = time.monotonic() - since, 1e6 / max(1, told), server.spent()
    own = time.process_time() - own
    took = [one for worker in workers for one in worker.took]
    spent = (each * (after[0] - before[0]), each * (after[1] - before[1]), each * own)
    return Measured(told / lasted, 1000 * quantiles(took, n=100)[-1], *spent)


class Worker:
    """A worker and its connection; `took` are the seconds of its requests."""

    def __init__(self, port: int, study: str, batch: int, seed: int) -> None:
        self._port, self._batch, self._told, self._chance = port, batch, 0, Random(seed)
        path = f"/api/exchange?study={study.replace(' ', '%20')}"
        self._head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        self._tell: list[dict[str, Any]] = []
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.took: list[float] = []

    async def round(self, since: float, until: float) -> int:
        """Work until then; how many results were told by requests that began after `since`."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        counted = 0
        while (began := time.monotonic()) < until:
            body = json.dumps({"tell": self._tell, "ask": self._batch}).encode()
            writer.write(f"{self._head}content-length: {len(body)}\r\n\r\n".encode() + body)
            answer = await reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
            if not answer.startswith(b"HTTP/1.1 200") or length is None:
                raise RuntimeError(f"The service answered {answer[:200]!r}.")
            content = json.loads(await reader.readexactly(int(length[1])))
            self._told += len(self._tell)
            if began >= since:
                self.took.append(time.monotonic() - began)
                counted += len(self._tell)
            if not content["pulls"]:
                raise RuntimeError(f"There is nothing to evaluate any more, after {self._told} results of one worker.")
            self._tell = [
                {"pull": pull["id"], "results": {"latency": self._chance.uniform(60.0, 140.0), "loss": 0}}
                for pull in content["pulls"]
            ]
        return counted


def _of_clients(server: Served, study: str, effort: Effort) -> Measured:
    """What some processes with the client of Python do, each one evaluation at a time."""
    seconds = SECONDS * max(effort.share, 0.1)
    command = [sys.executable, "-c", CLIENT, f"http://127.0.0.1:{server.port}", study, str(seconds)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(CLIENTS)]
    before = server.spent()
    done = [json.loads(one.communicate()[0]) for one in processes]
    after, told = server.spent(), max(1, sum(one["told"] for one in done))
    own, longest = 1e6 * sum(one["spent"] for one in done) / told, max(one["p99"] for one in done)
    spent = (1e6 * (after[0] - before[0]) / told, 1e6 * (after[1] - before[1]) / told, own)
    return Measured(told / seconds, 1000 * longest, *spent)


def python_client(url: str, name: str, seconds: str) -> None:
    """A worker with `load_study`; says what it did."""
    with sf.load_study(url, name) as study:
        pulls, told, took, chance = study.ask(1), 0, list[float](), Random(os.getpid())
        before, until = resource.getrusage(resource.RUSAGE_SELF), time.monotonic() + float(seconds)
        while (began := time.monotonic()) < until:
            results = {"latency": chance.uniform(60.0, 140.0), "loss": 0}
            pulls = study.exchange([(pull, results) for pull in pulls], ask=1)
            took.append(time.monotonic() - began)
            told += 1
        after = resource.getrusage(resource.RUSAGE_SELF)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"told": told, "spent": spent, "p99": max(quantiles(took, n=100))}))


def memory(folder: Path, effort: Effort) -> list[Bar]:
    """the memory of the server over 1,000,000 requests"""
    url, wanted = f"sqlite:///{folder}/memory.db", effort.of(1_000_000, least=2000)
    name = _made(url, "memory")
    with served(url) as server:
        found = asyncio.run(_megabytes(server, name, wanted))
    early, late = found[len(found) // 5], found[-1]
    what = f"memory of the server after {wanted:,} requests"
    return [at_most(what, Rounds((late / early,)), 1.05, unit=" x", details=f"{early:,.0f} MB after a fifth of them")]


async def _megabytes(server: Served, study: str, requests: int) -> list[float]:
    """What the server has in memory, now and then, until it has answered so many requests."""
    workers = [Worker(server.port, study, 1, seed) for seed in range(WORKERS)]
    found, done = [server.megabytes()], 0
    while done < requests:
        now = time.monotonic()
        await asyncio.gather(*(worker.round(now, now + 5.0) for worker in workers))
        done += sum(len(worker.took) for worker in workers)
        for worker in workers:
            worker.took.clear()
        found.append(server.megabytes())
    return found
