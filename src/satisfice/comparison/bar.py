"""A bar: a measured number that must be reached or not exceeded."""

from typing import NamedTuple


class Bar(NamedTuple):
    """One measured ratio or time beside what is asked of it."""

    what: str
    measured: float
    bar: float
    at_least: bool
    unit: str
    details: str

    @property
    def met(self) -> bool:
        return self.measured >= self.bar if self.at_least else self.measured <= self.bar

    @property
    def wanted(self) -> str:
        return f"{'at least' if self.at_least else 'at most'} {self.bar:,g}{self.unit}"

    @property
    def shown(self) -> str:
        return f"{self.measured:,.3g}{self.unit}" if self.measured < 1000 else f"{self.measured:,.0f}{self.unit}"
