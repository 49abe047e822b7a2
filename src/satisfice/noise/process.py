"""What a noise model knows: one value that holds every function that depends on the model.

A noise model is a small immutable value, such as `Normal(2.0)`, whose `process` says what follows from the declaration.
Two groups of functions make up a process. The first group works on the declaration, at the edge: what a result may be,
what is assumed, how one simulates. The second group works on numbers alone, and is compiled as it stands.

Numbers. A *deficit* is slope * (result - threshold): positive where a result misses its threshold, in a unit in which
the declared noise scales of all metrics are the same. Functions of the second group get

    pulls        how many results there are
    deficit      their sum, as a deficit
    more         further sums, of shape (extra,), kept by `fold`
    weight       how many observations one result sums up: 1 unless an evaluation returned a list or a count
    numbers      constants of the metric, of shape (6,): the tolerance and the noise scale as deficits, then four
                 numbers that the model chooses (`constants`)
    ratio        the arm's noise scale over the metric's largest: 1 unless every arm has its own
    level        ln(1/a), what ln of the evidence must reach

`within` is ln of the evidence that the mean is within tolerance, `below` that it misses its threshold. Both must be
increasing in how clear the matter is, and evidence in the sense of Ville (1939): P(it ever reaches 1/a) <= a if the
contrary is true, whatever the sampling rule.
"""

from collections.abc import Callable, Sequence
from math import inf, sqrt
from typing import Any, NamedTuple, Protocol, TypeGuard, runtime_checkable

import numpy as np

from satisfice.arrays import Floats
from satisfice.catalogue import offers
from satisfice.errors import InvalidProblem
from satisfice.given import is_number, shown


@runtime_checkable
class NoiseModel(Protocol):
    """A declaration about a metric's noise.

    A model with nothing but a scale has the evidence of `SubGaussian(scale)`; one with a `process` has its own.
    """

    @property
    def scale(self) -> float | None:
        """The sub-Gaussian scale that the declaration implies, None when it implies none."""


@runtime_checkable
class OwnProcess(NoiseModel, Protocol):
    """A noise model with evidence of its own."""

    @property
    def process(self) -> "Process": ...


class RangeModel(NoiseModel, Protocol):
    """A noise model whose numbers are the range of the results, and need not be given where that is known anyhow."""

    @classmethod
    def of_range(cls, low: float, high: float, /) -> "RangeModel": ...


def is_range_model(kind: type[NoiseModel]) -> TypeGuard[type[RangeModel]]:
    """Whether the models of this class are made of the range of the results."""
    return offers(kind, ("of_range",))


def is_noise_model(value: object) -> bool:
    """Whether it is a declaration, and not the class of one."""
    return not isinstance(value, type) and isinstance(value, NoiseModel)


def has_own_process(model: NoiseModel) -> bool:
    """Whether the model has evidence of its own, not that of a scale alone."""
    return isinstance(model, OwnProcess)


def goes_by_scale(model: NoiseModel) -> bool:
    """Whether its evidence is that of its scale alone, so that SubGaussian(scale) says as much."""
    from satisfice.noise.normal import KNOWN_SCALE  # noqa: PLC0415 - models know what a process is, not the reverse

    return process_of(model) is KNOWN_SCALE


def is_same(one: NoiseModel, other: NoiseModel) -> bool:
    """Whether two declarations are the same; tuples of the same numbers are equal whatever they are called."""
    return type(one) is type(other) and one == other


def process_of(model: NoiseModel) -> "Process":
    """All that follows from the declaration."""
    from satisfice.noise.normal import KNOWN_SCALE  # noqa: PLC0415 - models know what a process is, not the reverse

    found: Process = getattr(model, "process", KNOWN_SCALE)  # isinstance of a protocol takes a hundred times as long
    return found


def any_number(model: NoiseModel) -> str:
    return "a finite number"


def finite(model: NoiseModel, value: object) -> bool:
    return is_number(value)


