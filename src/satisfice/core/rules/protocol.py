"""What a sampling rule is: one of three kinds, told apart by the method they have."""

from math import inf
from typing import Any, Protocol

import numpy as np

from satisfice.core.problem import Setting
from satisfice.core.statistics import Floats

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
    posterior standard deviation is `blur`, one over the root of the arm's pulls. If no score reaches zero the look is
    repeated, at most `redraws` times. The leading arm is pulled `stay(pulls)` times before the next look.

    A rule may also have `drawn_scores(rng, strengths, blurs, looks)`, the scores of all those arms at so many looks,
    (looks, K): the same numbers as of `drawn_score` look by look and arm by arm, only sooner.
    """

    def drawn_score(self, rng: np.random.Generator, strengths: Floats, arm: int, blur: float, /) -> float: ...

    def redraws(self) -> int: ...

    def stay(self, pulls: int, /) -> int: ...


SamplingRule = OwnPaceRule | ClockRule | DrawnRule


def follows_the_clock(rule: Any) -> bool:
    """Whether the rule's priorities move with the total number of pulls."""
    return hasattr(rule, "priority_at")


def draws_scores(rule: Any) -> bool:
    """Whether the rule draws its scores."""
    return hasattr(rule, "drawn_score")


def bonus_of(rule: Any, pulls: int, setting: Setting) -> float:
    """What the rule gives an arm for its number of pulls; nothing, if it draws its scores."""
    return 0.0 if draws_scores(rule) else float(rule.bonus(pulls, setting))


def stay_of(rule: Any, pulls: int) -> int:
    """How often a rule that draws its scores pulls its choice before the next look."""
    return int(rule.stay(pulls)) if draws_scores(rule) else 1


def priority_of(rule: Any, shortfall: float, excess: float, bonus: float, total_pulls: int) -> float:
    """The arm's priority; infinite under a rule that draws, which decides beforehand how long to stay with an arm."""
    if draws_scores(rule):
        return inf
    if follows_the_clock(rule):
        return float(rule.priority_at(shortfall, excess, bonus, total_pulls))
    return float(rule.priority(shortfall, excess, bonus))
