"""What running capitals cost: `python -m benchmarks.evaluations.running_capitals` prints both tables.

One arm whose mean is beyond its limit, evaluated until it is accepted. `spread(SD)` on results of several shapes with
exactly that standard deviation, over `normal(SD)` on normal results; `bounded(0, 1)` on ten Beta distributions, over
capitals of the twenty bets of `betting` and over the bound from two moments.
"""

from collections.abc import Callable, Iterable
from functools import cache
from math import isnan, log, nan, sqrt

import numpy as np
from scipy import stats

import satisfice as sf
from satisfice.arrays import Floats
from satisfice.noise.betting import LARGEST_STAKE, LOG_WEIGHTS, bets_at, weighted
from satisfice.noise.bounded import BETS, WEIGHTS
from satisfice.rules import DEFAULT_RULE
from satisfice.simulation.arms import RecordedArms
from satisfice.simulation.cell import Cell, run_cell
from satisfice.simulation.protocol import Arms

RATES = (0.05, 0.001)
"""With one arm ln of the evidence must reach ln 20, and ln 1000."""
GAPS = (0.03, 0.1, 0.3, 1.0, 2.0, 4.0, 10.0)
BETAS = (
    *((5, 5, 0.45), (8, 2, 0.7), (50, 50, 0.48), (1, 99, 0.005), (30, 2, 0.9)),
    *((2, 200, 0.002), (0.2, 0.3, 0.3), (100, 5, 0.94), (3, 1, 0.5), (1, 1, 0.47)),
)
"""Two parameters and the limit. Bets and weights were chosen on others."""
RUNS = 1000
ROWS = 100_000


@cache
def shaped(name: str) -> Floats:
    """Equally likely results of mean 0 and standard deviation 1, the long tail above."""
    levels = (np.arange(ROWS) + 0.5) / ROWS
    quantiles = {
        "normal": stats.norm.ppf,
        "lognormal 1": stats.lognorm(1.0).ppf,
        "pareto 3": stats.pareto(3).ppf,
        "1 % spikes": lambda part: 1.0 * (part > 0.99),
    }
    results = quantiles[name](levels)
    return np.asarray((results - results.mean()) / results.std())


def evaluations(noise: str, limit: float, arms: Arms, rate: float, runs: int) -> float:
    """How many it takes on average to accept."""
    instance = sf.Instance.of(sf.problem_of([f"m >= {limit!r} : {noise}"], rate), arms)
    return float(run_cell(Cell(instance, DEFAULT_RULE, sf.Evidence(), runs, 300_000, 7), threads=1).pulls.mean())


def recorded(results: Floats, mean: float) -> RecordedArms:
    return RecordedArms(np.array([[mean]]), results[:, np.newaxis], np.array([0, results.size]))


def of_any_shape(name: str, tail: float, gap: float, rate: float, declared: float = 1.0) -> float:
    """The evaluations of spread(declared), over those of normal(1) on normal results."""
    runs = 100 if gap < 0.1 else 400
    known = evaluations("normal(1)", 0.0, sf.gaussian_arms([[gap]], 1.0), rate, runs)
    taken = evaluations(f"spread({declared})", 0.0, recorded(gap + tail * shaped(name), gap), rate, runs)
    return taken / known


def stopped(log_evidence: Floats, rate: float) -> float:
    """The mean of the first step at which the level is reached; not a number if a run is too short for it."""
    reached = log_evidence >= -log(rate)
    return float((reached.argmax(axis=1) + 1).mean()) if reached.any(axis=1).all() else nan


def by_capitals(results: Floats, theta: float, stakes: Iterable[float], log_weights: Floats) -> Floats:
    total = np.full(results.shape, -np.inf)
    for stake, log_weight in zip(stakes, log_weights, strict=True):
        np.logaddexp(total, log_weight + np.log1p(stake * (results - theta)).cumsum(axis=1), out=total)
    return total


