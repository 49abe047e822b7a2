"""What a sampling rule is: one of four kinds, told apart by the method they have."""

from math import inf
from typing import Any, Protocol

import numpy as np

from satisfice.arrays import Floats
from satisfice.problem.problem import Setting

LOOKS = 64
"""How many arms a rule that draws draws anew at a look: all of them, if there are no more, else so many in turn."""


class OwnPaceRule(Protocol):
    """A rule under which an arm's priority changes only when that arm is pulled."""

    def bonus(self, pulls: int, setting: Setting, /) -> float: ...

    def priority(self, shortfall: float, excess: float, bonus: float, /) -> float: ...


class ClockRule(Protocol):
    """A rule under which every arm's priority rises with the total number of pulls, and never falls with it."""

    def bonus(self, pulls: int, setting: Setting, /) -> float: ...

    def priority_at(self, shortfall: float, excess: float, bonus: float, total_pulls: int, /) -> float: ...


class DrawnRule(Protocol):
    """A rule that draws the arms' scores anew from what is believed of them at every look.

    `strengths` of shape (K, M) are estimated margins beyond the thresholds in units of one evaluation's noise, whose
    posterior standard deviation is `blur`, one over the root of the arm's pulls; `slacks` (K, M) are the tolerances in
    the same units, and `level` is how large ln E must become to accept, ln(K/error rate) or so. If no score reaches
    zero the look is repeated, at most `redraws` times. The leading arm is pulled `stay(pulls)` times before the next.
    """

    def drawn_score(
        self, rng: np.random.Generator, strengths: Floats, slacks: Floats, arm: int, blur: float, level: float, /
    ) -> float: ...

    def redraws(self) -> int: ...

    def stay(self, pulls: int, /) -> int: ...


class BeliefRule(Protocol):
    """A rule whose score of an arm depends on what is believed of that arm alone; the largest is next.

    Arguments are those of `DrawnRule`. The leading arm is pulled `stay(pulls)` times before the next look.
    """

    def promise(self, strengths: Floats, slacks: Floats, arm: int, pulls: int, level: float, /) -> float: ...

    def stay(self, pulls: int, /) -> int: ...


SamplingRule = OwnPaceRule | ClockRule | DrawnRule | BeliefRule


def follows_the_clock(rule: Any) -> bool:
    """Whether the rule's priorities move with the total number of pulls."""
    return hasattr(rule, "priority_at")


def draws_scores(rule: Any) -> bool:
    """Whether the rule draws its scores."""
    return hasattr(rule, "drawn_score")


def goes_by_beliefs(rule: Any) -> bool:
    """Whether the rule looks at what is believed of the arms: it needs to know no noise scales."""
    return hasattr(rule, "drawn_score") or hasattr(rule, "promise")


def bonus_of(rule: Any, pulls: int, setting: Setting) -> float:
    """What the rule gives an arm for its number of pulls; nothing, if it goes by beliefs."""
    return 0.0 if goes_by_beliefs(rule) else float(rule.bonus(pulls, setting))


def stay_of(rule: Any, pulls: int) -> int:
    """How often a rule that goes by beliefs pulls its choice before the next look."""
    return int(rule.stay(pulls)) if goes_by_beliefs(rule) else 1


def promise_of(rule: Any, strengths: Floats, slacks: Floats, arm: int, pulls: int, level: float) -> float:
    """What the rule sees in the arm; nothing, if it does not go by promises."""
    return 0.0 if not hasattr(rule, "promise") else float(rule.promise(strengths, slacks, arm, pulls, level))


def priority_of(rule: Any, shortfall: float, excess: float, bonus: float, total_pulls: int) -> float:
    """The arm's priority; infinite under a rule that goes by beliefs: that decides beforehand how long to stay."""
    if goes_by_beliefs(rule):
        return inf
    if follows_the_clock(rule):
        return float(rule.priority_at(shortfall, excess, bonus, total_pulls))
    return float(rule.priority(shortfall, excess, bonus))
