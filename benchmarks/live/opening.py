"""Opening a study that has a long history."""

from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

import satisfice as sf
from benchmarks.bar import Bar, at_most
from benchmarks.live.studies import record, study_of
from benchmarks.rounds import Effort, in_turns


def opened(folder: Path, effort: Effort) -> list[Bar]:
    """opening a study of 100,000 evaluations"""
    return _opening(folder / "opened.db", effort, 100_000, 3.0, batch=500)


def million(folder: Path, effort: Effort) -> list[Bar]:
    """opening a study of 1,000,000 evaluations"""
    return _opening(folder / "million.db", effort, 1_000_000, 5.0, batch=2000)


def _opening(file: Path, effort: Effort, history: int, most: float, batch: int) -> list[Bar]:
    evaluations = effort.of(history)
    with study_of(10, f"sqlite:///{file}") as study:
        record(study, evaluations, np.random.default_rng(3), batch)
    (taken,) = in_turns(effort.rounds, [partial(_seconds_to_open, f"sqlite:///{file}")])
    details = f"from a snapshot; a file of {file.stat().st_size / 1e6:,.0f} MB"
    return [at_most(f"opening {evaluations:,} evaluations, SQLite", taken, most, unit=" s", details=details)]


def _seconds_to_open(storage: str) -> float:
    """From the file to the arm that is asked for."""
    start = perf_counter()
    with sf.load_study(storage) as study:
        study.ask()
        return perf_counter() - start