def by_bounded(results: Floats, theta: float, weights: Floats = WEIGHTS) -> Floats:
    """ln of the evidence of `bounded(0, 1)` after each result."""
    stakes = np.minimum(BETS / sqrt(theta * (1.0 - theta)), LARGEST_STAKE / theta)
    return by_capitals(results, theta, stakes, np.log(weights))


def by_twenty_bets(results: Floats, theta: float) -> Floats:
    return by_capitals(results, theta, bets_at(theta), LOG_WEIGHTS)


def by_moments(results: Floats, theta: float) -> Floats:
    n, total, squares = np.arange(1, results.shape[1] + 1), results.cumsum(axis=1), (results**2).cumsum(axis=1)
    weight = np.minimum(total**2 / squares, n)
    found = np.full(results.shape, -np.inf)
    for bet, log_weight in zip(bets_at(theta), LOG_WEIGHTS, strict=True):
        capital = weight * np.log1p(bet * (total / weight - theta)) + (n - weight) * np.log1p(-bet * theta)
        np.logaddexp(found, log_weight + capital, out=found)
    return found


def taken_by(
    evidences: Iterable[Callable[[Floats, float], Floats]], first: float, second: float, theta: float, rate: float
) -> list[float]:
    """How many of the same results each kind of evidence takes on average."""
    draws, results, taken = np.random.default_rng(3), np.empty((RUNS, 0)), [nan]
    while any(map(isnan, taken)):
        results = np.hstack([results, draws.beta(first, second, (RUNS, max(500, results.shape[1])))])
        taken = [stopped(evidence(results, theta), rate) for evidence in evidences]
    return taken


def of_a_beta(first: float, second: float, theta: float, rate: float) -> tuple[float, float, float]:
    """Evaluations; over capitals of twenty bets; over the bound from two moments."""
    mine, twenty, moments = taken_by((by_bounded, by_twenty_bets, by_moments), first, second, theta, rate)
    return mine, mine / twenty, mine / moments


def by_other_weights(results: Floats, theta: float) -> Floats:
    """With more of the capital on bets from .06 to 1, and less on smaller and on larger ones."""
    return by_bounded(results, theta, weighted(np.minimum(1.0, BETS / 0.06) * np.where(BETS > 1.0, 0.35, 1.0)))


def of_other_weights(first: float, second: float, theta: float, rate: float) -> tuple[float, float]:
    """Their evaluations over those of `bounded`, and over those of the bound from two moments."""
    other, mine, moments = taken_by((by_other_weights, by_bounded, by_moments), first, second, theta, rate)
    return other / mine, other / moments


def main() -> None:
    print("spread(1) over normal(1), by the gap in standard deviations:", *GAPS)
    for name in ("normal", "lognormal 1", "pareto 3", "1 % spikes"):
        for tail in (1.0, -1.0)[: 1 if name == "normal" else 2]:
            for rate in RATES:
                row = [f"{of_any_shape(name, tail, gap, rate):.2f}" for gap in GAPS]
                print(f"{name}, tail {'above' if tail > 0 else 'below'}, {rate}:", *row, flush=True)
    print("spread(2):", *(f"{of_any_shape('normal', 1.0, gap, 0.05, 2.0):.2f}" for gap in GAPS[1:]))
    print("bounded(0, 1): evaluations, over twenty bets, over two moments")
    for first, second, theta in BETAS:
        for rate in RATES:
            taken, twenty, moments = of_a_beta(first, second, theta, rate)
            print(
                f"Beta({first}, {second}) against {theta}, {rate}: {taken:.0f} {twenty:.2f} {moments:.2f}", flush=True
            )
    print("other weights, 0.05: over those of bounded, over two moments")
    for first, second, theta in BETAS:
        mine, moments = of_other_weights(first, second, theta, 0.05)
        print(f"Beta({first}, {second}) against {theta}: {mine:.3f} {moments:.3f}", flush=True)


if __name__ == "__main__":
    main()
