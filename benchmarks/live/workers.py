"""Many worker processes on one study, whose evaluations take no time: how many come in, and how long one waits."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

import satisfice as sf
from benchmarks.bar import Bar, at_least, at_most
from benchmarks.live.studies import check_verified, disk_milliseconds, results, study_of
from benchmarks.rounds import Effort, Rounds
from tests.helpers.server import running_server

WORKERS, SECONDS = 8, 4.0
"""How many processes, and how long a round is."""
BATCH = 8
"""How many results are told, and pulls asked for, in one step of a batch."""

WORK = "import sys; from benchmarks.live.workers import work; work(*sys.argv[1:])"


class Round(NamedTuple):
    """What a worker did in a round: its evaluations, in how many seconds, and the longest step."""

    evaluations: int
    seconds: float
    longest: float


class Crowd(NamedTuple):
    """Workers of one study; in each round they all work for some seconds."""

    processes: list["subprocess.Popen[str]"]

    def round(self, seconds: float) -> tuple[float, float]:
        """Evaluations a second of all workers together, and the longest step of any."""
        for one in self.processes:
            print(seconds, file=one.stdin, flush=True)
        done = [Round(*json.loads(one.stdout.readline())) for one in self.processes if one.stdout is not None]
        return sum(one.evaluations / one.seconds for one in done), max(one.longest for one in done)


def eight_workers(folder: Path, effort: Effort) -> list[Bar]:
    """eight worker processes on SQLite and PostgreSQL"""
    with running_server() as server:
        places = {"SQLite": f"sqlite:///{folder}/workers.db", "PostgreSQL": server.get_uri()}
        asked = [("SQLite", 1, 700), ("PostgreSQL", 1, 500), ("SQLite", BATCH, 2000), ("PostgreSQL", BATCH, 2000)]
        taken: list[list[tuple[float, float]]] = [[] for _ in asked]
        names = [f"in batches of {batch}" for _, batch, _ in asked]
        for (kind, _, _), name in zip(asked, names, strict=True):
            study_of(10, places[kind], name).close()
        for _ in range(effort.rounds):
            for (kind, batch, _), name, rounds in zip(asked, names, taken, strict=True):
                with crowd(places[kind], name, batch) as workers:
                    rounds.append(workers.round(SECONDS * max(effort.share, 0.05)))
        for (kind, _, _), name in zip(asked, names, strict=True):
            check_verified(places[kind], name)
    bars: list[Bar] = []
    for (kind, batch, least), rounds in zip(asked, taken, strict=True):
        rates, waits = (Rounds(values) for values in zip(*rounds, strict=True))
        steps = "one at a time" if batch == 1 else f"{batch} at a time"
        details = f"{steps}, log verified; disk: {disk_milliseconds(folder):.2g} ms a commit"
        bars.append(at_least(f"{WORKERS} worker processes, {kind}", rates, least, unit=" /s", details=details))
        worst = Rounds((max(waits.values),))
        bars.append(at_most("the longest step of any of them", worst, 1.0, unit=" s", details=f"{steps}, {kind}"))
    return bars


@contextmanager
def crowd(url: str, name: str, batch: int, workers: int = WORKERS) -> Iterator[Crowd]:
    """Workers that are ready to begin."""
    command = [sys.executable, "-c", WORK, url, name, str(batch)]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(workers)
    ]
    try:
        yield _warm(Crowd(processes))
    finally:
        for one in processes:
            one.kill()
            one.communicate()


def _warm(workers: Crowd) -> Crowd:
    """All have started and taken a few steps."""
    workers.round(0.2)
    return workers


def work(url: str, name: str, batch: str) -> None:
    """A worker whose evaluations take no time: a line of input is a round's seconds, a line of output what was done."""
    rng, wanted = np.random.default_rng(), int(batch)
    with sf.load_study(url, name) as study:
        pulls = study.ask(wanted)
        for line in sys.stdin:
            told, longest, start = 0, 0.0, perf_counter()
            while (begun := perf_counter()) - start < float(line):
                pulls = study.exchange([(pull, results(rng)) for pull in pulls], ask=wanted)
                longest = max(longest, perf_counter() - begun)
                told += wanted
            print(json.dumps(Round(told, perf_counter() - start, longest)), flush=True)
