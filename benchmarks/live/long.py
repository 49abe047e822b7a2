"""A study of many evaluations: what it takes in memory and on the disk, and how fast it is verified."""

import os
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np

import satisfice as sf
from benchmarks.bar import Bar, at_least, at_most
from benchmarks.live.studies import record, study_of
from benchmarks.rounds import Effort, Rounds, in_turns

EARLY, LATE = 20_000, 200_000
"""After how many evaluations memory is looked at."""
REPLAYED = 20_000


def memory_and_disk(folder: Path, effort: Effort) -> list[Bar]:
    """memory and disk of a study of 200,000 evaluations"""
    file, rng, (early, late) = folder / "long.db", np.random.default_rng(5), map(effort.of, (EARLY, LATE))
    with study_of(10, f"sqlite:///{file}") as study:
        record(study, early, rng, batch=8)
        before = resident_bytes()
        record(study, late, rng, batch=8)
        after = resident_bytes()
    each = Rounds((file.stat().st_size / late,))
    grown = f"{before / 1e6:.0f} MB after {early:,}"
    return [
        at_most(
            f"memory after {late:,} evaluations, SQLite", Rounds((after / before,)), 1.05, unit=" x", details=grown
        ),
        at_most("on the disk for each evaluation", each, 500, unit=" bytes", details=f"{late:,} in batches of 8"),
    ]


def replayed(folder: Path, effort: Effort) -> list[Bar]:
    """verify on a study of 20,000 evaluations"""
    file = folder / "replayed.db"
    with study_of(10, f"sqlite:///{file}") as study:
        record(study, effort.of(REPLAYED), np.random.default_rng(6))
    (rates,) = in_turns(effort.rounds, [partial(events_a_second, f"sqlite:///{file}")])
    return [at_least("verify, SQLite", rates, 20_000, unit=" events/s", details=f"{effort.of(REPLAYED):,} evaluations")]


def events_a_second(storage: str) -> float:
    """How many events are verified in a second."""
    start = perf_counter()
    checked = sf.verify(storage)
    if not checked.ok:
        raise RuntimeError(str(checked))
    return checked.events / (perf_counter() - start)


def resident_bytes() -> int:
    """What this process takes of the machine's memory now."""
    pages = Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]
    return int(pages) * os.sysconf("SC_PAGESIZE")
