"""The numbers as printed in the paper, one file for each table."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from satisfice.errors import InvalidInstance, unknown_name
from satisfice.paper.experiments import SWEEPS, Sweep


class Statistic(StrEnum):
    """What a table shows."""

    STOPPING_TIME = "stopping_time"
    SD = "sd"
    ERROR_RATE_PERCENT = "error_rate_percent"

    @property
    def heading(self) -> str:
        return {
            "stopping_time": "Mean stopping time",
            "sd": "Standard deviation of the stopping time",
            "error_rate_percent": "Error rate in percent",
        }[self.value]


class Doubt(StrEnum):
    """Why a printed number cannot be right."""

    OUT_OF_LINE = "misprinted_mean"
    IMPOSSIBLE = "misprinted_sd"
    CONTRADICTED = "misprinted_failures"


MISPRINTS = {
    ("synthetic_epsilon_stopping_time", 0.002, "MultiHDoC"): Doubt.OUT_OF_LINE,
    ("medical_epsilon_sd", 0.004, "MultiHDoC"): Doubt.IMPOSSIBLE,
    ("medical_epsilon_stopping_time", 0.004, "MultiAPT"): Doubt.CONTRADICTED,
}
"""Printed numbers that cannot be right, kept as printed and flagged.

9351.76 heads a column that goes on with 46246.50 and falls from there. 24170.82 is more than any times between 0 and B
with the printed mean m can have: their sd is at most sqrt(m (B - m)) (Bhatia and Davis 2000), about 20,000 there.
173761.65 contradicts the error rate and the sd printed for the same runs, which ours agree with.
"""


@dataclass(frozen=True)
class PrintedTable:
    """A table of the paper: a number for each value of the sweep and each rule, None where the paper has a dash."""

    name: str
    sweep: Sweep
    statistic: Statistic
    values: tuple[float, ...]
    rules: tuple[str, ...]
    numbers: tuple[tuple[float | None, ...], ...]

    def number(self, value: float, rule: str) -> float | None:
        return self.numbers[self.values.index(value)][self.rules.index(rule)]

    def doubt(self, value: float, rule: str) -> Doubt | None:
        return MISPRINTS.get((self.name, value, rule))


def table_name(sweep: Sweep, statistic: Statistic) -> str:
    return f"{sweep.name}_{statistic}"


def has_table(sweep: Sweep, statistic: Statistic) -> bool:
    """No synthetic run ended in error, and the paper prints no error rates there."""
    return statistic is not Statistic.ERROR_RATE_PERCENT or sweep.name.startswith("medical")


_KEYS = {
    table_name(sweep, statistic): (sweep, statistic)
    for sweep in SWEEPS
    for statistic in Statistic
    if has_table(sweep, statistic)
}

TABLES: tuple[str, ...] = tuple(_KEYS)
"""The names of the ten tables."""


@cache
def printed_table(name: str) -> PrintedTable:
    """The table of that name."""
    if name not in _KEYS:
        raise unknown_name("table of the paper", name, [*TABLES, "all"])
    sweep, statistic = _KEYS[name]
    text = (files("satisfice.paper") / "tables" / f"{name}.csv").read_text(encoding="utf-8")
    head, *rows = csv.reader(text.splitlines())
    return PrintedTable(
        name=name,
        sweep=sweep,
        statistic=statistic,
        values=tuple(float(row[0]) for row in rows),
        rules=tuple(head[1:]),
        numbers=tuple(tuple(float(cell) if cell else None for cell in row[1:]) for row in rows),
    )


def chosen_tables(names: Sequence[str] | None) -> tuple[PrintedTable, ...]:
    """The tables of these names in the paper's order; None, or 'all' among them, means all ten."""
    wanted = set(TABLES) if names is None else {names} if isinstance(names, str) else set(names)
    if not wanted:
        raise InvalidInstance(f"Expected at least one table, got none. Known: {', '.join(TABLES)}, or all.")
    for name in sorted(wanted - {"all"}):
        printed_table(name)  # raises for a name that does not exist
    return tuple(printed_table(name) for name in TABLES if name in wanted or "all" in wanted)


def printed_number(sweep: Sweep, statistic: Statistic, value: float, rule: str) -> float | None:
    """One printed number, by what it is about."""
    return printed_table(table_name(sweep, statistic)).number(value, rule)


def sound_number(sweep: Sweep, statistic: Statistic, value: float, rule: str) -> float | None:
    """The same; None for a misprint too."""
    table = printed_table(table_name(sweep, statistic))
    return None if table.doubt(value, rule) else table.number(value, rule)
