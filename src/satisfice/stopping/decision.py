"""What an arm's statistics and a confidence width say about it, and what a whole run says in the end."""

from enum import IntEnum, StrEnum

KEEP, ACCEPT, REJECT = 0, 1, 2
"""What may be decided about an arm."""


class Outcome(StrEnum):
    """The three answers."""

    FOUND = "FOUND"
    NONE = "NONE"
    UNDECIDED = "UNDECIDED"


class OutcomeCode(IntEnum):
    """The answers as numbers, for arrays."""

    UNDECIDED = 0
    FOUND = 1
    NONE = 2

    @property
    def outcome(self) -> Outcome:
        return Outcome(self.name)


def passes(excess: float, width: float) -> bool:
    """Whether an arm is accepted: excess + width <= 0 (paper, Algorithm 2, condition 1)."""
    return excess <= -width


def fails(shortfall: float, width: float) -> bool:
    """Whether an arm is rejected: shortfall - width > 0 (paper, Algorithm 2). Accepting comes first."""
    return shortfall > width
