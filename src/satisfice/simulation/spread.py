"""Cells spread over an executor, a Dask cluster's for instance, in parts of some blocks each.

A block has random numbers of its own, so it does not matter where it is run, nor how often: what a lost worker was at
is run again, and the results are those of a run on one machine, bit for bit.
"""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Integers
from satisfice.catalogue import rule_label
from satisfice.cluster import ExecutorLike, check_workers, executor_of, slots_of
from satisfice.errors import ClusterError, SatisficeError
from satisfice.simulation.cell import BLOCK, Cell, CellResult, check_record, new_record, prepared
from satisfice.simulation.checks import Engine
from satisfice.simulation.record import Record

MOST_BLOCKS = 10
"""In one part: progress is told after each, and what is lost with a worker is not more."""

PARTS_A_SLOT = 8
"""At least this many parts for each that runs at a time, where there are enough blocks: all end about together."""


MOST_PREPARED = 4
"""Of how many cells a worker keeps the tables; parts of the same cell come one after another."""


class Part(NamedTuple):
    """Some blocks of the cell at a place in the campaign."""

    place: int
    first: int
    end: int


def run_spread(
    cells: Sequence[Cell],
    places: Sequence[int],
    executor: ExecutorLike,
    *,
    engine: Engine,
    on_part: Callable[[int, int, int], None],
) -> Iterator[tuple[int, CellResult]]:
    """The results of the cells at these places, as they come; `on_part` is told place, repetitions and evaluations."""
    check_workers(executor)
    place_to_run, slots = executor_of(executor), slots_of(executor)
    sources = _sources(engine)
    parts = _parts([(place, cells[place]) for place in places], slots)
    records = {place: new_record(cells[place], cells[place].repetitions) for place in places}
    left = {place: sum(part.place == place for part in parts) for place in places}
    waiting = iter(parts)
    running: dict[Future[Record], Part] = {}

    def submit(count: int) -> None:
        for _, part in zip(range(count), waiting, strict=False):
            cell = cells[part.place]
            try:
                running[place_to_run.submit(run_part, cell, part.first, part.end, engine, sources)] = part
            except BrokenExecutor as error:
                raise _lost(_named(cell), error) from error

    try:
        submit(2 * slots)
        while running:
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in sorted(done, key=_failed):  # what succeeded is kept, whatever else failed
                part = running.pop(future)
                cell = cells[part.place]
                made = _result(future, cell)
                _copy(made, records[part.place], part)
                on_part(part.place, len(made.totals), int(made.totals.sum()))
                left[part.place] -= 1
                if not left[part.place]:
                    yield part.place, CellResult(cell, records.pop(part.place))
            submit(2 * slots_of(executor) - len(running))  # workers may have come
    finally:
        for future in running:
            future.cancel()


def run_part(cell: Cell, first: int, end: int, engine: Engine, sources: str) -> Record:
    """Some blocks of a cell, wherever this is; ClusterError if the sources there are others."""
    if _sources(engine) != sources:
        raise ClusterError(
            "A worker has another version of satisfice or numba than the process that runs the campaign. Install the "
            "same there."
        )
    run_block = _prepared_before(cell, engine)
    start, stop = first * BLOCK, min(end * BLOCK, cell.repetitions)
    kept, no_streaks = new_record(cell, stop - start), np.empty((0, 2), np.int64)
    for block in range(first, end):
        rows = slice(block * BLOCK - start, min((block + 1) * BLOCK, stop) - start)
        run_block(block, Record._make([*(each[rows] for each in kept[:-1]), kept.arm_pulls]), no_streaks)
    check_record(cell, kept)
    return kept


RunBlock = Callable[[int, Record, Integers], int]
_prepared: dict[tuple[str, str], RunBlock] = {}
"""The last cells of which this process ran parts."""


def _prepared_before(cell: Cell, engine: Engine) -> RunBlock:
    """What runs a block of the cell, from the part before if that was of the same cell."""
    key = cell.key(), engine
    found = _prepared.get(key)
    if found is None:
        found = prepared(cell, engine)
        while len(_prepared) >= MOST_PREPARED:
            _prepared.pop(next(iter(_prepared)), None)
        _prepared[key] = found
    return found


def _parts(cells: Sequence[tuple[int, Cell]], slots: int) -> list[Part]:
    blocks = {place: -(-cell.repetitions // BLOCK) for place, cell in cells}
    size = max(1, min(MOST_BLOCKS, sum(blocks.values()) // (PARTS_A_SLOT * slots)))
    return [
        Part(place, first, min(first + size, count))
        for place, count in blocks.items()
        for first in range(0, count, size)
    ]


def _copy(made: Record, kept: Record, part: Part) -> None:
    """Put what a part did where it belongs among the repetitions of its cell."""
    start = part.first * BLOCK
    for source, target in zip(made[:-1], kept[:-1], strict=True):
        target[start : start + len(source)] = source
    kept.arm_pulls[:] += made.arm_pulls


def _result(future: Future[Record], cell: Cell) -> Record:
    what = _named(cell)
    try:
        return future.result()
    except SatisficeError:
        raise
    except ImportError as error:
        raise ClusterError(
            f"A worker cannot load what {what} needs: {error}. Install it there, or put its folder on the workers' "
            "PYTHONPATH."
        ) from error
    except (BrokenExecutor, CancelledError) as error:
        raise _lost(what, error) from error
    except Exception as error:
        if type(error).__name__ == "KilledWorker":  # of Dask, which need not be installed
            raise _lost(what, error) from error
        raise


def _failed(future: Future[Record]) -> bool:
    return future.cancelled() or future.exception() is not None


def _named(cell: Cell) -> str:
    return f"{cell.instance.name} with {rule_label(cell.rule)}"


def _lost(what: str, error: BaseException) -> ClusterError:
    said = str(error) or type(error).__name__
    return ClusterError(
        f"The workers were lost while they simulated {what}: {said:.200}. Finished cells are kept where there is a "
        "folder: the same call goes on."
    )


def _sources(engine: Engine) -> str:
    """A digest of the sources and the compiler; nothing where nothing is compiled."""
    if engine != "compiled":
        return ""
    from satisfice.simulation.engine import sources_digest  # noqa: PLC0415 - only here is numba loaded

    return sources_digest()
