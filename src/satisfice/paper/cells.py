"""Which cells a reproduction runs: those of the chosen tables, and those that show why some numbers are as they are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from satisfice.errors import InvalidInstance
from satisfice.given import is_whole
from satisfice.paper.experiments import BUDGET, MEDICAL, SYNTHETIC_AS_PRINTED, Parameter, Sweep
from satisfice.paper.released_programs import RULES_AS_RELEASED
from satisfice.rules import MultiLUCB, SamplingRule
from satisfice.simulation.campaign import plan_cells
from satisfice.simulation.cell import Cell, CellResult
from satisfice.simulation.instance import Instance

Repetitions = int | Literal["paper"] | None

Place = tuple[str, float, str]
"""The name of a sweep, its value, and a rule."""

LONG_RUNS = {
    "synthetic": {"MultiTUCB": 4},
    "medical": {"MultiAPT": 4, "MultiHDoC": 10, "MultiTUCB": 10},
}
"""Where a table's repetitions leave much to chance, and how many times over a long run repeats them there.

The standard deviations of MultiTUCB, the means of MultiAPT, whose runs often use up the budget, and everything about
the rules with very heavy tails on the medical instance.
"""

MOST_TIME_OUTS = 50
"""Repetitions on the instance as printed: all of them use up the budget, and more would tell nothing new."""


class Part(StrEnum):
    """What a cell is run for."""

    TABLE = "table"
    LUCB_OF_THE_TEXT = "MultiLUCB of the text"
    PRINTED_INSTANCE = "synthetic instance as printed"
    LONG_RUN = "long run"


@dataclass(frozen=True)
class Planned:
    """A cell with its place: the part and sweep it belongs to, the sweep's value, and the rule's name."""

    part: Part
    sweep: Sweep
    value: float
    rule: str
    cell: Cell

    @property
    def place(self) -> Place:
        """Which number of each of the sweep's tables it is about."""
        return self.sweep.name, self.value, self.rule


@dataclass(frozen=True)
class Ran:
    """A planned cell and what it did."""

    planned: Planned
    result: CellResult


def planned_cells(sweeps: Sequence[Sweep], repetitions: Repetitions, seed: int) -> tuple[Planned, ...]:
    """All cells for these sweeps; `repetitions` is a number for all, "paper" for the paper's, None for a quick look."""
    return tuple(planned for sweep in sweeps for planned in _plan_sweep(sweep, _count(sweep, repetitions), seed))


def _count(sweep: Sweep, repetitions: Repetitions) -> int:
    if repetitions is None:
        return sweep.quick_repetitions
    if repetitions == "paper":
        return sweep.paper_repetitions
    if not is_whole(repetitions, 1):
        raise InvalidInstance(f"repetitions must be a whole number of at least 1, or 'paper', got {repetitions!r}.")
    return repetitions


def _plan_sweep(sweep: Sweep, count: int, seed: int) -> Iterator[Planned]:
    ends = (sweep.values[0], sweep.values[-1])
    text_lucb = {"MultiLUCB": MultiLUCB()}
    yield from _cells(Part.TABLE, sweep, sweep.instance, sweep.values, RULES_AS_RELEASED, count, seed)
    yield from _cells(Part.LUCB_OF_THE_TEXT, sweep, sweep.instance, ends, text_lucb, count, seed)
    if sweep.instance is not MEDICAL:
        few = min(count, MOST_TIME_OUTS)
        yield from _cells(Part.PRINTED_INSTANCE, sweep, SYNTHETIC_AS_PRINTED, ends, RULES_AS_RELEASED, few, seed)
    for rule, batches in LONG_RUNS[sweep.title.lower()].items():
        rules = {rule: RULES_AS_RELEASED[rule]}
        yield from _cells(Part.LONG_RUN, sweep, sweep.instance, sweep.values, rules, batches * count, seed)


def _cells(
    part: Part,
    sweep: Sweep,
    instance: Instance,
    values: Sequence[float],
    rules: Mapping[str, SamplingRule],
    count: int,
    seed: int,
) -> Iterator[Planned]:
    cells = plan_cells(
        [instance],
        list(rules.values()),
        stopping="alpha",
        error_rates=values if sweep.parameter is Parameter.DELTA else None,
        tolerances=values if sweep.parameter is Parameter.EPSILON else None,
        repetitions=count,
        max_evaluations=BUDGET,
        seed=seed,
    )
    places = [(value, rule) for value in values for rule in rules]
    for (value, rule), cell in zip(places, cells, strict=True):
        yield Planned(part, sweep, value, rule, cell)
