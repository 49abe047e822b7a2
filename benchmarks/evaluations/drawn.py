"""The part of the family that nothing was chosen on: instances drawn at random, from a seed that nothing else uses."""

from collections.abc import Iterator

import numpy as np

from benchmarks.evaluations.member import Group, Member, normal_member
from satisfice.arrays import Floats

SEED, COUNT = 20261118, 16


def drawn_members() -> Iterator[Member]:
    """Numbers of arms from 2 to 400, one to five metrics, and margins by one of four recipes in turn."""
    for place in range(COUNT):
        rng = np.random.default_rng([SEED, place])
        arms, metrics = round(float(np.exp(rng.uniform(np.log(2), np.log(400))))), int(rng.integers(1, 6))
        recipe = list(RECIPES)[place % len(RECIPES)]
        size = float(rng.uniform(0.25, 0.8))
        yield normal_member(
            f"drawn {place + 1}",
            f"Drawn: {recipe}.",
            RECIPES[recipe](rng, arms, metrics, size),
            tolerance=round(size * float(rng.uniform(0.05, 0.3)), 3),
            error_rate=float(rng.choice([0.2, 0.05, 0.01])),
            sd=1.0,
            group=Group.DRAWN,
        )


def _scattered(rng: np.random.Generator, arms: int, metrics: int, size: float) -> Floats:
    """Around their limits, so that some pass, or none; none is nearer to a limit than a fifth of the size."""
    margins = rng.normal(-0.3 * size, size, (arms, metrics))
    return np.where(np.abs(margins) < size / 5, np.copysign(size / 5, margins), margins)


def _few_good(rng: np.random.Generator, arms: int, metrics: int, size: float) -> Floats:
    """One or two arms pass by the size, the others fail in one metric by as much, and pass in others by anything."""
    margins = size * rng.uniform(0.5, 2.0, (arms, metrics))
    margins[np.arange(arms), rng.integers(0, metrics, arms)] = -size * rng.uniform(0.7, 1.5, arms)
    good = rng.choice(arms, size=min(arms - 1, int(rng.integers(1, 3))), replace=False)
    margins[good] = size * rng.uniform(0.8, 1.5, (len(good), metrics))
    return margins


def _none_good(rng: np.random.Generator, arms: int, metrics: int, size: float) -> Floats:
    """Each arm fails in a third of its metrics at least."""
    margins = size * rng.uniform(0.3, 1.5, (arms, metrics))
    for arm in range(arms):
        failing = rng.choice(metrics, size=int(rng.integers(max(1, metrics // 3), metrics + 1)), replace=False)
        margins[arm, failing] *= -1.0
    return margins


def _half_good(rng: np.random.Generator, arms: int, metrics: int, size: float) -> Floats:
    """Half of the arms pass, by margins from a third of the size on."""
    margins = size * rng.uniform(0.35, 1.5, (arms, metrics))
    margins[rng.permutation(arms)[: (arms + 1) // 2], 0] *= -1.0
    return margins


RECIPES = {
    "means around the limits": _scattered,
    "one or two good arms": _few_good,
    "no good arm": _none_good,
    "half of the arms good": _half_good,
}
