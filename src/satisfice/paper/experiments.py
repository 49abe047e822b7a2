"""What the paper runs: its instances, its sweeps, its budget.

The text prints one synthetic instance and the tables come from another: both are here, under names that say which.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from satisfice.noise import Normal
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.simulation.arms import gaussian_arms
from satisfice.simulation.instance import Instance

BUDGET = 200_000
"""The time limit: pulls in all, the first pull of each arm included."""

BASE_ERROR_RATE = 0.005
"""delta, where epsilon is swept."""

BASE_TOLERANCE = 0.005
"""epsilon, where delta is swept."""


class Parameter(StrEnum):
    """What a sweep varies, by the paper's names: delta is the error rate, epsilon the tolerance."""

    DELTA = "delta"
    EPSILON = "epsilon"

    @property
    def symbol(self) -> str:
        return {"delta": "δ", "epsilon": "ε"}[self.value]


DELTAS = tuple(round(0.005 * step, 3) for step in range(1, 11))
EPSILONS = tuple(round(0.002 * step, 3) for step in range(1, 11))


def paper_instance(
    name: str,
    thresholds: Sequence[float],
    means: Sequence[Sequence[float]],
    noise_scale: float,
    arm_names: Sequence[str] | None = None,
) -> Instance:
    """An instance in the paper's form: every metric at least its threshold, one noise scale; `means` is (M, K)."""
    metrics = tuple(
        Metric(f"metric_{index + 1}", threshold, tolerance=BASE_TOLERANCE, noise=Normal(noise_scale))
        for index, threshold in enumerate(thresholds)
    )
    arms = gaussian_arms(list(zip(*means, strict=True)), noise_scale)
    return Instance.of(Problem(metrics, BASE_ERROR_RATE), arms, name=name, arm_names=arm_names)


SYNTHETIC_AS_PRINTED = paper_instance(
    "synthetic as printed",
    thresholds=(0.6, 0.5, 0.6, 0.5),
    means=(
        (0.1, 0.1, 0.1, 0.35, 0.45, 0.55, 0.65, 0.2, 0.2, 0.2),
        (*(0.4 - 0.2**power for power in (1, 2, 3, 4)), 0.45, 0.55, *(0.6 + 0.1**power for power in (4, 3, 2, 1))),
        (0.05, 0.1, 0.15, 0.2, 0.45, 0.55, 0.65, 0.7, 0.75, 0.8),
        (0.4, 0.4, 0.4, 0.4, 0.5, 0.5, 0.5, 0.5, 0.6, 0.6),
    ),
    noise_scale=1.2,
)
"""Section 5.1 as its text has it: arm 7 meets threshold 4 exactly, so its gap is zero."""

SYNTHETIC = paper_instance(
    "synthetic as released",
    thresholds=(0.6, 0.5, 0.6, 0.5),
    means=(
        (0.1, 0.1, 0.1, 0.35, 0.45, 0.55, 0.65, 0.2, 0.2, 0.2),
        (0.2, 0.36, 0.392, 0.3984, 0.3984, 0.45, 0.55, 0.601, 0.61, 0.7),
        (0.05, 0.1, 0.15, 0.2, 0.45, 0.55, 0.65, 0.7, 0.75, 0.8),
        (0.5, 0.5, 0.5, 0.5, 0.6, 0.6, 0.6, 0.6, 0.7, 0.7),
    ),
    noise_scale=1.2,
)
"""The means that the released programs use and the tables come from: arm 7 is the only good one, by 0.05."""

MEDICAL = paper_instance(
    "medical",
    thresholds=(0.48, 0.75),
    means=((0.36, 0.59, 0.85, 0.95, 0.79), (0.375, 0.475, 0.7625, 0.8375, 0.975)),
    noise_scale=1.0,
    arm_names=("dose 1", "dose 2", "dose 3", "dose 4", "dose 5"),
)
"""Section 5.2, dose finding for two drugs; the text names only four doses of the first."""


@dataclass(frozen=True)
class Sweep:
    """One parameter varied on one instance: what a group of tables and one figure show."""

    name: str
    title: str
    figure: int
    instance: Instance
    parameter: Parameter
    values: tuple[float, ...]
    paper_repetitions: int
    quick_repetitions: int


# The text says 5000 repetitions; the medical error rates are multiples of 0.05 %, so there it was 2000.
SYNTHETIC_REPETITIONS = {"paper_repetitions": 5000, "quick_repetitions": 120}
MEDICAL_REPETITIONS = {"paper_repetitions": 2000, "quick_repetitions": 200}

SWEEPS = (
    Sweep("synthetic_delta", "Synthetic", 2, SYNTHETIC, Parameter.DELTA, DELTAS, **SYNTHETIC_REPETITIONS),
    Sweep("synthetic_epsilon", "Synthetic", 3, SYNTHETIC, Parameter.EPSILON, EPSILONS, **SYNTHETIC_REPETITIONS),
    Sweep("medical_delta", "Medical", 4, MEDICAL, Parameter.DELTA, DELTAS, **MEDICAL_REPETITIONS),
    Sweep("medical_epsilon", "Medical", 5, MEDICAL, Parameter.EPSILON, EPSILONS, **MEDICAL_REPETITIONS),
)