def unbounded(model: NoiseModel) -> tuple[float, float]:
    return -inf, inf


def no_constants(model: NoiseModel, threshold: float, slope: float) -> tuple[float, ...]:
    return ()


def positive_scale(model: NoiseModel) -> NoiseModel:
    """The model itself, if its scale is a positive number or none."""
    scale = model.scale
    if scale is not None and (not is_number(scale) or not float(scale) > 0):
        raise InvalidProblem(
            f"the noise scale must be a positive finite number, got {shown(scale)}. Give the standard deviation of a "
            "single evaluation."
        )
    return model


def declared_scale(model: NoiseModel, threshold: float) -> float:
    return 1.0 if model.scale is None else float(model.scale)


def same_for_all_arms(model: NoiseModel) -> tuple[float, ...]:
    return ()


def itself(model: NoiseModel, arm: int) -> NoiseModel:
    return model


def the_model(model: NoiseModel) -> NoiseModel:
    return model


def no_items(model: NoiseModel) -> int:
    return 0


def no_condition(model: NoiseModel) -> str | None:
    return None


def no_contradiction(model: NoiseModel, sums: "Sums", doubt: float) -> str | None:
    return None


def any_number_will_do(model: NoiseModel, sums: "Sums", claim: "Claim") -> int:
    return 0


def nothing_but_results(model: NoiseModel, sums: "Sums", claim: "Claim") -> str | None:
    return None


def of_any_shape(model: NoiseModel) -> bool:
    return False


def no_shapes(model: NoiseModel, level: float, margin: float) -> dict[str, float]:
    return {}


def squares_in_own_unit(more: Floats, slope: float, threshold: float) -> Floats:
    """The further sums in the metric's own unit; those of a model's own `fold` as they are."""
    found = more.copy()
    found[0] /= slope * slope
    return found


def the_level(pulls: int, level: float, numbers: Floats) -> float:
    return level


def nothing(pulls: int, level: float, numbers: Floats) -> float:
    return -inf


def never_calm(
    pulls: int,
    last: int,
    need_within: float,
    need_below: float,
    least_total: float,
    numbers: Floats,
    ratio: float,
) -> tuple[float, float]:
    return inf, -inf


def no_bound(pulls: int, deficit: float, more: Floats, numbers: Floats, ratio: float) -> float:
    return inf


def keep_squares(more: Floats, value: float, weight: float, numbers: Floats) -> None:
    """Nothing beyond the sum of squares, which is always the first of the further sums."""


def sample_margin(
    pulls: int, deficit: float, more: Floats, numbers: Floats, ratio: float, variance: float, weight: float
) -> tuple[float, float]:
    """Mean over sample standard deviation: good enough to choose by; needs the sum of squares."""
    mean = deficit / pulls
    sd = sqrt(max(more[0] / pulls - mean * mean, 1e-12 * mean * mean))
    return (-mean / sd if sd > 0.0 else 0.0), sd


def shifted(model: NoiseModel, edge: float, effect: float, spread: float) -> float:
    """The mean that many standard deviations of one result above the edge."""
    return edge + effect * spread


TOLERANCE, SCALE, OWN = 0, 1, 2
"""The places of a metric's numbers; its model's own begin at OWN."""

NUMBERS = 6


class Interval(NamedTuple):
    """From `low` to `high`, infinite where nothing is known yet."""

    low: float
    high: float


class Sums(NamedTuple):
    """What is known of one metric of one arm, in the metric's own unit: sums of (result - origin)."""

    pulls: int
    total: float
    more: Floats
    origin: float


class Claim(NamedTuple):
    """What is about to be said of a metric's mean: `side` is 1 if it is at most something, -1 if it is at least that.

    That is `limit`, with the tolerance where it has one. ln of the evidence for it must reach `level`; only what has a
    probability below e^-doubt is worth a remark.
    """

    metric: str
    side: float
    limit: float
    level: float
    doubt: float


