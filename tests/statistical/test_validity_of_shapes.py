"""`spread(SD)` promises for every shape: skewed, spiky and heavy-tailed results with exactly that standard deviation.

One arm, one metric, its mean a hair on the wrong side of a boundary, the long tail on either side. As in
`test_validity`, all are seeded, and a sound rule fails once in 2,000 tests.
"""

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy import stats

import satisfice as sf
from satisfice.simulation.arms import RecordedArms
from satisfice.simulation.cell import Cell, run_cell
from tests.helpers.boastful import Boastful
from tests.helpers.edge_cases import HAIR, check_rate

ROWS = 100_000
TOLERANCE = 0.03
QUANTILES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "spikes": lambda levels: 1.0 * (levels > 0.99),
    "rare spikes": lambda levels: 1.0 * (levels > 0.999),
    "pareto 3": stats.pareto(3).ppf,
    "pareto 2.5": stats.pareto(2.5).ppf,
    "lognormal 1": stats.lognorm(1.0).ppf,
    "lognormal 1.5": stats.lognorm(1.5).ppf,
    "exponential": stats.expon().ppf,
    "two bells": lambda levels: np.where(levels < 0.5, -3 + stats.norm.ppf(2 * levels + 1e-9), 3.0),
}


@cache
def standardised(shape: str) -> np.ndarray:
    """The shape as equally likely results of mean 0 and standard deviation 1."""
    results = QUANTILES[shape]((np.arange(ROWS) + 0.5) / ROWS)
    return (results - results.mean()) / results.std()


def wrong(shape: str, tail: float, mean: str, stopping, rate: float, *, runs: int, budget: int) -> np.ndarray:
    """Whether runs go wrong with the mean at the end of the tolerance, "e", or just good, "g"."""
    sd, threshold = 5.0, 40.0
    problem = sf.problem_of([f"m >= {threshold} ~ {sd * TOLERANCE} : spread({sd})"], rate)
    at = threshold + sd * TOLERANCE * (HAIR if mean == "g" else -1 - HAIR)
    rows = (at + tail * sd * standardised(shape))[:, np.newaxis]
    instance = sf.Instance.of(problem, RecordedArms(np.array([[at]]), rows, np.array([0, ROWS])))
    return run_cell(Cell(instance, sf.Pandora(), stopping, runs, budget, 5), threads=2).wrong


def tempts(tail: float, mean: str) -> bool:
    """Whether the long tail is on the side of the mistake, where the evidence loses little."""
    return (tail > 0) == (mean == "e")


@pytest.mark.full
@pytest.mark.parametrize("mean", ["e", "g"])
@pytest.mark.parametrize("tail", [1.0, -1.0])
@pytest.mark.parametrize("shape", ["spikes", "pareto 3", "lognormal 1"])
def test_any_shape(shape, tail, mean):
    check_rate(wrong(shape, tail, mean, sf.Evidence(), 0.2, runs=600, budget=800), 0.2, tight=tempts(tail, mean))


@pytest.mark.full
@pytest.mark.parametrize("rate", [0.2, 0.05])
@pytest.mark.parametrize("mean", ["e", "g"])
@pytest.mark.parametrize("tail", [1.0, -1.0])
@pytest.mark.parametrize("shape", QUANTILES)
def test_any_shape_at_length(shape, tail, mean, rate):
    found = wrong(shape, tail, mean, sf.Evidence(), rate, runs=4000, budget=4000)
    check_rate(found, rate, tight=tempts(tail, mean))


@pytest.mark.full
@pytest.mark.parametrize("mean", ["e", "g"])
@pytest.mark.parametrize("shape", ["exponential", "lognormal 1"])
def test_evidence_three_times_too_large_is_caught(shape, mean):
    tail = 1.0 if mean == "e" else -1.0
    with pytest.raises(AssertionError, match=r"where 0\.2 is promised"):
        check_rate(wrong(shape, tail, mean, Boastful(), 0.2, runs=1500, budget=1500), 0.2)
