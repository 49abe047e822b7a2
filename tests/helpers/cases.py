"""Instances that the tests share: the paper's two, and one for each thing that may go wrong."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

import satisfice as sf
from satisfice.simulation.arms import RecordedArms
from satisfice.simulation.cell import Cell
from satisfice.simulation.instance import Instance

SYNTHETIC_MEANS = np.array(
    [  # the means behind the paper's tables, those of the released programs: arm 7 is the only good one
        [0.1, 0.1, 0.1, 0.35, 0.45, 0.55, 0.65, 0.2, 0.2, 0.2],
        [0.2, 0.36, 0.392, 0.3984, 0.3984, 0.45, 0.55, 0.601, 0.61, 0.7],
        [0.05, 0.1, 0.15, 0.2, 0.45, 0.55, 0.65, 0.7, 0.75, 0.8],
        [0.5, 0.5, 0.5, 0.5, 0.6, 0.6, 0.6, 0.6, 0.7, 0.7],
    ]
).T
MEDICAL_MEANS = np.array([[0.36, 0.59, 0.85, 0.95, 0.79], [0.375, 0.475, 0.7625, 0.8375, 0.975]]).T


def gaussian(means, thresholds, *, sd=1.0, tolerance=0.0, error_rate=0.05, name="instance") -> Instance:
    """Normal arms, all metrics at least their thresholds, one noise scale and one tolerance."""
    problem = sf.problem_of(
        [
            sf.Metric(f"m{place}", threshold, tolerance=tolerance, noise=sf.Normal(sd or 1.0))
            for place, threshold in enumerate(thresholds, start=1)
        ],
        error_rate=error_rate,
    )
    return Instance.of(problem, sf.gaussian_arms(means, sd), name=name)


def synthetic() -> Instance:
    return gaussian(SYNTHETIC_MEANS, [0.6, 0.5, 0.6, 0.5], sd=1.2, tolerance=0.005, error_rate=0.005, name="synthetic")


def medical() -> Instance:
    return gaussian(MEDICAL_MEANS, [0.48, 0.75], tolerance=0.005, error_rate=0.005, name="medical")


def one_arm() -> Instance:
    return gaussian([[0.9, 0.7]], [0.5, 0.5], tolerance=0.01)


def one_metric() -> Instance:
    return gaussian([[0.2], [0.9], [0.4], [0.45]], [0.5], tolerance=0.05)


def no_tolerance() -> Instance:
    return gaussian([[0.1, 0.9], [0.9, 0.9], [0.9, 0.2]], [0.5, 0.5])


def none_good() -> Instance:
    return gaussian([[0.0, 1.5], [1.5, 0.1], [-0.2, -0.2], [0.1, 0.1]], [1.0, 1.0], tolerance=0.1)


def ties() -> Instance:
    """Identical arms without noise, in numbers that floating point adds up exactly: every index is tied."""
    return gaussian([[0.75, 0.5]] * 5, [0.5, 0.25], sd=0.0, tolerance=0.125)


def ties_of_bad_arms() -> Instance:
    return gaussian([[0.25, 0.5]] * 3, [0.5, 0.25], sd=0.0, tolerance=0.125)


def unequal() -> Instance:
    """Both directions, four noise scales, four tolerances."""
    problem = sf.problem_of(
        [
            "latency <= 100 ~ 1.5 : normal(12)",
            "accuracy >= 0.85 ~ 0.01 : normal(0.07)",
            "energy <= 50 : subgaussian(3.3)",
            "yield >= -2 ~ 0.3 : normal(0.9)",
        ],
        error_rate=0.1,
    )
    means = [[107, 0.9, 45, -1], [96, 0.88, 48, -1.7], [99, 0.8, 44, -1.2], [90, 0.95, 53, -1.9], [101, 0.86, 49, -2]]
    return Instance.of(problem, sf.arms_for(problem, means), name="unequal")


def mixed() -> Instance:
    """Bernoulli, Beta and normal metrics; thresholds and scales with which equal counts are equal in floating point."""
    problem = sf.problem_of(
        [
            "passed >= 0.75 ~ 0.0625 : bernoulli",
            "share <= 0.5 ~ 0.03125 : bounded(0, 2)",
            "score >= 1 ~ 0.125 : normal(1)",
        ],
        error_rate=0.1,
    )
    means = [[0.7, 0.3, 1.5], [0.95, 0.2, 1.6], [0.9, 0.6, 1.2], [0.2, 0.1, 2.0]]
    return Instance.of(problem, sf.arms_for(problem, means, concentration=3.0))


def coins() -> Instance:
    """Equal coins, with thresholds that are no binary fractions: what is tied is up to the order of rounding."""
    problem = sf.problem_of(["a >= 0.7 ~ 0.05 : bernoulli", "b >= 0.6 ~ 0.05 : bernoulli"], error_rate=0.1)
    return Instance.of(problem, sf.arms_for(problem, [[0.8, 0.7]] * 4))


def counts() -> Instance:
    """Counts with small and with large means: two algorithms of the generator."""
    problem = sf.problem_of(["errors <= 3 ~ 0.5 : poisson", "served >= 20 ~ 1 : poisson"], error_rate=0.1)
    return Instance.of(problem, sf.arms_for(problem, [[4.0, 25.0], [2.0, 24.0], [3.2, 15.0], [0.5, 21.0]]))


def correlated() -> Instance:
    problem = sf.problem_of(["a >= 0.5 ~ 0.01 : normal(1)", "b <= 2 ~ 0.02 : normal(2)", "c >= 0 : normal(0.5)"])
    means = [[0.9, 2.5, 0.3], [1.1, 1.0, 0.4], [0.3, 0.5, 0.2]]
    correlation = [[1, 0.6, -0.3], [0.6, 1, 0.1], [-0.3, 0.1, 1]]
    return Instance.of(problem, sf.arms_for(problem, means, correlation=correlation))


def recorded() -> Instance:
    """Three arms with 7, 1 and 40 past evaluations."""
    problem = sf.problem_of(["a >= 0.5 ~ 0.25 : normal(1)", "b <= 0.25 : normal(1)"])
    rng = np.random.default_rng(7)
    rows = np.concatenate(
        [
            rng.normal([0.3, 0.0], 1.0, (7, 2)),
            rng.normal([0.0, 0.0], 1.0, (1, 2)),
            rng.normal([1.2, -0.9], 1.0, (40, 2)),
        ]
    )
    starts = np.array([0, 7, 8, 48])
    means = np.array([rows[first:last].mean(axis=0) for first, last in pairwise(starts)])
    return Instance.of(problem, RecordedArms(means, rows, starts))


def cell(instance: Instance, rule, *, stopping=None, budget=3000, seed=11, repetitions=1) -> Cell:
    """A cell of a campaign, from a rule's class or value."""
    value = rule() if isinstance(rule, type) else rule
    return Cell(instance, value, stopping or sf.AlphaBoundary(), repetitions, budget, seed)


class CoinArms(NamedTuple):
    """Arms as a user would write them: a fair coin decides between mean - size and mean + size."""

    means: np.ndarray
    sizes: np.ndarray

    def draw(self, rng, arm, results):
        for metric in range(results.shape[0]):
            side = 1.0 if rng.random() < 0.5 else -1.0
            results[metric] = self.means[arm, metric] + side * self.sizes[metric]

    def rescaled(self, offset, slope):
        return CoinArms(offset + slope * self.means, slope * self.sizes)
