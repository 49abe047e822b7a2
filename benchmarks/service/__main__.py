"""The bars of the service: python -m benchmarks.service [--storage URL] [--workers N] [--seconds S]

Workers ask and tell over HTTP, from another process than the server; each step is durable when it is answered. Without
a storage a file of SQLite is used; for PostgreSQL give the URL of an empty database. Each of the workers has one
request under way; all of them are one process, which shares the processors with the server. Results lie at their
limits, so that the study, by the default rule, does not end.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import quantiles
from typing import Any, NamedTuple

import satisfice as sf

THRESHOLDS = ["latency <= 100 : bounded(0, 400)", "loss <= 0.02 : bernoulli"]
PAIRS_ONE_AT_A_TIME, PAIRS_IN_BATCHES, BATCH, P99_MS = 1500, 5000, 16, 150


class Measured(NamedTuple):
    """Pairs of ask and tell a second, how long the slowest hundredth of requests took, and what a pair costs.

    In milliseconds, and in microseconds of processor time of the server and of the workers: on a machine that does
    other things as well these say more than the first two. `megabytes` are those of
    the server, after a quarter of the time and at the end.
    """

    pairs: float
    p99: float
    server: float
    workers: float
    megabytes: tuple[float, float]


async def _work(port: int, study: str, batch: int, until: float, took: list[float]) -> int:
    """One worker: tells what it has and asks for as much, in one request, until the time is over."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    tell: list[dict[str, Any]] = []
    told = 0
    while time.monotonic() < until:
        body = json.dumps({"tell": tell, "ask": batch}).encode()
        head = f"POST /api/exchange?study={study} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
        began = time.monotonic()
        writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", answer, re.IGNORECASE)
        if not answer.startswith(b"HTTP/1.1 200") or length is None:
            raise RuntimeError(f"The service answered {answer[:200]!r}.")
        content = json.loads(await reader.readexactly(int(length[1])))
        took.append(time.monotonic() - began)
        told += len(tell)
        tell = [
            {"pull": pull["id"], "results": {"latency": 60.0 + place * 37 % 81, "loss": 0}}
            for place, pull in enumerate(content["pulls"], told)
        ]
    writer.close()
    return told


async def _measure(port: int, study: str, workers: int, batch: int, seconds: float, server: int) -> Measured:
    took: list[float] = []
    until = time.monotonic() + seconds
    before = time.process_time()
    memory = asyncio.create_task(_megabytes_after(server, seconds / 4))
    told = await asyncio.gather(*(_work(port, study, batch, until, took) for _ in range(workers)))
    each = 1e6 / max(1, sum(told))
    spent = time.process_time() - before
    grown = (await memory, _megabytes(server))
    return Measured(sum(told) / seconds, 1000 * quantiles(took, n=100)[-1], each, each * spent, grown)


def measured(storage: str, workers: int, seconds: float) -> list[tuple[str, Measured, int]]:
    """One at a time and in batches, each on a study of its own."""
    names = [f"config {place}" for place in range(20)]
    found = []
    for batch, bar in ((1, PAIRS_ONE_AT_A_TIME), (BATCH, PAIRS_IN_BATCHES)):
        name = f"batch-{batch}"
        sf.create_study(names, THRESHOLDS, storage=storage, name=name, goal="all").close()
        line = [sys.executable, "-m", "satisfice", "serve", storage, "--port", "0"]
        with subprocess.Popen(line, stderr=subprocess.PIPE, text=True) as server:
            try:
                said = server.stderr.readline() if server.stderr is not None else ""
                port = int(re.findall(r":(\d+)/", said)[-1])
                before = _processor_seconds(server.pid)
                one = asyncio.run(_measure(port, name, workers, batch, seconds, server.pid))
                spent = _processor_seconds(server.pid) - before
                found.append((name, one._replace(server=one.server * spent), bar))
            finally:
                server.terminate()
    return found


def _processor_seconds(process: int) -> float:
    """What a process has used of all processors, as Linux counts it."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def _megabytes_after(process: int, seconds: float) -> float:
    await asyncio.sleep(seconds)
    return _megabytes(process)


def _megabytes(process: int) -> float:
    pages = int(Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--storage", help="where the studies are kept; default: a new file of SQLite")
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=10.0)
    given = parser.parse_args()
    met = True
    with tempfile.TemporaryDirectory() as folder:
        for name, one, bar in measured(given.storage or f"sqlite:///{folder}/service.db", given.workers, given.seconds):
            met = met and one.pairs >= bar and one.p99 <= P99_MS
            print(f"{name}: {one.pairs:,.0f} ask + tell pairs a second (at least {bar:,}), ", end="")
            print(
                f"p99 {one.p99:,.0f} ms (at most {P99_MS}); a pair takes {one.server:,.0f} us of the server, ", end=""
            )
            print(f"{one.workers:,.0f} of the workers; memory {one.megabytes[0]:,.0f} to {one.megabytes[1]:,.0f} MB")
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()
