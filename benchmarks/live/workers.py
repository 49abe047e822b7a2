"""Many worker processes on one study in PostgreSQL."""

import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

import satisfice as sf
from benchmarks.bar import Bar, at_least
from benchmarks.borrowed import running_server
from benchmarks.live.studies import disk_milliseconds, results, study_of
from benchmarks.rounds import Effort, in_turns

WORKERS, SECONDS = 8, 5.0
"""How many processes, and how long a round is."""

WORK = "import sys; from benchmarks.live.workers import work_for; work_for(*sys.argv[1:])"


def eight_workers(folder: Path, effort: Effort) -> list[Bar]:
    """eight worker processes on PostgreSQL"""
    seconds = SECONDS * max(effort.share, 0.1)
    with running_server() as server:
        url = server.get_uri()
        with study_of(10, url, "workers") as study:
            command = [sys.executable, "-c", WORK, url, "workers", str(effort.rounds * seconds + 60)]
            workers = [subprocess.Popen(command) for _ in range(WORKERS)]
            try:
                while study.counts().told < 50 * WORKERS:  # all have started
                    time.sleep(0.1)
                (rates,) = in_turns(effort.rounds, [partial(told_a_second, study, seconds)])
            finally:
                for worker in workers:
                    worker.kill()
                    worker.wait()
        checked = sf.verify(url, "workers")
    verified = "log verified" if checked.ok else f"NOT VERIFIED: {checked.problems[0]}"
    details = f"one study, {verified}; disk: {disk_milliseconds(folder):.2g} ms a commit"
    return [at_least(f"{WORKERS} worker processes, PostgreSQL", rates, 400, unit=" /s", details=details)]


def told_a_second(study: sf.Study, seconds: float) -> float:
    """How many results come in a second, during a round."""
    told, start = study.counts().told, perf_counter()
    time.sleep(seconds)
    return (study.counts().told - told) / (perf_counter() - start)


def work_for(url: str, name: str, seconds: str) -> None:
    """A worker whose evaluations take no time."""
    rng = np.random.default_rng()
    sf.work(url, name, lambda config: results(rng), max_seconds=float(seconds))
