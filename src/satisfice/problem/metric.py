"""One metric: which statistic of it is limited, by which threshold, up to which tolerance, and its noise."""

from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from functools import cached_property
from re import fullmatch
from typing import cast

from satisfice.errors import InvalidProblem, UnknownName
from satisfice.given import is_number, shown
from satisfice.layout.numbers import written
from satisfice.noise import NOISE_MODELS
from satisfice.noise.checked import UNDECLARED, is_undeclared
from satisfice.noise.process import NoiseModel, Process, goes_by_scale, is_noise_model, is_same, process_of
from satisfice.problem.grammar import GROUP, amount_of, parse_threshold
from satisfice.statistics import MEAN, Limit, Match, Mean, Observed, Statistic
from satisfice.statistics.raw import Raw, Unexpected, is_count
from satisfice.statistics.shares import limit_written


class Direction(StrEnum):
    """Which side of its threshold a statistic must be on."""

    AT_LEAST = ">="
    AT_MOST = "<="


@dataclass(frozen=True)
class Metric:
    """One measured quantity: its mean must be `direction` its `threshold`, up to `tolerance` in its own unit.

    `statistic` is what is limited in place of the mean. With a `ratio` the limit is threshold + ratio * baseline, and
    `tolerance_ratio` is a tolerance in parts of the baseline's. Metrics of a `group` are measured together, and
    those of other groups in other evaluations. `limit_words` is how a limit beside a baseline was written.
    """

    name: str
    threshold: float
    direction: Direction = Direction.AT_LEAST
    tolerance: float = 0.0
    noise: NoiseModel = UNDECLARED
    statistic: Statistic = MEAN
    ratio: float = 0.0
    tolerance_ratio: float = 0.0
    group: str = ""
    limit_words: str = field(default="", compare=False, repr=False, kw_only=True)

    def __post_init__(self) -> None:
        if self.direction not in tuple(Direction):
            raise InvalidProblem(
                f"Metric {self.name!r}: the direction must be '<=' or '>=', got {shown(self.direction)}."
            )
        object.__setattr__(self, "direction", Direction(self.direction))
        for what in ("threshold", "tolerance", "ratio", "tolerance_ratio"):
            value = getattr(self, what)
            if not is_number(value):
                raise InvalidProblem(f"Metric {self.name!r}: the {what} must be a finite number, got {shown(value)}.")
            object.__setattr__(self, what, float(value))
        if self.limit_words and amount_of(self.limit_words) != (self.threshold, self.ratio):
            object.__setattr__(self, "limit_words", "")  # it was replaced by another limit
        if self.tolerance < 0 or self.tolerance_ratio < 0:
            raise InvalidProblem(
                f"Metric {self.name!r}: the tolerance must be zero or more, got {self.tolerance}. "
                "It says how far beyond the threshold a mean may be and still be accepted."
            )
        if not isinstance(self.group, str) or (self.group and not fullmatch(GROUP, self.group)):
            raise InvalidProblem(
                f"Metric {self.name!r}: the group must be a name of letters, digits, '_', '-' or '.', got "
                f"{shown(self.group)}."
            )
        try:
            self.statistic.check_limit(self.limit)
            object.__setattr__(self, "noise", self.statistic.noise_of(self.noise))
        except InvalidProblem as error:
            raise InvalidProblem(f"Metric {self.name!r}: {error}.") from None
        object.__setattr__(self, "noise", _checked(self.noise, self.name))
        if self.process.certain:
            self._check_exact()

    def _check_exact(self) -> None:
        """Raise unless one plain number is limited, without a tolerance."""
        if not isinstance(self.statistic, Mean | Match):
            raise InvalidProblem(
                f"Metric {self.name!r}: a number that is the same every time has no {self.label}. Write "
                f"'{self.name} {self.direction} {self.limit_text} : {self.noise}'."
            )
        if self.tolerance or self.tolerance_ratio:
            edge = limit_written(self.limit.edge, self.limit.edge_ratio)
            raise InvalidProblem(
                f"Metric {self.name!r}: an exact number passes its limit or not, so a tolerance means another limit. "
                f"Write '{self.name} {self.direction} {edge} : {self.noise}'."
            )

    @cached_property
    def limit(self) -> Limit:
        """What is written of the statistic."""
        at_least = self.direction is Direction.AT_LEAST
        return Limit(self.threshold, self.tolerance, at_least, self.ratio, self.tolerance_ratio)

    @cached_property
    def asked(self) -> Limit:
        """What is asked of the mean of the numbers that enter the evidence."""
        asked = self.statistic.asked(self.limit)
        return asked._replace(tolerance=0.0) if self.two_sided else asked

    @cached_property
    def two_sided(self) -> bool:
        """Whether a result speaks with two numbers, against the limit and against the limit with its tolerance."""
        return self.statistic.two_sided(self.limit)

    @property
    def shown_limit(self) -> tuple[float, float]:
        """Threshold and tolerance of what is shown of the statistic."""
        return self.statistic.shown_limit(self.limit)

    @cached_property
    def is_plain(self) -> bool:
        """Whether it is a mean with a limit of its own."""
        return self.statistic == MEAN and not self.beside_baseline

    @property
    def is_drawn_alone(self) -> bool:
        """Whether a simulated result is what is drawn, whatever was drawn before."""
        return self.is_plain and not self.set_size

    @cached_property
    def set_size(self) -> int:
        """The number of items where each is evaluated once, so that the mean is known after the last; else 0."""
        return 0 if self.process.redrawn else self.process.items(self.noise)

    @property
    def is_part(self) -> bool:
        """Whether it is a mean limited by a part of the baseline's, and shown as one."""
        return self.statistic == MEAN and self.ratio != 0.0 and self.threshold == 0.0

    @cached_property
    def drawn(self) -> "Metric":
        """A plain metric that is simulated as this one is."""
        if self.is_plain:
            return replace(self, noise=self.process.one_item(self.noise), group="")
        return Metric(self.name, self.threshold, self.direction, noise=self.statistic.drawn_noise(self.noise))

    @property
    def beside_baseline(self) -> bool:
        """Whether it takes the baseline's result, too."""
        return self.ratio != 0.0 or self.statistic.beside_baseline

    def observed(self, raw: Raw, baseline: Raw | None = None) -> Observed:
        """What was returned, as the evidence wants it; Unexpected says what it should have been."""
        if self.statistic == MEAN and is_count(raw) and not self.process.weighted:
            raise Unexpected("one number rather than a count (declare ': independent', or limit share(metric <= X))")
        return self.statistic.observed(raw, self.limit, baseline)

    @cached_property
    def process(self) -> Process:
        """All that follows from what was declared about the noise."""
        return process_of(self.noise)

    def __getstate__(self) -> dict[str, object]:
        """What is sent to another process: what was given, without what follows from it."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def of_arm(self, arm: int) -> "Metric":
        """The metric as it is declared for one arm."""
        own = self.process.of_arm(self.noise, arm)
        return self if own is self.noise else replace(self, noise=own)

    def __str__(self) -> str:
        default = self.statistic.noise_of(UNDECLARED)
        goes_without_saying = is_same(self.noise, default) and not is_undeclared(default)
        return self.with_noise_written("" if goes_without_saying else str(self.noise))

    def with_noise_written(self, noise: str) -> str:
        """The threshold string with the noise model in these words, if any."""
        tolerance = f" ~ {written(self.tolerance)}" if self.tolerance else ""
        if self.tolerance_ratio:
            tolerance = f" ~ {written(round(100.0 * self.tolerance_ratio, 10))}%"
        group = f" @ {self.group}" if self.group else ""
        return f"{self.limited}{tolerance}{f' : {noise}' if noise else ''}{group}"

    @property
    def limited(self) -> str:
        """The statistic and its limit, as in 'p95(latency_ms) <= 200'."""
        return f"{self.label} {self.comparison} {self.limit_text}"

    @property
    def comparison(self) -> str:
        """The sign between the statistic and its limit."""
        return "==" if self.is_match else str(self.direction)

    @property
    def is_match(self) -> bool:
        """Whether results must equal a value."""
        return isinstance(self.statistic, Match)

    @property
    def limit_text(self) -> str:
        """The limit, as in '200' or 'baseline + 3%'."""
        if isinstance(self.statistic, Match):
            return self.statistic.shown_value
        return self.limit_words or limit_written(self.threshold, self.ratio)

    @property
    def label(self) -> str:
        """The statistic, as in 'p95(latency_ms)'."""
        return self.statistic.written(self.name)

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
    if not is_noise_model(noise):
        raise InvalidProblem(
            f"Metric {metric!r}: the noise must be {', '.join(kind.__name__ for kind in NOISE_MODELS.values())} or a "
            f"value of your own with a scale, got {shown(noise)}."
        )
    try:
        kept: NoiseModel = process_of(noise).checked(noise)
    except InvalidProblem as error:
        raise InvalidProblem(f"Metric {metric!r}: {error}") from None
    if kept.scale is None and goes_by_scale(kept):
        raise InvalidProblem(
            f"Metric {metric!r}: {type(noise).__name__} has no scale, and no evidence of its own. Give it a "
            "sub-Gaussian scale, or a process (docs/how-to/add-a-noise-model.md)."
        )
    return kept


def known_scale(metric: Metric) -> float:
    """The metric's sub-Gaussian scale, which the paper's boundary cannot do without."""
    if metric.process.certain:
        raise InvalidProblem(
            f"Metric {metric.name!r} is {metric.noise}, and this rule takes all metrics for noisy. Use the stopping "
            "rule 'evidence' with the sampling rule 'pandora', both of which are the default, 'thompson' or 'murphy'."
        )
    if metric.noise.scale is None:
        raise InvalidProblem(
            f"Metric {metric.name!r} does not say how noisy one evaluation is, and this rule needs to know. "
            f"Write '{metric.name} {metric.direction} {written(metric.threshold)} : normal(SD)' with its standard "
            "deviation, or subgaussian(SCALE), bernoulli, bounded(LOW, HIGH). Without it: the stopping rule 'evidence' "
            "with the sampling rule 'pandora', both of which are the default, 'thompson' or 'murphy'."
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
    parsed = parse_threshold(metric)
    return Metric(
        name=parsed.name,
        threshold=parsed.limit.number,
        direction=Direction(parsed.direction),
        tolerance=parsed.tolerance.number,
        noise=parsed.noise,
        statistic=parsed.statistic,
        ratio=parsed.limit.ratio,
        tolerance_ratio=parsed.tolerance.ratio,
        group=parsed.group,
        limit_words=" ".join(parsed.limit.words.split()),
    )
