"""What a sampling rule is. One table tells the kinds apart, by the methods that a rule has.

Priorities are compared, the largest is next, ties go to the first arm. `bonus(pulls, setting)` is what depends on an
arm's own number of pulls alone, computed once for each number.
"""

from functools import cache
from typing import NamedTuple, Protocol

import numpy as np

from satisfice.arrays import Floats
from satisfice.catalogue import offers
from satisfice.problem.units import Setting

RESCORED_PER_CHOICE = 64
"""How many arms get a new score for one choice of a rule that draws scores: all if there are no more, else in turn."""


class IndexRule(Protocol):
    """A rule under which an arm's priority changes only when that arm is pulled.

    `shortfall` is max_m (threshold - mean) and `excess` is max_m (threshold - tolerance - mean), both standardised.
    """

    def bonus(self, pulls: int, setting: Setting, /) -> float: ...

    def priority(self, shortfall: float, excess: float, bonus: float, /) -> float: ...


class MarginRule(Protocol):
    """The same for a rule that looks at every metric's margin, and needs to know no noise scales.

    `margins` of shape (K, M) are how far the means are beyond their thresholds in standard deviations of one result,
    and `tolerances` (K, M) are the tolerances in the same unit.
    """

    def bonus(self, pulls: int, setting: Setting, /) -> float: ...

    def margin_priority(self, margins: Floats, tolerances: Floats, arm: int, pulls: int, bonus: float, /) -> float: ...


class PricedRule(Protocol):
    """What a margin rule may have besides: its priority where evaluations of the arm have a cost.

    One whose priority is minus a number of evaluations says that times their cost, and minimises what is spent.
    Without it costs do not matter to the rule. With a cost of 1 the priority must be what it is without.
    """

    def in_money(self, priority: float, cost: float, /) -> float: ...


class SteadyRule(Protocol):
    """What a margin rule may have besides: how far its leader may fall and stay ahead, for a simulation to go by.

    The score of a metric is `weight(pulls)` times its margin with its tolerance. If none falls by more than `leeway`
    below what it is now, up to result number `last`, whose bonus is given, the priority stays above `reach`.
    """

    def weight(self, pulls: int, /) -> float: ...

    def leeway(
        self,
        margins: Floats,
        tolerances: Floats,
        arm: int,
        pulls: int,
        last: int,
        bonus: float,
        reach: float,
        /,
    ) -> float: ...


class OpeningRule(Protocol):
    """What a margin rule may have besides: when to evaluate arms for the first time. Without it each arm is at first.

    `opens` says whether ask `number` goes to an arm of which nothing is known; `priority` is the leader's, at a cost of
    1, `weakest` its weakest margin within tolerance, in its unit of noise, and `dearer` is how many times as much an
    evaluation of the new arm costs. `pursues` says whether that ask goes to one of the arms opened last instead, of
    which nothing is under way: `newest` is its weakest margin, and `dearer` how many times as much it costs as the
    leader. One of `looks_every` asks goes to an arm whose turn it is, in the order of arms, if it has fewer results
    than `looks_owed`; `score` is by how many standard errors its weakest metric is within tolerance.
    """

    def opens(self, priority: float, weakest: float, number: int, dearer: float, /) -> bool: ...

    def pursues(self, newest: float, weakest: float, dearer: float, /) -> bool: ...

    def looks_every(self) -> int: ...

    def looks_owed(self, number: int, arms: int, score: float, /) -> float: ...


class ClockRule(Protocol):
    """A rule under which every arm's priority rises with the total number of pulls, and never falls with it."""

    def bonus(self, pulls: int, setting: Setting, /) -> float: ...

    def priority_at(self, shortfall: float, excess: float, bonus: float, total_pulls: int, /) -> float: ...


class DrawnRule(Protocol):
    """A rule that draws the arms' scores anew at every choice, from margins as a `MarginRule` has them.

    `sd` is the posterior standard deviation of a margin, one over the root of the arm's pulls. If no score reaches zero
    all are drawn again, at most `redraws` times.
    """

    def drawn_score(
        self, rng: np.random.Generator, margins: Floats, tolerances: Floats, arm: int, sd: float, /
    ) -> float: ...

    def redraws(self) -> int: ...


SamplingRule = IndexRule | MarginRule | ClockRule | DrawnRule


class Kind(NamedTuple):
    """A kind of rule: the methods it has, whether it looks at margins, and what makes its scores change."""

    name: str
    methods: tuple[str, ...]
    by_margins: bool = False
    by_clock: bool = False
    by_draws: bool = False


INDEX = Kind("index", ("bonus", "priority"))
MARGIN = Kind("margin", ("bonus", "margin_priority"), by_margins=True)
CLOCK = Kind("clock", ("bonus", "priority_at"), by_clock=True)
DRAWN = Kind("drawn", ("drawn_score", "redraws"), by_margins=True, by_draws=True)
KINDS = (INDEX, MARGIN, CLOCK, DRAWN)

IN_MONEY = ("in_money",)
"""What a margin rule has that goes by costs."""

STEADY = ("weight", "leeway")
"""What a margin rule has whose leader may be pulled without a look at its priority."""

OPENING = ("opens", "pursues", "looks_every", "looks_owed")
"""What a margin rule has that says itself when to open an arm."""


def kind_of(rule: type) -> Kind:
    """The kind of a class of rules."""
    return _kinds_of(rule)[0]


@cache
def _kinds_of(rule: type) -> list[Kind]:
    return [kind for kind in KINDS if offers(rule, kind.methods)]
