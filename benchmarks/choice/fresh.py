"""Fresh instances of one seed: numbers of arms and metrics that are asked for, margins by one of five recipes."""

import numpy as np

from benchmarks.evaluations.drawn import RECIPES
from benchmarks.evaluations.member import normal_member
from satisfice import Instance
from satisfice.arrays import Floats


def one_good(rng: np.random.Generator, arms: int, metrics: int, size: float) -> Floats:
    """The last arm passes, each other one fails in one metric, all by the same."""
    margins = np.full((arms, metrics), size)
    margins[np.arange(arms - 1), np.arange(arms - 1) % metrics] = -size
    return margins


OWN = {"one good arm": one_good} | {name: recipe for name, recipe in RECIPES.items() if recipe.__name__ != "_none_good"}


def fresh_instance(seed: int, recipe: str, arms: int, metrics: int) -> Instance:
    """One instance; margins of .2 to .5 standard deviations, or around that."""
    rng = np.random.default_rng([seed, arms, metrics, list(OWN).index(recipe)])
    size = float(rng.uniform(0.2, 0.5))
    return normal_member(
        f"{recipe}, {arms} arms, {metrics} metrics",
        "",
        OWN[recipe](rng, arms, metrics, size),
        tolerance=round(size * float(rng.uniform(0.05, 0.2)), 3),
        error_rate=float(rng.choice([0.2, 0.05, 0.01])),
    ).instance