class Distribution(NamedTuple):
    """Mean, standard deviation, and the distribution as weighted points, of shape (N,), where its shape matters."""

    mean: float
    sd: float
    points: tuple[float, ...] = ()
    weights: tuple[float, ...] = ()


class Bet(NamedTuple):
    """What a result x adds to ln of the evidence of an oracle that knows the distribution.

    constant + linear * y + square * y^2 with y = x - edge, or where `multiplies` is 1 ln(1 + linear * y).
    """

    edge: float
    multiplies: float = 0.0
    constant: float = 0.0
    linear: float = 0.0
    square: float = 0.0


Numbers = Floats
"""The constants of one metric, of shape (6,)."""

Evidence = Callable[[int, float, Floats, Numbers, float], float]
"""(pulls, deficit, more, numbers, ratio) -> ln of the evidence, or a bound of it."""

Enough = Callable[[int, float, Floats, Numbers, float, float], bool]
"""(pulls, deficit, more, numbers, ratio, need) -> whether that evidence reaches its level."""

Needed = Callable[[int, float, Numbers], float]
"""(pulls, level, numbers) -> what `Enough` compares with: a table has it by the number of pulls; else the level."""

Margin = Callable[[int, float, Floats, Numbers, float, float, float], tuple[float, float]]
"""(pulls, deficit, more, numbers, ratio, pooled variance, its weight) -> (margin, sd of one result)."""

Draw = Callable[[np.random.Generator, float, float], float]
"""(rng, first, second) -> Z, where a simulated result is low + spread * Z."""


Fold = Callable[[Floats, float, float, Numbers], None]
"""(more, value, weight, numbers): add a result to the further sums."""

Calm = Callable[[int, int, float, float, float, Numbers, float], tuple[float, float]]
"""(pulls, last, need within, need below, least total, numbers, ratio) -> two sums, between which nothing happens.

As long as the sum is between these two, and there are from `pulls` to `last` results, `enough_within` and
`enough_below` are false with these needs or any of more results, and pulls times the margin with its tolerance is at
least `least total`.
"""


class KnownCalm(NamedTuple):
    """Such a range, of these functions and of no others: a process with its own does not inherit it."""

    enough_within: Enough
    enough_below: Enough
    margin_and_sd: Margin
    between: Calm


class Shape(NamedTuple):
    """How one metric of one arm is simulated: result = low + spread * Z, Z drawn with these two parameters."""

    low: float
    spread: float
    first: float = 0.0
    second: float = 0.0


