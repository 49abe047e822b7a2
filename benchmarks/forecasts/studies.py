"""Studies drawn at random, run to their end, and what was forecast on the way."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from satisfice.problem.results import Row
from satisfice.search.verdict import Outcome
from satisfice.study.create import create_study
from satisfice.study.forecast import Beginning, Budget
from satisfice.study.past_results import Kept
from satisfice.study.spec import Spec

MOST_EVALUATIONS = 3000
"""A study that takes longer is not looked at."""

Draw = Callable[[np.random.Generator, float], float]
"""One result whose mean is a limit's plus that many standard deviations."""


class Kind(NamedTuple):
    """A metric: its limit with room for a name and for a tolerance in standard deviations, and its results."""

    limit: str
    sd: float
    draw: Draw


def _shifted(scale: float) -> Draw:
    return lambda rng, margin: scale * (margin + rng.normal())


def _of_0_1(limit: float) -> Draw:
    spread = (limit * (1 - limit)) ** 0.5
    return lambda rng, margin: float(rng.random() < min(0.995, max(0.005, limit + margin * spread)))


def _beta(limit: float, size: float) -> Draw:
    spread = (limit * (1 - limit) / (size + 1)) ** 0.5

    def draw(rng: np.random.Generator, margin: float) -> float:
        mean = min(0.98, max(0.02, limit + margin * spread))
        return float(rng.beta(mean * size, (1 - mean) * size))

    return draw


def _skewed(rng: np.random.Generator, margin: float) -> float:
    return float(margin - (rng.gamma(4.0) - 4.0) / 2.0)


KINDS = (
    Kind("{name} >= 0 ~ {tolerance} : normal(2)", 2.0, _shifted(2.0)),
    Kind("{name} >= 0 ~ {tolerance} : normal", 1.0, _shifted(1.0)),
    Kind("{name} >= 0 ~ {tolerance}", 1.0, _shifted(1.0)),
    Kind("{name} >= 0 ~ {tolerance}", 1.0, _skewed),
    Kind("{name} >= 0.6 ~ {tolerance} : bernoulli", 0.49, _of_0_1(0.6)),
    Kind("{name} >= 0.9 ~ {tolerance} : bernoulli", 0.3, _of_0_1(0.9)),
    Kind("{name} >= 0.5 ~ {tolerance} : bounded(0, 1)", 0.2, _beta(0.5, 5.0)),
)


class Truth(NamedTuple):
    """A study as it really is: its specification, and the margins of each configuration, (K, M), in sds."""

    spec: Spec
    margins: Any
    kinds: tuple[Kind, ...]

    def result(self, rng: np.random.Generator, config: int) -> Row:
        return tuple(
            kind.draw(rng, float(margin)) for kind, margin in zip(self.kinds, self.margins[config], strict=True)
        )


def some_truth(rng: np.random.Generator) -> Truth:
    """From 2 to 200 configurations, one to three metrics, margins by one of four recipes, any goal's worth of noise."""
    configs, metrics = round(float(np.exp(rng.uniform(np.log(2), np.log(200))))), int(rng.integers(1, 4))
    kinds = tuple(KINDS[place] for place in rng.integers(len(KINDS), size=metrics))
    size = float(rng.uniform(0.3, 1.2))
    margins = RECIPES[int(rng.integers(len(RECIPES)))](rng, configs, metrics, size)
    limits = [
        kind.limit.format(name=f"m{place}", tolerance=f"{kind.sd * size * rng.uniform(0.05, 0.5):.3g}")
        for place, kind in enumerate(kinds)
    ]
    study = create_study(
        [f"c{place}" for place in range(configs)],
        limits,
        error_rate=float(rng.choice([0.01, 0.05, 0.2])),
        seed=int(rng.integers(2**31)),
    )
    return Truth(study.spec, margins, kinds)


def _scattered(rng: np.random.Generator, configs: int, metrics: int, size: float) -> Any:
    return rng.normal(-0.2 * size, size, (configs, metrics))


def _few_good(rng: np.random.Generator, configs: int, metrics: int, size: float) -> Any:
    margins = size * rng.uniform(0.3, 2.0, (configs, metrics))
    margins[np.arange(configs), rng.integers(0, metrics, configs)] = -size * rng.uniform(0.5, 1.5, configs)
    good = rng.choice(configs, size=min(configs, int(rng.integers(1, 3))), replace=False)
    margins[good] = size * rng.uniform(0.5, 1.5, (len(good), metrics))
    return margins


def _none_good(rng: np.random.Generator, configs: int, metrics: int, size: float) -> Any:
    margins = size * rng.uniform(0.3, 1.5, (configs, metrics))
    margins[np.arange(configs), rng.integers(0, metrics, configs)] = -size * rng.uniform(0.5, 1.5, configs)
    return margins


def _half_good(rng: np.random.Generator, configs: int, metrics: int, size: float) -> Any:
    margins = size * rng.uniform(0.3, 1.5, (configs, metrics))
    margins[rng.permutation(configs)[: (configs + 1) // 2], 0] *= -1.0
    return margins


RECIPES = (_scattered, _few_good, _none_good, _half_good)


class Life(NamedTuple):
    """A study that ended: after how many evaluations, and what each was, line and result."""

    truth: Truth
    length: int
    results: tuple[tuple[int, Row], ...]
    outcome: Outcome


def lived(rng: np.random.Generator) -> Life | None:
    """A study from its beginning to its end; None if that is too far away."""
    truth = some_truth(rng)
    search = truth.spec.search()
    results: list[tuple[int, Row]] = []
    while (line := search.choose(search.asks)) is not None:
        if len(results) == MOST_EVALUATIONS:
            return None
        values = truth.result(rng, line)
        search.fold(line, values)
        results.append((line, values))
    return Life(truth, len(results), tuple(results), search.outcome)


def beginnings(life: Life, times: Sequence[int]) -> Iterator[Beginning]:
    """The study as it was after so many evaluations."""
    search, kept = life.truth.spec.search(), dict[int, list[Kept]]()
    wanted = sorted(set(times))
    for place, (line, values) in enumerate(life.results):
        if wanted and place == wanted[0]:
            wanted.pop(0)
            yield Beginning(life.truth.spec, search.state(), kept, Budget(), place)
        search.choose(search.asks)
        search.fold(line, values)
        kept.setdefault(line, []).append(Kept(values))
