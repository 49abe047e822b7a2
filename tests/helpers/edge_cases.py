"""Instances with means a hair on the wrong side of every boundary, where answers are wrong as often as they can be.

A shape is a picture: a word for each arm, a letter for each metric. The mean is

    e   just not within tolerance (the edge): accepting the arm is wrong
    g   just good: rejecting an arm of such metrics alone is wrong
    f   far below the threshold
    h   high above it
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import binomtest

import satisfice as sf
from satisfice.noise import PROCESSES
from satisfice.noise.bernoulli import ZERO_OR_ONE
from satisfice.noise.bounded import BOUNDED
from satisfice.noise.normal import KNOWN_SCALE
from satisfice.noise.poisson import COUNTS
from satisfice.rules import DEFAULT_RULE
from satisfice.simulation.arms import MixedArms, RecordedArms
from satisfice.simulation.cell import Cell, CellResult, run_cell

HAIR = 1e-4
"""Of the tolerance: less than any test can see, more than rounding."""
CONFIDENCE = 0.999

NORMAL, COIN, BETA, COUNT = (PROCESSES.index(each) for each in (KNOWN_SCALE, ZERO_OR_ONE, BOUNDED, COUNTS))


class Law(NamedTuple):
    """What is declared, and what is drawn: low + spread Z around a threshold, with Z of a kind of `MixedArms`.

    `far` is the distance of means that leave no doubt; `tight` whether the evidence loses nothing on such results.
    """

    declared: str
    kind: int
    threshold: float = 0.0
    tolerance: float = 0.03
    far: float = 1.0
    sd: float = 1.0
    tight: bool = True


LAWS = {
    "normal": Law("normal(2)", NORMAL, tolerance=0.06, far=2.0, sd=2.0),
    "signs": Law("subgaussian(1)", COIN),
    "unknown scale": Law("normal", NORMAL, tolerance=0.09, far=3.0, sd=3.0),
    "unknown scale, tiny": Law("normal", NORMAL, tolerance=3e-8, far=1e-6, sd=1e-6),
    "coins": Law("bernoulli", COIN, 0.5, far=0.3),
    "rare coins": Law("bernoulli", COIN, 0.08, tolerance=0.008, far=0.04),
    "counts": Law("poisson", COUNT, 4.0, tolerance=0.06, far=2.0),
    "rare counts": Law("poisson", COUNT, 0.05, tolerance=0.008, far=0.04),
    "signs of any shape": Law("spread(1)", COIN),
    "normal of any shape": Law("spread(2)", NORMAL, tolerance=0.06, far=2.0, sd=2.0),
    "extremes": Law("bounded(0, 1)", COIN, 0.5, far=0.3),
    "betas": Law("bounded(0, 1)", BETA, 0.5, far=0.3, tight=False),
    "wild betas": Law("bounded(0, 1)", BETA, 0.2, far=0.1, sd=0.05, tight=False),
}
"""By names; for a Beta `sd` is the sum of its two parameters."""

ACCEPT_NULLS = {
    "alone": ("e",),
    "all fail": ("ee", "ee", "ee"),
    "each fails in one": ("eh", "he"),
}
REJECT_NULLS = {
    "alone": ("g",),
    "one just good": ("ff", "gg", "ff"),
    "all just good": ("gg", "gg", "gg"),
    "good or at the edge": ("e", "g", "e"),
}
SHAPES = {f"accept: {name}": shape for name, shape in ACCEPT_NULLS.items()} | {
    f"reject: {name}": shape for name, shape in REJECT_NULLS.items()
}


@dataclass(frozen=True)
class Edge:
    """A case: a law on a shape, how it is sampled and judged, for how long and how often."""

    law: Law
    shape: Sequence[str]
    stopping: Any
    rule: Any = DEFAULT_RULE
    error_rate: float = 0.2
    goal: str | int = "any"
    correlation: float | None = None
    budget: int = 1500
    runs: int = 1500
    seed: int = 3

    def but(self, **changes: Any) -> "Edge":
        return replace(self, **changes)

    def problem(self) -> sf.Problem:
        law = self.law
        thresholds = [
            f"m{m} >= {law.threshold!r} ~ {law.tolerance!r} : {law.declared}" for m in range(len(self.shape[0]))
        ]
        return sf.problem_of(thresholds, self.error_rate, goal=self.goal)

    def means(self) -> np.ndarray:
        law = self.law
        hair = HAIR * law.tolerance
        of = {"e": -law.tolerance - hair, "g": hair, "f": -law.far, "h": law.far}
        return np.array([[law.threshold + of[letter] for letter in word] for word in self.shape])

    def instance(self) -> sf.Instance:
        problem, means = self.problem(), self.means()
        if self.correlation is None:
            return sf.Instance.of(problem, arms_of(self.law, means))
        if self.law.kind == NORMAL:
            return sf.Instance.of(problem, sf.gaussian_arms(means, self.law.sd, self.correlation))
        return sf.Instance.of(problem, tied_coins(means, self.correlation))

    def result(self) -> CellResult:
        cell = Cell(self.instance(), self.rule, self.stopping, self.runs, self.budget, self.seed)
        return run_cell(cell, threads=2)


def arms_of(law: Law, means: np.ndarray) -> MixedArms:
    """Independent metrics, all of the law."""
    ones = np.ones_like(means)
    low, spread, first, second = means, law.sd * ones, ones, ones
    if law.kind == COIN and law.declared.startswith(("subgaussian", "spread")):
        low, spread, first = means - law.sd, 2 * law.sd * ones, 0.5 * ones
    elif law.kind == COUNT:
        low, spread, first = 0 * ones, ones, means
    elif law.kind != NORMAL:
        total = 10 * law.sd if law.kind == BETA else 1.0
        low, spread, first, second = 0 * ones, ones, means * total, (1 - means) * total
    return MixedArms(means, np.full(means.shape[1], law.kind), low, spread, first, second)


def tied_coins(means: np.ndarray, sign: float, rows: int = 10_000) -> RecordedArms:
    """Two metrics of zeros and ones that come from one and the same draw: as often equal, or unlike, as can be."""
    levels = (np.arange(rows) + 0.5) / rows
    tables = [np.stack([levels < p, (levels < q) if sign > 0 else (levels > 1 - q)], axis=1) for p, q in means]
    drawn = 1.0 * np.concatenate(tables)
    return RecordedArms(means, drawn, np.arange(len(means) + 1) * rows)


def check_rate(wrong: np.ndarray, rate: float, *, tight: bool = False) -> None:
    """Fails a sound rule once in 2,000 times; where it is tight, also one that could not have failed."""
    count, runs = int(wrong.sum()), wrong.size
    interval = binomtest(count, runs).proportion_ci(CONFIDENCE)
    assert interval.low <= rate, f"wrong in {count} of {runs} runs, where {rate} is promised"
    assert not tight or count >= runs * rate / 20, f"wrong in {count} of {runs} runs only: this could not have failed"


def check_edge(case: Edge, *, tight: bool = False) -> None:
    """The one check of the suite: no more wrong answers than promised."""
    check_rate(case.result().wrong, case.error_rate, tight=tight)
