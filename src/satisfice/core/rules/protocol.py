"""What a sampling rule is."""

from typing import Any, Protocol

from satisfice.core.problem import Setting


class OwnPaceRule(Protocol):
    """A rule under which an arm's priority changes only when that arm is pulled."""

    def bonus(self, pulls: int, setting: Setting, /) -> float: ...

    def priority(self, shortfall: float, excess: float, bonus: float, /) -> float: ...


class ClockRule(Protocol):
    """A rule under which every arm's priority rises with the total number of pulls, and never falls with it."""

    def bonus(self, pulls: int, setting: Setting, /) -> float: ...

    def priority_at(self, shortfall: float, excess: float, bonus: float, total_pulls: int, /) -> float: ...


SamplingRule = OwnPaceRule | ClockRule


def follows_the_clock(rule: Any) -> bool:
    """Whether the rule's priorities move with the total number of pulls."""
    return hasattr(rule, "priority_at")


def priority_of(rule: Any, shortfall: float, excess: float, bonus: float, total_pulls: int) -> float:
    """The arm's priority under either kind of rule."""
    if follows_the_clock(rule):
        return float(rule.priority_at(shortfall, excess, bonus, total_pulls))
    return float(rule.priority(shortfall, excess, bonus))