class Process(NamedTuple):
    """All that depends on the noise model; only `within`, `below`, `assumption` and the simulation are a must.

    `assumption` says what the guarantee rests on; `condition` the same in a clause to be put after the metric's name,
    as in "is normal", or None where results that fit leave nothing to assume.

    `extra` counts the further sums that are kept of a metric: the sum of squared deficits is the first of them, those
    of the model's own `fold` follow. `averaged`: evidence is a supermartingale given the whole past of all metrics, so
    that averages over metrics are evidence too. `transferable`: capital may be moved by it (`stopping.transfer`).
    `pooled`: arms lend each other what they know of their spread, when the next arm is chosen. `open_spread`: the
    declaration leaves open how much results vary, so that planning needs a guess; `mean_fixes_spread`: the mean says
    how much they vary, as for coins. `needs_by_level`: what is needed depends on pulls and level alone, the same for
    every metric. `gaussian`: simulated results are normal, and metrics may be correlated. `weighted`: every observation
    that a result sums up counts by itself. `items`: how many items there are, where results are of a set of them, each
    evaluated once unless they are `redrawn`, and `one_item` the noise of one of them alone. `by_budget`, for results
    that pass or fail: the model for a given number of them at most and an error rate, with evidence that is best at
    their end. `interval_of_values`: the interval where sums do not tell it, from the results in their order. `waiting`
    says in words what a decision waits for other than more results, and what to declare instead; `taken_for_granted` a
    further condition that the evidence for a claim rests on with these results, in a clause like `condition`;
    `by_shape` about how many results it takes until ln of the evidence reaches a level, with a margin in sds, by the
    shape of the results, where the shape has a say in that; `fewest` how many there must be before anything is decided,
    if it is their number that is waited for, else 0. `near_normal`: results are taken for about normal, so that
    skewness, one large result or exact repeats speak against them. `increasing`: a result that passes by more never
    makes `within` smaller at any later time, nor `below` larger, so that one that is not there yet can be given the
    worst, or the best, value of its `bounds` (`early_decision`). `checks_shape`: decisions wait until results have
    shown their shape, which says nothing where any shape will do. `certain`: one result is all there is to know, so
    that it decides at no share of the error rate. `calm` says how far sums may go in a simulation before anything can
    come of them, and `needed_at_least` a sum that `most_within` takes for less than a level.
    """

    name: str
    # numbers: compiled as they stand
    within: Evidence
    below: Evidence
    margin_and_sd: Margin = sample_margin
    fold: Fold = keep_squares
    needed_within: Needed = the_level
    needed_below: Needed = the_level
    enough_within: Enough | None = None
    enough_below: Enough | None = None
    most_within: Evidence = no_bound
    most_below: Evidence = no_bound
    needed_at_least: Needed = nothing
    calm: KnownCalm | None = None
    draw: Draw | None = None
    # the declaration, at the edge: Any is the class of the model, which each process knows
    checked: Callable[[Any], Any] = positive_scale
    by_arm: Callable[[Any], tuple[float, ...]] = same_for_all_arms
    of_arm: Callable[[Any, int], Any] = itself
    scale_at: Callable[[Any, float], float] = declared_scale
    expected: Callable[[Any], str] = any_number
    fits: Callable[[Any, object], bool] = finite
    bounds: Callable[[Any], tuple[float, float]] = unbounded
    constants: Callable[[Any, float, float], tuple[float, ...]] = no_constants
    assumption: Callable[[Any], str] | None = None
    condition: Callable[[Any], str | None] = no_condition
    interval: Callable[[Any, Sums, float], Interval] | None = None
    interval_of_values: Callable[[Any, Sequence[float], float], Interval] | None = None
    items: Callable[[Any], int] = no_items
    one_item: Callable[[Any], Any] = the_model
    by_budget: Callable[[Any, int, float], Any] | None = None
    contradiction: Callable[[Any, Sums, float], str | None] = no_contradiction
    waiting: Callable[[Any, Sums, Claim], str | None] = nothing_but_results
    taken_for_granted: Callable[[Any, Sums, Claim], str | None] = nothing_but_results
    fewest: Callable[[Any, Sums, Claim], int] = any_number_will_do
    by_shape: Callable[[Any, float, float], dict[str, float]] = no_shapes
    near_normal: Callable[[Any], bool] = of_any_shape
    own_unit: Callable[[Floats, float, float], Floats] = squares_in_own_unit
    information: Callable[[Any, float, float, Distribution | None], float] | None = None
    best_bet: Callable[[Any, float, float, Distribution | None], Bet] | None = None
    distribution: Callable[[Any, float, float], Distribution] | None = None
    simulated: Callable[[Any, float, float | None, float], Shape] | None = None
    of_shape: Callable[[Shape], Distribution] | None = None
    mean_beyond: Callable[[Any, float, float, float], float] = shifted
    extra: int = 1
    averaged: bool = True
    transferable: bool = False
    pooled: bool = False
    open_spread: bool = True
    mean_fixes_spread: bool = False
    needs_by_level: bool = False
    gaussian: bool = False
    weighted: bool = False
    increasing: bool = False
    checks_shape: bool = False
    redrawn: bool = False
    certain: bool = False

    @property
    def between(self) -> Calm:
        """The range of calm that is known, if it is that of these very functions; else an empty one."""
        own = self.enough_within, self.enough_below, self.margin_and_sd
        return self.calm.between if self.calm is not None and self.calm[:-1] == own else never_calm
