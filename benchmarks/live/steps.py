"""One ask and one tell: in the beginning, after many evaluations, with many configurations."""

from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.bar import Bar, at_most
from benchmarks.live.studies import disk_milliseconds, record, step_milliseconds, study_of
from benchmarks.rounds import Effort, in_turns

STEPS = 200
HISTORY = 100_000
CONFIGS = 10_000


def growth(folder: Path, effort: Effort) -> list[Bar]:
    """ask + tell with 10 configs and 3 metrics, in the beginning and after 100,000 evaluations"""
    bars = []
    for kind, most, storage in (("memory", 0.15, "memory"), ("SQLite", 1.2, f"sqlite:///{folder}/growth.db")):
        rng, history = np.random.default_rng(1), effort.of(HISTORY)
        with study_of(10, storage, "fresh") as fresh, study_of(10, storage, "grown") as grown:
            record(fresh, 100, rng)
            record(grown, history, rng)
            steps = [partial(step_milliseconds, study, rng, effort.of(STEPS, least=10)) for study in (fresh, grown)]
            disk, early, late = in_turns(effort.rounds, [partial(disk_milliseconds, folder), *steps])
        beside = f"two commits; the disk takes {disk.median:.2g} ms for one" if kind == "SQLite" else "no disk"
        bars.append(at_most(f"ask + tell, {kind}, K = 10, M = 3", early, most, unit=" ms", details=beside))
        what, details = f"the same after {history:,} evaluations", f"{late.median:.3g} ms, {kind}"
        bars.append(at_most(what, late.over(early), 1.3, unit=" x", details=details))
    return bars


def many_configs(folder: Path, effort: Effort) -> list[Bar]:
    """ask + tell with 10,000 configs"""
    rng, configs = np.random.default_rng(2), effort.of(CONFIGS)
    with study_of(configs, f"sqlite:///{folder}/configs.db") as study:
        record(study, configs + configs // 5, rng)
        step = partial(step_milliseconds, study, rng, effort.of(STEPS, least=10))
        disk, taken = in_turns(effort.rounds, [partial(disk_milliseconds, folder), step])
    details = f"disk: {disk.median:.2g} ms a commit"
    return [at_most(f"ask + tell, SQLite, K = {configs:,}, M = 3", taken, 20, unit=" ms", details=details)]
