"""The studies whose logs are kept: rules, stopping rules, models, goals, groups, costs, failures, 1 to 64 workers."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import satisfice as sf
from satisfice.study.study import Study

Draw = Callable[[float, np.random.Generator, sf.Pull], Any]


def skewed(margin: float, rng: np.random.Generator, pull: sf.Pull) -> float:
    return float(np.exp(rng.normal(0.5 - 0.4 * margin, 0.3)))


def many(margin: float, rng: np.random.Generator, pull: sf.Pull) -> list[float]:
    return [skewed(margin, rng, pull) for _ in range(int(rng.integers(3, 30)))]


def answer(margin: float, rng: np.random.Generator, pull: sf.Pull) -> bool | None:
    """Whether an item is answered right, which is the same each time."""
    if pull.item is None:
        return None
    return bool(np.random.default_rng([pull.item, 8]).random() < 0.75 + 0.2 * margin)


def sampled(margin: float, rng: np.random.Generator, pull: sf.Pull) -> bool:
    return bool(rng.random() < (1.0 if pull.item % 2 else 0.5 + 0.4 * margin))


LAWS: dict[str, Draw] = {
    "normal": lambda margin, rng, pull: float(rng.normal(margin, 1.0)),
    "coin": lambda margin, rng, pull: bool(rng.random() < 0.5 + 0.3 * margin),
    "part": lambda margin, rng, pull: float(rng.beta(5.0 + 3.0 * margin, 5.0 - 3.0 * margin)),
    "count": lambda margin, rng, pull: int(rng.poisson(4.0 - 3.0 * margin)),
    "skewed": skewed,
    "many": many,
    "answer": answer,
    "sampled": sampled,
    "size": lambda margin, rng, pull: round(750 - 100 * margin),
    "status": lambda margin, rng, pull: "ok" if margin > -0.5 else "broken",
    "usd": lambda margin, rng, pull: round(float(rng.gamma(2.0, 0.5)), 3),
}
"""Results by a margin: how far the configuration is on the passing side of every limit, in units of its own."""

NORMAL = ("x >= 0 ~ 0.1 : normal(1)", "y >= 0 ~ 0.1 : normal(1)")
XY = {"x": "normal", "y": "normal"}


class Recorded(NamedTuple):
    """A study, the laws of its metrics, and what happens to it.

    Margins rise by `step` from configuration to configuration, up to `best`. `failing` and `lost` are shares of the
    evaluations; `changes` are made before a step. One that `stops` is stopped for good by a result.
    """

    thresholds: tuple[str, ...] = NORMAL
    laws: Mapping[str, str] = XY
    options: Mapping[str, Any] = {}
    configs: int = 6
    best: float = 0.8
    step: float = 0.25
    workers: int = 1
    failing: float = 0.0
    lost: float = 0.0
    steps: int = 160
    changes: Mapping[int, tuple[Callable[[Study], object], ...]] = {}
    groups: Mapping[str, tuple[str, ...]] = {}
    parameters: Callable[[int], dict[str, Any]] = lambda number: {}
    warm: bool = False
    stops: bool = False

    def margin(self, number: int) -> float:
        return self.best - self.step * ((number * 5 + 3) % self.configs)


def by(rule: str, stopping: str, **about: Any) -> Recorded:
    return Recorded(options={"rule": rule, "stopping": stopping}, **about)


def of(threshold: str, law: str, **about: Any) -> Recorded:
    """One metric x of that law, beside one that is normal."""
    return Recorded((threshold, NORMAL[1]), {"x": law, "y": "normal"}, **about)


UNEVEN = {f"c{number}": 1.0 + number % 3 for number in range(6)}

STUDIES: dict[str, Recorded] = {
    "pandora transfer": by("pandora", "transfer"),
    "pandora evidence": by("pandora", "evidence"),
    "thompson transfer": by("thompson", "transfer"),
    "thompson evidence": by("thompson", "evidence"),
    "murphy transfer": by("murphy", "transfer"),
    "uniform evidence": by("uniform", "evidence"),
    "multitucb alpha": by("multitucb", "alpha", best=1.1),
    "multitucb transfer": by("multitucb", "transfer"),
    "multilucb alpha": by("multilucb", "alpha", best=1.1),
    "multihdoc alpha": by("multihdoc", "alpha", best=1.1),
    "multiapt alpha": by("multiapt", "alpha", best=1.1),
    "sd unknown": of("x >= 0 ~ 0.1 : normal", "normal"),
    "subgaussian": of("x >= 0 ~ 0.1 : subgaussian(1)", "normal"),
    "zeros and ones": of("x >= 0.5 ~ 0.05 : bernoulli", "coin"),
    "bounded": of("x >= 0.5 ~ 0.02 : bounded(0, 1)", "part"),
    "counts": of("x <= 4 ~ 0.2 : poisson", "count"),
    "spread": of("x <= 1.7 ~ 0.1 : spread(0.6)", "skewed"),
    "undeclared": of("x <= 1.7 ~ 0.1", "skewed", steps=300),
    "percentile": of("p90(x) <= 2.5 ~ 0.1", "skewed"),
    "percentile of lists": of("p90(x) <= 2.5 ~ 0.1", "many"),
    "share of lists, independent": of("share(x <= 2) >= 0.6 ~ 0.05 : independent", "many"),
    "geometric mean": of("geomean(x) <= 1.6 ~ 2%", "skewed", steps=250),
    "clipped": of("clip(x, 3) <= 1.7 ~ 0.1 : bounded(0, 3)", "skewed"),
    "exact": of("x <= 760 : exact", "size"),
    "a match": of("x == ok : exact", "status", best=0.6),
    "exact and differs": of(
        "x <= 760 : exact",
        "size",
        stops=True,
        step=0.1,
        changes={10: (lambda study: study.tell(study.ask(), {"x": 1, "y": 0.0}),)},
    ),
    "a set of items": of("x >= 0.7 : bernoulli of 40", "answer", steps=250),
    "a set of sampled items": of("x >= 0.6 ~ 0.05 : bernoulli of 40 sampled", "sampled"),
    "beside a baseline": Recorded(
        ("x <= baseline + 5% ~ 5%", "y >= baseline : normal"),
        {"x": "skewed", "y": "normal"},
        {"baseline": {"n": 99}},
        steps=200,
    ),
    "limits on parameters": Recorded(
        ("price <= 3", *NORMAL), configs=9, parameters=lambda number: {"price": number % 5}
    ),
    "two that pass": Recorded(options={"goal": 2}, step=0.2),
    "all classified": Recorded(options={"goal": "all"}, steps=250),
    "groups": Recorded(
        ("x >= 0 ~ 0.1 : bounded(-9, 9) @ cheap", "y >= 0 ~ 0.1 : normal(1) @ dear", "z <= 760 : exact @ dear"),
        {**XY, "z": "size"},
        {"cost": {"cheap": 1.0, "dear": 5.0}},
        workers=4,
        groups={"cheap": ("x",), "dear": ("y", "z")},
    ),
    "costs": Recorded(options={"cost": UNEVEN}, workers=2),
    "costs that are reported": Recorded(
        laws={**XY, "usd": "usd"}, options={"cost": "usd", "max_cost": 60.0}, step=0.1, workers=3
    ),
    "a warm start": Recorded(warm=True),
    "failures tried again": Recorded(options={"on_error": "retry", "retries": 9}, workers=4, failing=0.1),
    "failures that count as the worst": Recorded(
        ("x >= 0 ~ 0.1 : bounded(-9, 9)", "p90(y) <= 2.5 ~ 0.1"),
        {"x": "normal", "y": "skewed"},
        {"on_error": "worst"},
        workers=4,
        failing=0.1,
    ),
    "lost and given out again": Recorded(workers=8, lost=0.1, step=0.1, steps=250),
    "lost, and stopped": Recorded(options={"on_lost": "stop"}, best=0.4, workers=2, lost=0.05, step=0.05, stops=True),
    "64 workers": Recorded(workers=64, configs=40, step=0.03, steps=300, lost=0.01),
    "64 workers, undeclared": of("x <= 1.7 ~ 0.1", "skewed", workers=64, configs=12, step=0.1, steps=400),
    "200 configurations": Recorded(configs=200, step=0.01, workers=16, steps=200),
    "none passes": Recorded(best=-0.4, configs=3),
    "one configuration, one metric": Recorded(NORMAL[:1], {"x": "normal"}, configs=1),
    "strict, and no fewer than ten": Recorded(options={"strict": True, "min_evaluations": 10}),
    "changed on the way": Recorded(
        options={"max_evaluations": 30},
        step=0.1,
        workers=4,
        changes={20: (lambda study: study.change_policy(max_evaluations=90, on_error="retry", revision="b"),)},
    ),
}
