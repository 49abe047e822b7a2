"""Small studies and evaluations that the tests share."""

from itertools import count
from typing import Any

import numpy as np

import satisfice as sf
from satisfice.study.study import Study

THRESHOLDS = ["speed >= 1 ~ 0.1", "loss <= 0.2 ~ 0.05 : bernoulli"]
MEANS = {"slow": (0.0, 0.05), "lossy": (3.0, 0.8), "good": (3.0, 0.02)}


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now


def study_in(storage: Any = None, **given: Any) -> Study:
    """A study of three configs, of which one passes."""
    return sf.create_study(**{"configs": list(MEANS), "thresholds": THRESHOLDS, "storage": storage, **given})


def endless(storage: Any = None, number: int = 3, rule: Any = "murphy", **given: Any) -> Study:
    """A study of configs right at their limits, about which nothing is decided for long."""
    configs = [f"good {place}" for place in range(number)]
    thresholds = ["speed >= 3 : normal(1)", "loss <= 0.02 : bernoulli"]
    return study_in(storage, configs=configs, thresholds=thresholds, rule=rule, on_error="retry", retries=99, **given)


def results_of(pull: sf.Pull, seed: int = 0) -> dict[str, float]:
    """What an evaluation of the pull gives: a function of its config and of its place among that config's."""
    rng = np.random.default_rng([seed, pull.arm_number, *map(ord, pull.name)])
    speed, loss = MEANS[pull.name.split()[0]]
    return {"speed": float(rng.normal(speed, 1.0)), "loss": float(rng.random() < loss)}


_draws = count()


def evaluate(config: str) -> dict[str, float]:
    """What an evaluation of a config gives: always something else."""
    rng = np.random.default_rng([5, next(_draws)])
    speed, loss = MEANS[config.split(maxsplit=1)[0]]
    return {"speed": float(rng.normal(speed, 1.0)), "loss": float(rng.random() < loss)}


def finish(study: Study, seed: int = 0) -> sf.Verdict:
    """Ask and tell, one at a time, to the end."""
    while (pull := study.ask()) is not None:
        study.tell(pull, results_of(pull, seed))
    return study.verdict()
