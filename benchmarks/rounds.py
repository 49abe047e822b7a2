"""Measurements in rounds: all that belong together take turns, so that they see the same machine, and medians count."""

from collections.abc import Callable, Sequence
from statistics import median
from typing import NamedTuple


class Effort(NamedTuple):
    """How much is measured: rounds, and the share of the usual work in each of them."""

    rounds: int = 7
    share: float = 1.0

    def of(self, amount: int, least: int = 1) -> int:
        """The share of an amount of work, at least so much."""
        return max(least, round(self.share * amount))


FULL = Effort()
QUICK = Effort(rounds=1, share=0.01)
"""Enough to see that everything runs; its numbers mean nothing."""


class Rounds(NamedTuple):
    """One number for each round."""

    values: tuple[float, ...]

    @property
    def median(self) -> float:
        return median(self.values)

    @property
    def spread(self) -> tuple[float, float]:
        """The least and the most."""
        return min(self.values), max(self.values)

    def over(self, other: "Rounds", factor: float = 1.0) -> "Rounds":
        """The ratio of each round, times a factor."""
        return Rounds(tuple(factor * one / two for one, two in zip(self.values, other.values, strict=True)))

    def less(self, other: "Rounds") -> "Rounds":
        """The difference of each round."""
        return Rounds(tuple(one - two for one, two in zip(self.values, other.values, strict=True)))


def in_turns(rounds: int, measures: Sequence[Callable[[], float]]) -> list[Rounds]:
    """The rounds of each measurement; in every round each has its turn."""
    table = [[measure() for measure in measures] for _ in range(rounds)]
    return [Rounds(column) for column in zip(*table, strict=True)]
