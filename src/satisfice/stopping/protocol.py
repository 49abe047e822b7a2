"""What a stopping rule is: a boundary as users write it, and a judge as the loop wants it."""

from typing import Any, Protocol, Self

from satisfice.arrays import Floats, Integers
from satisfice.problem.problem import Setting


class Boundary(Protocol):
    """A confidence width around every shortfall estimate that depends on the arm's number of pulls alone.

    An arm is accepted once excess + width <= 0, and rejected once shortfall - width > 0.
    """

    def width(self, pulls: int, setting: Setting, /) -> float: ...


class Judge(Protocol):
    """A stopping rule made ready for one problem and a number of arms, with tables by an arm's number of pulls.

    It looks at an arm after each of its pulls: at `deficits` (K, M), sums of deficits; at `squares` (K, M), sums of
    their squares; and it may remember in `latched` (K, M) which metrics have been certain at some time.
    """

    def room(self) -> int:
        """How many pulls of one arm the tables are good for, plus one."""

    def extended(self, length: int, /) -> Self:
        """The same with longer tables."""

    def accepts(
        self, deficits: Floats, squares: Floats, latched: Floats, arm: int, pulls: int, shortfall: float, /
    ) -> bool: ...

    def rejects(self, deficits: Floats, squares: Floats, arm: int, pulls: int, shortfall: float, /) -> bool: ...


def memory_columns(judge: Any, metrics: int) -> int:
    """How many numbers a judge remembers of an arm: which metrics have been certain, and its accounts if it has any."""
    return 2 * metrics + 2 if hasattr(judge, "settle") else metrics


def forget_all(judge: Any, latched: Floats) -> None:
    """The judge's memory as it is before the first pull."""
    if hasattr(judge, "forget"):
        judge.forget(latched)
    else:
        latched[:] = 0.0


def settle_accounts(judge: Any, deficits: Floats, latched: Floats, pulls: Integers, arm: int) -> None:
    """Let a judge that keeps accounts move capital to the arm just pulled."""
    if hasattr(judge, "settle"):
        judge.settle(deficits, latched, pulls, arm)
