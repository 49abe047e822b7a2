"""What the study of a world asks, and what evaluations of its configs give: drawn like all else that happens there."""

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from satisfice.study.policy import PolicyChanges
from tests.equivalence.naive_evidence import Metric


class Measure(NamedTuple):
    """A limit as it is given and as the formulas of the tests have it, the means of configs that pass and fail."""

    name: str
    threshold: str
    metric: Metric
    means: tuple[float, float]
    drawn: Callable[[random.Random, float], float]

    def range(self) -> tuple[float, float] | None:
        """The least and the largest result, where there are such."""
        low, high = self.metric.numbers if self.metric.model == "bounded" else (0.0, 1.0)
        return None if self.metric.model == "normal" else (low, high)

    def extreme(self, *, worst: bool) -> float | None:
        """The worst result, or the best, where there is one."""
        ends = self.range()
        return None if ends is None else ends[0] if self.metric.at_least == worst else ends[1]


SECONDS = Measure(
    "seconds",
    "seconds <= 5 ~ 0.5 : normal(1)",
    Metric("normal", (1.0,), 5.0, 0.5, at_least=False),
    (4.0, 6.0),
    lambda rng, mean: rng.gauss(mean, 1.0),
)
SERVED = Measure(
    "served",
    "served >= 0.6 ~ 0.1 : bernoulli",
    Metric("bernoulli", (), 0.6, 0.1, at_least=True),
    (0.98, 0.2),
    lambda rng, mean: float(rng.random() < mean),
)
LOAD = Measure(
    "load",
    "load <= 5 ~ 0.5 : bounded(0, 10)",
    Metric("bounded", (0.0, 10.0), 5.0, 0.5, at_least=False),
    (2.0, 8.0),
    lambda rng, mean: 10.0 * rng.betavariate(mean, 10.0 - mean),
)
PAUSE = Measure(
    "pause",
    "pause <= 5 ~ 0.5 : normal",
    Metric("normal", (), 5.0, 0.5, at_least=False),
    (4.0, 6.0),
    lambda rng, mean: rng.gauss(mean, 1.0),
)
"""Of unknown spread: what all configs say of it steers the search."""
MEASURED = ((SECONDS,), (SECONDS,), (SERVED,), (LOAD,), (SECONDS, SERVED), (SERVED, LOAD), (PAUSE,), (PAUSE, SERVED))
STRAGGLES = 0.08
ERROR_RATE = 0.1


class Question(NamedTuple):
    """Configs by whether they pass, what is measured of them, and how the study goes about it."""

    passing: dict[str, bool]
    measures: tuple[Measure, ...]
    stopping: str
    rule: str
    on_error: str
    on_lost: str
    max_evaluations: int | None

    @property
    def names(self) -> list[str]:
        return list(self.passing)

    @property
    def worst(self) -> list[float | None]:
        return [measure.extreme(worst=True) for measure in self.measures]

    def options(self) -> dict[str, Any]:
        """The study as it is created."""
        return {
            "configs": self.names,
            "thresholds": [measure.threshold for measure in self.measures],
            "error_rate": ERROR_RATE,
            "stopping": self.stopping,
            "rule": self.rule,
            "on_error": self.on_error,
            "on_lost": self.on_lost,
            "retries": 1000,
            "max_evaluations": self.max_evaluations,
        }

    def change_of_mind(self, rng: random.Random) -> PolicyChanges:
        """One thing that is said anew of what failures and losses lead to, or of what there may be of evaluations."""
        worst = ["worst"] if None not in self.worst else []
        changes: list[PolicyChanges] = [
            {"on_error": rng.choice(["retry", "stop", *worst])},
            {"on_lost": rng.choice(["reissue", "stop", *worst])},
            {"retries": rng.choice([0, 1, 1000])},
            {"jobs": rng.randint(1, 9)},
        ]
        if self.max_evaluations is not None:
            changes += [{"max_evaluations": self.max_evaluations + rng.randint(0, 60)}] * 3
        return rng.choice(changes)

    def evaluated(self, name: str, rng: random.Random) -> tuple[dict[str, float], float]:
        """The results of one evaluation, and its duration: what is bad takes long, and some take very long."""
        passes = self.passing[name]
        found = {one.name: one.drawn(rng, one.means[0 if passes else 1]) for one in self.measures}
        first = self.measures[0]
        value, sign = found[first.name], -1.0 if first.metric.at_least else 1.0
        low, high = first.range() or (0.0, 10.0)
        bad = 10.0 * (value - low) / (high - low) if sign > 0 else 10.0 * (high - value) / (high - low)
        often = 1.0 if rng.random() > STRAGGLES else 10.0
        return found, max(0.1, often * (bad + rng.random()))


def drawn(rng: random.Random) -> Question:
    """Any question; the default of each part most often."""
    measures = rng.choice(MEASURED)
    known, pooled = measures == (SECONDS,), PAUSE in measures
    ranged = all(measure.range() for measure in measures)
    stoppings = ["transfer", "transfer", "transfer", "evidence", "alpha" if known else "transfer"]
    return Question(
        {f"config {letter}": rng.random() < 0.5 for letter in "abcdefgh"[: rng.choice([2, 2, 3, 8 if pooled else 4])]},
        measures,
        "evidence" if pooled else rng.choice(stoppings),
        rng.choice(["pandora", "pandora", "pandora", "pandora" if pooled else "uniform", "thompson"]),
        rng.choice(["retry", "worst"]) if ranged else "retry",
        rng.choice(["reissue", "reissue", "worst"]) if ranged else "reissue",
        rng.choice([None, None, None, rng.randint(0, 30)]),
    )
