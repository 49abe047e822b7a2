"""Studies to measure, right at their limits so that they do not end meanwhile, and what one step of them takes."""

import os
from pathlib import Path
from statistics import median
from time import perf_counter

import numpy as np

import satisfice as sf
from satisfice.study.storage.protocol import StorageLike

THRESHOLDS = ["latency_ms <= 100", "energy_mj <= 50 : bounded(0, 200)", "loss <= 0.5 : bernoulli"]


def study_of(configs: int, storage: StorageLike, name: str = "bench") -> sf.Study:
    """A study of `configs` configurations and three metrics."""
    names = [f"config {place}" for place in range(configs)]
    return sf.create_study(names, THRESHOLDS, error_rate=1e-9, storage=storage, name=name)


def results(rng: np.random.Generator) -> dict[str, float]:
    """One evaluation of any configuration."""
    return {
        "latency_ms": float(rng.normal(100.0, 10.0)),
        "energy_mj": float(rng.uniform(0.0, 100.0)),
        "loss": float(rng.random() < 0.5),
    }


def record(study: sf.Study, evaluations: int, rng: np.random.Generator, batch: int = 500) -> None:
    """Record this many evaluations in all, `batch` in one step."""
    pulls: list[sf.Pull] = []
    while (left := evaluations - study.counts().told - len(pulls)) > 0:
        pulls = study.exchange([(pull, results(rng)) for pull in pulls], ask=min(batch, left))
    study.exchange([(pull, results(rng)) for pull in pulls])


def step_milliseconds(study: sf.Study, rng: np.random.Generator, steps: int) -> float:
    """The median time of one ask and one tell."""
    taken = []
    for _ in range(steps):
        told = results(rng)
        start = perf_counter()
        pull = study.ask()
        if pull is None:
            raise RuntimeError("the study ended while it was measured")
        study.tell(pull, told)
        taken.append(perf_counter() - start)
    return 1000 * median(taken)


def disk_milliseconds(folder: Path, steps: int = 100) -> float:
    """The median time in which the disk makes a small write durable."""
    file = os.open(folder / "disk", os.O_CREAT | os.O_WRONLY)
    taken = []
    for _ in range(steps):
        start = perf_counter()
        os.write(file, bytes(4096))
        os.fdatasync(file)
        taken.append(perf_counter() - start)
    os.close(file)
    return 1000 * median(taken)


def check_verified(storage: str, name: str) -> None:
    """Speed is worth nothing where the log does not verify: a benchmark ends there."""
    found = sf.verify(storage, name)
    if not found.ok:
        raise RuntimeError(f"the study {name!r} does not verify: {found.problems[0]}")
