"""One metric: its threshold, its tolerance and its noise."""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from math import isfinite
from numbers import Real
from typing import cast

from satisfice.errors import InvalidProblem, UnknownName
from satisfice.noise import NOISE_MODELS, Checked, Normal
from satisfice.noise.process import Process
from satisfice.noise.protocol import NoiseModel, process_of
from satisfice.noise.written import written
from satisfice.problem.grammar import ParsedThreshold, parse_threshold


class Direction(StrEnum):
    """Which side of its threshold a metric's mean must be on."""

    AT_LEAST = ">="
    AT_MOST = "<="


UNDECLARED = Checked()
SCALED = Normal(1.0)


@dataclass(frozen=True)
class Metric:
    """One measured quantity: its mean must be `direction` its `threshold`, up to `tolerance` in its own unit."""

    name: str
    threshold: float
    direction: Direction = Direction.AT_LEAST
    tolerance: float = 0.0
    noise: NoiseModel = UNDECLARED

    def __post_init__(self) -> None:
        if self.direction not in tuple(Direction):
            raise InvalidProblem(f"Metric {self.name!r}: the direction must be '<=' or '>=', got {self.direction!r}.")
        object.__setattr__(self, "direction", Direction(self.direction))
        for what in ("threshold", "tolerance"):
            value = getattr(self, what)
            if isinstance(value, bool) or not isinstance(value, Real) or not isfinite(value):
                raise InvalidProblem(f"Metric {self.name!r}: the {what} must be a finite number, got {value!r}.")
            object.__setattr__(self, what, float(value))
        if self.tolerance < 0:
            raise InvalidProblem(
                f"Metric {self.name!r}: the tolerance must be zero or more, got {self.tolerance}. "
                "It says how far beyond the threshold a mean may be and still be accepted."
            )
        object.__setattr__(self, "noise", _checked(self.noise, self.name))

    @cached_property
    def process(self) -> Process:
        """All that follows from what was declared about the noise."""
        return process_of(self.noise)

    def of_arm(self, arm: int) -> "Metric":
        """The metric as it is declared for one arm."""
        return replace(self, noise=self.process.of_arm(self.noise, arm))

    def __str__(self) -> str:
        return self.with_noise_written(str(self.noise))

    def with_noise_written(self, noise: str) -> str:
        """The threshold string with the noise model in these words."""
        tolerance = f" ~ {written(self.tolerance)}" if self.tolerance else ""
        return f"{self.name} {self.direction} {written(self.threshold)}{tolerance} : {noise}"

    def exact(self) -> str | None:
        """A string that reads back as the same metric, anywhere; None if there is none."""
        own = f"{NOISE_MODELS.name_of(self.noise)}({', '.join(map(repr, cast(tuple[float, ...], self.noise)))})"
        for text in (str(self), self.with_noise_written(own.removesuffix("()"))):
            try:
                if as_metric(text) == self:
                    return text
            except (InvalidProblem, UnknownName):
                continue
        return None


def _checked(noise: NoiseModel, metric: str) -> NoiseModel:
    """The noise model itself, if its numbers make sense."""
    if isinstance(noise, type) or not isinstance(noise, NoiseModel):
        raise InvalidProblem(
            f"Metric {metric!r}: the noise must be {', '.join(kind.__name__ for kind in NOISE_MODELS.values())} or a "
            f"value of your own with a scale, got {noise!r}."
        )
    process = process_of(noise)
    try:
        kept: NoiseModel = process.checked(noise)
    except InvalidProblem as error:
        raise InvalidProblem(f"Metric {metric!r}: {error}") from None
    if kept.scale is None and process is process_of(SCALED):
        raise InvalidProblem(
            f"Metric {metric!r}: {type(noise).__name__} has no scale, and no evidence of its own. Give it a "
            "sub-Gaussian scale, or a process (docs/how-to/add-a-noise-model.md)."
        )
    return kept


def known_scale(metric: Metric) -> float:
    """The metric's sub-Gaussian scale, which the paper's boundary cannot do without."""
    if metric.noise.scale is None:
        raise InvalidProblem(
            f"Metric {metric.name!r} does not say how noisy one evaluation is, and this rule needs to know. "
            f"Write '{metric.name} {metric.direction} {metric.threshold:g} : normal(SD)' with its standard deviation, "
            "or subgaussian(SCALE), bernoulli, bounded(LOW, HIGH). Without it: the stopping rule 'evidence' with the "
            "sampling rule 'pandora', both of which are the default, 'thompson' or 'murphy'."
        )
    return metric.noise.scale


def as_metric(metric: Metric | str) -> Metric:
    """A metric from a threshold string such as 'loss <= 0.01 ~ 0.001 : bernoulli', or the metric itself."""
    if isinstance(metric, Metric):
        return metric
    if not isinstance(metric, str):
        raise InvalidProblem(
            f"A threshold is a string such as 'latency_ms <= 100' or a Metric, got {type(metric).__name__}."
        )
    parsed: ParsedThreshold = parse_threshold(metric)
    return Metric(
        name=parsed.name,
        threshold=parsed.value,
        direction=Direction(parsed.direction),
        tolerance=parsed.tolerance,
        noise=parsed.noise,
    )
