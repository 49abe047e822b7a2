"""What explains the differences: cells run for that alone, in numbers."""

from collections.abc import Iterable
from dataclasses import dataclass

from satisfice.paper.as_published import Estimate, published_times
from satisfice.paper.comparison import CellNumbers, numbers_of
from satisfice.paper.plan import BATCHES, Part, Planned, Ran


@dataclass(frozen=True)
class TextLUCB:
    """MultiLUCB as the text defines it, beside the released rule and MultiTUCB in the same cell."""

    planned: Planned
    numbers: CellNumbers
    released: CellNumbers
    multitucb: CellNumbers


@dataclass(frozen=True)
class TimeOuts:
    """A rule on the synthetic instance as printed."""

    planned: Planned
    numbers: CellNumbers


@dataclass(frozen=True)
class LongRun:
    """Many times a table's repetitions: the mean, and how much means and sds of one batch vary by chance alone."""

    planned: Planned
    batch: int
    mean: Estimate
    batch_means: tuple[float, ...]
    batch_sds: tuple[float, ...]


@dataclass(frozen=True)
class Evidence:
    """All that a reproduction runs besides the tables."""

    text_lucb: tuple[TextLUCB, ...]
    time_outs: tuple[TimeOuts, ...]
    long_runs: tuple[LongRun, ...]


def gather(ran: Iterable[Ran]) -> Evidence:
    """The evidence from the cells that were run for it."""
    parts: dict[Part, list[Ran]] = {part: [] for part in Part}
    for one in ran:
        parts[one.planned.part].append(one)
    table = {(one.planned.sweep.name, one.planned.value, one.planned.rule): one for one in parts[Part.TABLE]}
    return Evidence(
        text_lucb=tuple(
            TextLUCB(one.planned, numbers_of(one), *(numbers_of(table[*_cell(one), rule]) for rule in BESIDE_LUCB))
            for one in parts[Part.LUCB_OF_THE_TEXT]
        ),
        time_outs=tuple(TimeOuts(one.planned, numbers_of(one)) for one in parts[Part.PRINTED_INSTANCE]),
        long_runs=tuple(_long_run(one) for one in parts[Part.LONG_RUN]),
    )


BESIDE_LUCB = ("MultiLUCB", "MultiTUCB")


def _cell(one: Ran) -> tuple[str, float]:
    return one.planned.sweep.name, one.planned.value


def _long_run(one: Ran) -> LongRun:
    times = published_times(one.result)
    batches = times.reshape(BATCHES, -1)
    return LongRun(
        planned=one.planned,
        batch=batches.shape[1],
        mean=Estimate(float(times.mean()), float(times.std()) / times.size**0.5),
        batch_means=tuple(batches.mean(axis=1).tolist()),
        batch_sds=tuple(batches.std(axis=1).tolist()),
    )
