"""A bar: a measured number that must be reached or not exceeded."""

from typing import NamedTuple

from benchmarks.rounds import Rounds


class Bar(NamedTuple):
    """One measured ratio or time beside what is asked of it; `spread` is from the least to the most of the rounds."""

    what: str
    measured: float
    bar: float
    at_least: bool
    unit: str
    details: str
    spread: tuple[float, float] | None = None

    @property
    def met(self) -> bool:
        return self.measured >= self.bar if self.at_least else self.measured <= self.bar

    @property
    def wanted(self) -> str:
        return f"{'at least' if self.at_least else 'at most'} {self.bar:,g}{self.unit}"

    @property
    def shown(self) -> str:
        return f"{_digits(self.measured)}{self.unit}"

    @property
    def spread_shown(self) -> str:
        return "" if self.spread is None else " to ".join(map(_digits, self.spread))


def at_least(what: str, rounds: Rounds, bar: float, *, unit: str = "", details: str = "") -> Bar:
    """A bar that the median of the rounds must reach."""
    return Bar(what, rounds.median, bar, True, unit, details, rounds.spread)


def at_most(what: str, rounds: Rounds, bar: float, *, unit: str = "", details: str = "") -> Bar:
    """A bar that the median of the rounds must not exceed."""
    return Bar(what, rounds.median, bar, False, unit, details, rounds.spread)


def _digits(number: float) -> str:
    return f"{number:,.3g}" if number < 1000 else f"{number:,.0f}"
