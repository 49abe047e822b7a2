"""How long simulated evaluations take, in units of an ordinary one.

constant                     all equally long
lognormal(SIGMA)             exp(SIGMA N), divided by its mean
metric(NAME)                 as long as the evaluation's own result of that metric; below 0 counts as 0
... + SHARE% x FACTOR        stragglers: that share of the evaluations takes FACTOR times as long
"""

import re
from dataclasses import dataclass
from math import exp
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.errors import InvalidInstance, unknown_name
from satisfice.given import shown
from satisfice.layout.numbers import fixed, written
from satisfice.problem.problem import Problem
from satisfice.simulation.instance import Instance
from satisfice.simulation.observed import drawn_deficits
from satisfice.statistics import Percentile

KINDS = ("constant", "lognormal", "metric")
CONSTANT, LOGNORMAL, METRIC = range(3)

LARGEST_SIGMA, LARGEST_FACTOR = 10.0, 1e6

NUMBER = r"\d+\.?\d*(?:e[+-]?\d+)?|\.\d+"
WRITTEN = re.compile(
    r"\s*(?P<kind>\w+)\s*(?:\((?P<inside>[^()]*)\))?"
    rf"\s*(?:\+\s*(?P<share>{NUMBER})\s*%\s*x\s*(?P<factor>{NUMBER})\s*)?",
    re.IGNORECASE,
)
EXAMPLES = "'constant', 'lognormal(1)' or 'metric(latency_ms)', and '+ 0.5% x 30' behind it for stragglers"


@dataclass(frozen=True)
class Durations:
    """How long evaluations take: the kind, its number or its metric, and which share takes `factor` times as long."""

    kind: str = "constant"
    sigma: float = 0.0
    metric: str = ""
    share: float = 0.0
    factor: float = 1.0

    def __str__(self) -> str:
        inside = {"lognormal": f"({written(self.sigma)})", "metric": f"({self.metric})"}.get(self.kind, "")
        late = f" + {written(100 * self.share)}% x {written(self.factor)}" if self.share else ""
        return f"{self.kind}{inside}{late}"

    @property
    def mean(self) -> float | None:
        """The mean of one evaluation, where it does not depend on the arms."""
        return None if self.kind == "metric" else 1.0 + self.share * (self.factor - 1.0)


class Drawing(NamedTuple):
    """The same in numbers for the loop: for a metric its place, and offset and slope of its deficits."""

    kind: int
    sigma: float
    metric: int
    offset: float
    slope: float
    share: float
    factor: float


def as_durations(given: "str | Durations") -> Durations:
    """Durations from a text such as 'lognormal(1) + 0.5% x 30', or as they are."""
    if isinstance(given, Durations):
        return given
    parts = WRITTEN.fullmatch(given) if isinstance(given, str) else None
    if parts is None:
        raise InvalidInstance(f"Expected durations such as {EXAMPLES}, got {shown(given, 60)}.")
    kind, inside = parts["kind"].lower(), (parts["inside"] or "").strip()
    if kind not in KINDS:
        raise unknown_name("kind of durations", kind, KINDS)
    if (kind == "constant") != (parts["inside"] is None):
        raise InvalidInstance(
            f"Expected durations such as {EXAMPLES}: {kind} {_missing(kind)}. What came is {shown(given, 60)}."
        )
    share, factor = float(parts["share"] or 0.0) / 100.0, float(parts["factor"] or 1.0)
    if not (share <= 1.0 and 1.0 <= factor <= LARGEST_FACTOR):
        raise InvalidInstance(
            f"Expected stragglers as '+ SHARE% x FACTOR' with a share of at most 100 % and a factor from 1 to "
            f"{fixed(LARGEST_FACTOR, 0)}, got {shown(given, 60)}."
        )
    sigma = _sigma(inside, given) if kind == "lognormal" else 0.0
    return Durations(kind, sigma, inside if kind == "metric" else "", share, factor)


def _missing(kind: str) -> str:
    return {
        "constant": "has no number",
        "lognormal": "needs the standard deviation of the logarithm",
        "metric": "needs a name",
    }[kind]


def _sigma(inside: str, given: str) -> float:
    sigma = float(inside) if re.fullmatch(NUMBER, inside, re.IGNORECASE) else -1.0
    if not 0.0 <= sigma <= LARGEST_SIGMA:
        raise InvalidInstance(
            f"Expected lognormal(SIGMA) with a number from 0 to {written(LARGEST_SIGMA)}, the standard deviation of "
            f"the logarithm, got {shown(given, 60)}."
        )
    return sigma


def drawing_of(durations: Durations, instance: Instance) -> Drawing:
    """The durations in numbers, for an instance whose metrics they may name."""
    place, offset, slope = 0, 0.0, 1.0
    if durations.kind == "metric":
        place = _place(durations.metric, instance.problem)
        _check_means(instance, place)
        offsets, slopes = drawn_deficits(instance.problem)
        offset, slope = float(offsets[place]), float(slopes[place])
    kind = KINDS.index(durations.kind)
    return Drawing(kind, durations.sigma, place, offset, slope, durations.share, durations.factor)


def _place(name: str, problem: Problem) -> int:
    """The first limit on the metric."""
    names = [metric.name for metric in problem.metrics]
    if name not in names:
        raise unknown_name("metric with a threshold", name, problem.measured)
    metric = problem.metrics[names.index(name)]
    if not (metric.is_drawn_alone or isinstance(metric.statistic, Percentile)):
        raise InvalidInstance(
            f"Evaluations cannot be simulated to take as long as {name!r} says, since {metric.limited!r} is not "
            "simulated by its single results. Name a metric of which a mean or a percentile is limited."
        )
    return names.index(name)


def _check_means(instance: Instance, place: int) -> None:
    means = instance.arms.means[:, place]
    arm = int(np.argmin(means))
    if not means[arm] > 0.0:
        name = instance.problem.metrics[place].name
        raise InvalidInstance(
            f"Evaluations take as long as {name!r} says, which must then be positive, but it is {written(means[arm])} "
            f"for {instance.arm_names[arm]!r}. Name another metric, or use lognormal(SIGMA)."
        )


def duration_of(rng: np.random.Generator, drawing: Drawing, results: Floats) -> float:
    """How long an evaluation takes that has these results, as deficits."""
    duration = 1.0
    if drawing.kind == LOGNORMAL:
        duration = exp(drawing.sigma * (rng.standard_normal() - 0.5 * drawing.sigma))
    elif drawing.kind == METRIC:
        duration = max(0.0, (results[drawing.metric] - drawing.offset) / drawing.slope)
    if drawing.share > 0.0 and rng.random() < drawing.share:
        duration *= drawing.factor
    return duration
