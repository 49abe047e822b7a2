"""Opening a study that has a long history."""

import os
import sys
from functools import partial
from pathlib import Path
from subprocess import run
from time import perf_counter

import numpy as np

import satisfice as sf
from benchmarks.bar import Bar, at_most
from benchmarks.live.studies import record, study_of
from benchmarks.rounds import Effort, in_turns
from satisfice.study.storage.sql import SQLStorage


def opened(folder: Path, effort: Effort) -> list[Bar]:
    """opening a study of 100,000 evaluations"""
    return _opening(folder / "opened.db", effort, 100_000, 3.0, batch=500)


def million(folder: Path, effort: Effort) -> list[Bar]:
    """opening a study of 1,000,000 evaluations"""
    return _opening(folder / "million.db", effort, 1_000_000, 5.0, batch=2000)


def listed(folder: Path, effort: Effort) -> list[Bar]:
    """`satisfice list` of 1,000 studies"""
    url, rng, number = f"sqlite:///{folder / 'many.db'}", np.random.default_rng(4), effort.of(1000)
    storage = SQLStorage(url)
    for place in range(number):
        with study_of(4, storage, f"study {place}") as study:
            record(study, 20, rng, batch=20)
    storage.keep_summaries([one._replace(seal="") for one in storage.summaries().values()])
    (first,) = in_turns(1, [partial(_seconds_to_list, url)])
    (kept,) = in_turns(effort.rounds, [partial(_seconds_to_list, url)])
    return [
        at_most(f"listing {number:,} studies of 20 evaluations, SQLite", kept, 2.0, unit=" s"),
        at_most(f"listing {number:,} of which nothing is kept, SQLite", first, 10.0, unit=" s"),
    ]


def _seconds_to_list(url: str) -> float:
    """The whole command, of processor time: what disks and others take is not its own."""
    before = children_seconds()
    run([sys.executable, "-m", "satisfice", "list", url], check=True, capture_output=True)
    return children_seconds() - before


def _opening(file: Path, effort: Effort, history: int, most: float, batch: int) -> list[Bar]:
    evaluations = effort.of(history)
    with study_of(10, f"sqlite:///{file}") as study:
        record(study, evaluations, np.random.default_rng(3), batch)
    (taken,) = in_turns(effort.rounds, [partial(_seconds_to_open, f"sqlite:///{file}")])
    details = f"from a snapshot; a file of {file.stat().st_size / 1e6:,.0f} MB"
    return [at_most(f"opening {evaluations:,} evaluations, SQLite", taken, most, unit=" s", details=details)]


def children_seconds() -> float:
    """Processor time of programs that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _seconds_to_open(storage: str) -> float:
    """From the file to the arm that is asked for."""
    start = perf_counter()
    with sf.load_study(storage) as study:
        study.ask()
        return perf_counter() - start
