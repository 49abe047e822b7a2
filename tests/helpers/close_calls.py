"""Questions near their limits under every noise model, alone and mixed, whose standardisation rounds nothing.

All results come from `MixedArms`, whatever the model, so that compiled code is made once for each rule and stopping
rule. Thresholds are 0, or binary fractions for results in [0, 1], and scales are powers of two.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import satisfice as sf
from satisfice.noise import BOUNDED, COUNTS, KNOWN_SCALE, PROCESSES, ZERO_OR_ONE
from satisfice.simulation.arms import MixedArms
from tests.equivalence import naive_evidence as naive

NORMAL, BERNOULLI, BETA, COUNT = (PROCESSES.index(one) for one in (KNOWN_SCALE, ZERO_OR_ONE, BOUNDED, COUNTS))

ARMS = 4
FOUND_MARGINS = ((-0.2, 0.3), (0.03, 0.0), (0.2, 0.15), (0.2, -0.25))
"""Means beyond the thresholds, in standard deviations, of a first and of a second metric: the third arm passes."""
NONE_MARGINS = ((-0.2, 0.3), (-0.3, -0.15), (0.2, -0.25), (-0.2, 0.1))


class Column(NamedTuple):
    """A metric: what is declared, and what is drawn around its threshold, in units of `sd` (one, or each arm's)."""

    declared: str
    kind: int = NORMAL
    threshold: float = 0.0
    sd: float | tuple[float, ...] = 1.0

    def written(self, name: str, direction: str) -> str:
        tolerance = 0.125 * float(np.min(self.sd))
        return f"{name} {direction} {self.threshold!r} ~ {tolerance!r} : {self.declared}"


BY_ARM = (0.5, 1.0, 0.75, 0.25)
COLUMNS = {
    "normal": Column("normal(1)"),
    "by arm": Column(f"normal{BY_ARM}", sd=BY_ARM),
    "subgaussian": Column("subgaussian(2)", sd=2.0),
    "undeclared": Column("checked", sd=3.0),
    "unknown sd": Column("normal", sd=3.0),
    "bernoulli": Column("bernoulli", BERNOULLI, 0.5, sd=0.5),
    "bounded": Column("bounded(0, 2)", BETA, 1.0, sd=0.5),
    "poisson": Column("poisson", COUNT, 4.0, sd=2.0),
    "spread": Column("spread(2)", sd=2.0),
}
NOISES: dict[str, tuple[str, ...]] = {name: (name, name) for name in COLUMNS} | {
    "mixed, transferable": ("normal", "bernoulli", "subgaussian"),
    "mixed, of running capitals": ("bounded", "spread", "poisson", "bernoulli"),
    "mixed, of known scale": ("bernoulli", "by arm", "bounded", "subgaussian"),
    "mixed, all": (
        *("undeclared", "bernoulli", "normal", "bounded", "by arm", "subgaussian", "poisson", "spread"),
        "unknown sd",
    ),
}
"""The metrics of a question, by the names of `COLUMNS`; they must be at least and at most their thresholds in turn."""

UNKNOWN = ("undeclared", "unknown sd", "poisson", "spread", "mixed, of running capitals", "mixed, all")
TRANSFERABLE = (
    *("normal", "by arm", "subgaussian", "bernoulli", "bounded", "poisson", "spread"),
    *("mixed, transferable", "mixed, of running capitals", "mixed, of known scale"),
)


def close_call(noise: str, *, passes: bool, goal: str | int = "any", error_rate: float = 0.1) -> sf.Instance:
    """Four arms, one of which passes by little, or none."""
    columns = [COLUMNS[name] for name in NOISES[noise]]
    signs = [1.0 if place % 2 == 0 else -1.0 for place in range(len(columns))]
    thresholds = [
        column.written(f"m{place}", ">=" if sign > 0 else "<=")
        for place, (column, sign) in enumerate(zip(columns, signs, strict=True))
    ]
    margins = np.array(FOUND_MARGINS if passes else NONE_MARGINS)
    parts = [
        arms_of_column(column, sign * margins[:, place % 2])
        for place, (column, sign) in enumerate(zip(columns, signs, strict=True))
    ]
    kinds = np.array([column.kind for column in columns])
    means, low, spread, first, second = (np.column_stack(each) for each in zip(*parts, strict=True))
    problem = sf.problem_of(thresholds, error_rate, goal=goal)
    return sf.Instance.of(problem, MixedArms(means, kinds, low, spread, first, second), name=f"{noise} {passes}")


def arms_of_column(column: Column, margins: np.ndarray) -> tuple[np.ndarray, ...]:
    """Means, low, spread, first and second of `MixedArms`; a Beta on [0, 2] has the standard deviation 1/2 at 1."""
    sds = np.broadcast_to(column.sd, margins.shape).astype(float)
    means = column.threshold + sds * margins
    ones = np.ones(ARMS)
    if column.kind == NORMAL:
        return means, means, sds, ones, ones
    if column.kind in (BERNOULLI, COUNT):
        return means, 0.0 * ones, ones, means, ones
    return means, 0.0 * ones, 2.0 * ones, 1.5 * means, 1.5 * (2.0 - means)


def rescaled(instance: sf.Instance, factors: Sequence[float]) -> sf.Instance:
    """The same question with every metric in another unit; coins and counts have none and stay."""
    metrics, slopes = [], []
    for metric, wanted in zip(instance.problem.metrics, factors, strict=True):
        model, _, numbers = str(metric.noise).rstrip(")").partition("(")
        factor = 1.0 if model in ("bernoulli", "poisson") else wanted
        noise = (
            f"{model}({', '.join(repr(float(number) * factor) for number in numbers.split(','))})" if numbers else model
        )
        written = f"{metric.threshold * factor!r} ~ {metric.tolerance * factor!r}"
        metrics.append(f"{metric.name} {metric.direction} {written} : {noise}")
        slopes.append(factor)
    problem = sf.problem_of(metrics, instance.problem.error_rate, goal=instance.problem.goal)
    arms = instance.arms.rescaled(np.zeros(len(slopes)), np.array(slopes))
    return sf.Instance.of(problem, arms, name=f"{instance.name}, rescaled", arm_names=instance.arm_names)


def facts_of(metric: sf.Metric, arm: int = 0) -> naive.Metric:
    """A metric of the package, as it is declared for an arm, in plain numbers."""
    model, _, numbers = str(metric.noise).rstrip(")").partition("(")
    written = tuple(float(number) for number in numbers.split(",")) if numbers else ()
    if model in ("normal", "subgaussian"):
        model, written = "normal", written[min(arm, len(written) - 1) :][:1]
    return naive.Metric(model, written, metric.threshold, metric.tolerance, str(metric.direction) == ">=")
