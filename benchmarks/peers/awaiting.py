"""Evaluations that are awaited, and all evaluations as a table."""

import asyncio
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

from benchmarks.bar import Bar, at_most
from benchmarks.live.studies import record, results, study_of
from benchmarks.rounds import Effort, Rounds, in_turns

EVALUATIONS, AT_A_TIME, SECONDS = 1000, 100, 0.05
IDEAL = EVALUATIONS / AT_A_TIME * SECONDS
MILLION = 1_000_000

TABLE = """
import resource, sys, time
import satisfice as sf
study = sf.load_study(sys.argv[1])
import pandas
start = time.perf_counter()
rows = len(study.to_dataframe())
print(rows, time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""

EXPORT = """
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run([sys.executable, "-m", "satisfice", "export", sys.argv[1], "--out", sys.argv[2]], check=True)
seconds = time.perf_counter() - start
with open(sys.argv[2], "rb") as file:
    rows = sum(1 for _ in file) - 1
print(rows, seconds, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
"""


def awaited(folder: Path, effort: Effort) -> list[Bar]:
    """1,000 async evaluations of 50 ms, 100 at a time"""
    bars = []
    for kind, storage in (("memory", "memory"), ("SQLite", f"sqlite:///{folder}/awaited.db")):
        counter = iter(range(10**6))
        measures: list[Callable[[], float]] = [partial(_seconds, storage, counter, way) for way in ("run", "arun")]
        for way, rounds in zip(("run", "arun"), in_turns(min(effort.rounds, 3), measures), strict=True):
            over = Rounds(tuple(one / IDEAL for one in rounds.values))
            details = f"{rounds.median:.3g} s; ideal {IDEAL:g} s"
            bars.append(at_most(f"{EVALUATIONS:,} awaited by {way}, {kind}", over, 1.3, unit=" x", details=details))
    return bars


def _seconds(storage: str, counter: "object", way: str) -> float:
    rng = np.random.default_rng(1)

    async def evaluate(config: str) -> dict[str, float]:
        await asyncio.sleep(SECONDS)
        return results(rng)

    with study_of(10, storage, f"{way} {next(counter)}") as study:  # type: ignore[call-overload]  # an iterator
        start = perf_counter()
        if way == "run":
            study.run(evaluate, workers=AT_A_TIME, max_evaluations=EVALUATIONS)
        else:
            asyncio.run(study.arun(evaluate, workers=AT_A_TIME, max_evaluations=EVALUATIONS))
        taken = perf_counter() - start
        if study.counts().told != EVALUATIONS:
            raise RuntimeError("the study ended while it was measured")
    return taken


def table(folder: Path, effort: Effort) -> list[Bar]:
    """1,000,000 evaluations as a table of pandas, and as a CSV file"""
    rows = effort.of(MILLION)
    path = f"sqlite:///{folder}/table.db"
    with study_of(1000, path) as study:
        record(study, rows, np.random.default_rng(3), batch=5000)
    bars = []
    for what, script, file in (("to_dataframe", TABLE, ""), ("satisfice export to CSV", EXPORT, f"{folder}/table.csv")):
        done = subprocess.run([sys.executable, "-c", script, path, file], capture_output=True, text=True, check=True)
        found, seconds, megabytes = map(float, done.stdout.split())
        if found != rows:
            raise RuntimeError(f"{found:,.0f} rows of {rows:,}")
        name = f"{rows:,} evaluations by {what}"
        bars += [
            at_most(name, Rounds((seconds,)), 10, unit=" s", details="SQLite, K = 1,000, M = 3"),
            at_most(name, Rounds((megabytes,)), 600, unit=" MB", details="the most memory of the process"),
        ]
    return bars
