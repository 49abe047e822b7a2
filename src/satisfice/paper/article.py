"""The article as data: its instances, sweeps and budget, and the numbers as printed, one file for each table.

The text prints one synthetic instance and the tables come from another: both are here, under names that say which.
"""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files

from satisfice.errors import InvalidInstance, unknown_name
from satisfice.noise import Normal
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem
from satisfice.simulation.arms import gaussian_arms
from satisfice.simulation.instance import Instance

BUDGET = 200_000
"""The time limit: pulls in all, the first pull of each arm included."""

BASE_ERROR_RATE = 0.005
"""delta, where epsilon is swept."""

BASE_TOLERANCE = 0.005
"""epsilon, where delta is swept."""


class Parameter(StrEnum):
    """What a sweep varies, by the paper's names: delta is the error rate, epsilon the tolerance."""

    DELTA = "delta"
    EPSILON = "epsilon"

    @property
    def symbol(self) -> str:
        return {"delta": "δ", "epsilon": "ε"}[self.value]


DELTAS = tuple(round(0.005 * step, 3) for step in range(1, 11))
EPSILONS = tuple(round(0.002 * step, 3) for step in range(1, 11))


def paper_instance(
    name: str,
    thresholds: Sequence[float],
    means: Sequence[Sequence[float]],
    noise_scale: float,
    arm_names: Sequence[str] | None = None,
) -> Instance:
    """An instance in the paper's form: every metric at least its threshold, one noise scale; `means` is (M, K)."""
    metrics = tuple(
        Metric(f"metric_{index + 1}", threshold, tolerance=BASE_TOLERANCE, noise=Normal(noise_scale))
        for index, threshold in enumerate(thresholds)
    )
    arms = gaussian_arms(list(zip(*means, strict=True)), noise_scale)
    return Instance.of(Problem(metrics, BASE_ERROR_RATE), arms, name=name, arm_names=arm_names)


SYNTHETIC_AS_PRINTED = paper_instance(
    "synthetic as printed",
    thresholds=(0.6, 0.5, 0.6, 0.5),
    means=(
        (0.1, 0.1, 0.1, 0.35, 0.45, 0.55, 0.65, 0.2, 0.2, 0.2),
        (*(0.4 - 0.2**power for power in (1, 2, 3, 4)), 0.45, 0.55, *(0.6 + 0.1**power for power in (4, 3, 2, 1))),
        (0.05, 0.1, 0.15, 0.2, 0.45, 0.55, 0.65, 0.7, 0.75, 0.8),
        (0.4, 0.4, 0.4, 0.4, 0.5, 0.5, 0.5, 0.5, 0.6, 0.6),
    ),
    noise_scale=1.2,
)
"""Section 5.1 as its text has it: arm 7 meets threshold 4 exactly, so its gap is zero."""

SYNTHETIC = paper_instance(
    "synthetic as released",
    thresholds=(0.6, 0.5, 0.6, 0.5),
    means=(
        (0.1, 0.1, 0.1, 0.35, 0.45, 0.55, 0.65, 0.2, 0.2, 0.2),
        (0.2, 0.36, 0.392, 0.3984, 0.3984, 0.45, 0.55, 0.601, 0.61, 0.7),
        (0.05, 0.1, 0.15, 0.2, 0.45, 0.55, 0.65, 0.7, 0.75, 0.8),
        (0.5, 0.5, 0.5, 0.5, 0.6, 0.6, 0.6, 0.6, 0.7, 0.7),
    ),
    noise_scale=1.2,
)
"""The means that the released programs use and the tables come from: arm 7 is the only good one, by 0.05."""

MEDICAL = paper_instance(
    "medical",
    thresholds=(0.48, 0.75),
    means=((0.36, 0.59, 0.85, 0.95, 0.79), (0.375, 0.475, 0.7625, 0.8375, 0.975)),
    noise_scale=1.0,
    arm_names=("dose 1", "dose 2", "dose 3", "dose 4", "dose 5"),
)
"""Section 5.2, dose finding for two drugs; the text names only four doses of the first."""


@dataclass(frozen=True)
class Sweep:
    """One parameter varied on one instance: what a group of tables and one figure show."""

    name: str
    title: str
    figure: int
    instance: Instance
    parameter: Parameter
    values: tuple[float, ...]
    paper_repetitions: int
    quick_repetitions: int


# The text says 5000 repetitions; the medical error rates are multiples of 0.05 %, so there it was 2000.
SYNTHETIC_REPETITIONS = {"paper_repetitions": 5000, "quick_repetitions": 120}
MEDICAL_REPETITIONS = {"paper_repetitions": 2000, "quick_repetitions": 200}

SWEEPS = (
    Sweep("synthetic_delta", "Synthetic", 2, SYNTHETIC, Parameter.DELTA, DELTAS, **SYNTHETIC_REPETITIONS),
    Sweep("synthetic_epsilon", "Synthetic", 3, SYNTHETIC, Parameter.EPSILON, EPSILONS, **SYNTHETIC_REPETITIONS),
    Sweep("medical_delta", "Medical", 4, MEDICAL, Parameter.DELTA, DELTAS, **MEDICAL_REPETITIONS),
    Sweep("medical_epsilon", "Medical", 5, MEDICAL, Parameter.EPSILON, EPSILONS, **MEDICAL_REPETITIONS),
)


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
