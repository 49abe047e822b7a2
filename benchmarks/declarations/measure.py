"""Evaluations of one configuration until it is accepted, by what was declared about it, as ratios."""

from collections.abc import Iterator
from math import log
from statistics import NormalDist
from typing import NamedTuple

from numpy.typing import ArrayLike

import satisfice as sf
from benchmarks.evaluations.running_capitals import BETAS, of_a_beta, of_any_shape
from benchmarks.shapes.measure import PRICED, priced
from satisfice.noise.entropy import binary_relative_entropy
from satisfice.rules import DEFAULT_RULE
from satisfice.simulation.cell import Cell, run_cell

RATE = 0.05
BUDGET = 200_000
MANY = 60
"""Evaluations from which on declaring nothing must cost next to nothing."""


class Ratio(NamedTuple):
    """A measured ratio of evaluations and what it must not exceed."""

    what: str
    case: str
    measured: float
    bar: float

    @property
    def met(self) -> bool:
        return self.measured <= self.bar


def evaluations(threshold: str, values: ArrayLike, sds: float, repetitions: int) -> float:
    """How many it takes on average to accept."""
    problem = sf.problem_of([threshold], RATE)
    instance = sf.Instance.of(problem, sf.arms_for(problem, values, sds=sds))
    cell = Cell(instance, DEFAULT_RULE, sf.Evidence(), repetitions, BUDGET, 7)
    return float(run_cell(cell, threads=1).pulls.mean())


PERCENTILES = ((50, 0.3), (50, 0.1), (90, 0.5), (90, 0.2), (95, 0.5), (99, 0.5), (99, 1.0), (10, 0.3))
"""Which one, and by how many standard deviations of one result it is below its limit."""


def percentiles(repetitions: int) -> Iterator[Ratio]:
    """Over ln(1/a)/d, what a test that knows the share within the limit needs."""
    for percent, gap in PERCENTILES:
        share = NormalDist().cdf(NormalDist().inv_cdf(percent / 100) + gap)
        oracle = log(1 / RATE) / binary_relative_entropy(share, percent / 100)
        taken = evaluations(f"p{percent}(x) <= 0", [[-gap]], 1.0, repetitions)
        yield Ratio("percentile over an oracle for coins", f"p{percent}, {gap:g} sd below", taken / oracle, 1.6)


def pairs(repetitions: int) -> Iterator[Ratio]:
    """Differences of results with correlation .8 against those of independent ones, each worth one evaluation."""
    for gap in (0.1, 0.3):
        paired, unpaired = (
            evaluations(f"x <= baseline + {100 * gap:g}% : normal", [[1.0]], (2 - 2 * correlation) ** 0.5, repetitions)
            for correlation in (0.8, 0.0)
        )
        yield Ratio("pairs at correlation .8 over unpaired", f"{gap:g} sd below", paired / unpaired, 0.25)


def sets(repetitions: int) -> Iterator[Ratio]:
    without, with_replacement = (
        evaluations(f"x >= 0.85 : bernoulli{size}", [[0.88]], 1.0, repetitions) for size in (" of 500", "")
    )
    yield Ratio("set of 500 over with replacement", ".88 against .85", without / with_replacement, 0.35)


def undeclared(repetitions: int) -> Iterator[Ratio]:
    """Where the configuration decided last takes more than MANY if it is declared normal."""
    for what in PRICED:
        price = priced(what, repetitions)
        if price.each > MANY:
            ratio = price.undeclared / price.declared
            yield Ratio("undeclared over declared normal, on normal results", what, ratio, 1.1)


def spreads(repetitions: int) -> Iterator[Ratio]:
    for shape in ("normal", "lognormal 1", "pareto 3", "1 % spikes"):
        worst = max(of_any_shape(shape, tail, gap, RATE) for tail in (1.0, -1.0) for gap in (0.1, 0.3, 1.0, 4.0))
        yield Ratio("spread(true sd) over known sd", f"{shape}, worst of eight", worst, 1.5)


def ranges(repetitions: int) -> Iterator[Ratio]:
    for first, second, theta in BETAS:
        _, twenty, moments = of_a_beta(first, second, theta, RATE)
        case = f"Beta({first}, {second}) against {theta}"
        yield Ratio("bounded over twenty running capitals", case, twenty, 1.1)
        yield Ratio("bounded over the bound from two moments", case, moments, 0.9)


ALL = (undeclared, spreads, percentiles, pairs, sets, ranges)
