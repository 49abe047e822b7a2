"""What a boundary is."""

from typing import Protocol

from satisfice.core.problem import Setting


class Boundary(Protocol):
    """A confidence width around every shortfall estimate that depends on the arm's number of pulls alone.

    An arm is accepted once excess + width <= 0, and rejected once shortfall - width > 0.
    """

    def width(self, pulls: int, setting: Setting, /) -> float: ...
