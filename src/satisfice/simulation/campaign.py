"""Many cells: instances x rules x error rates x tolerances, on all cores, kept on disk as they finish."""

import json
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from satisfice.catalogue import rule_label
from satisfice.cluster import ExecutorLike
from satisfice.errors import InvalidInstance, OtherCampaign, UnwritableFolder
from satisfice.given import is_number, is_whole, shown
from satisfice.rules import RULES, RuleLike
from satisfice.search.fit import fitting_judge
from satisfice.simulation.cell import Cell, CellResult, run_cell
from satisfice.simulation.checks import Engine, check_engine
from satisfice.simulation.durations import Durations, as_durations, drawing_of
from satisfice.simulation.instance import Instance
from satisfice.simulation.record import Record
from satisfice.simulation.results import CampaignResult
from satisfice.simulation.spread import run_spread
from satisfice.stopping import DEFAULT_STOPPING, STOPPING_RULES, StoppingLike

MANIFEST = "campaign.json"
MOST_WORKERS = 100_000
UNFINISHED = (MANIFEST + ".part",)
"""What a campaign leaves behind if it is killed before its first cell."""


@dataclass(frozen=True)
class Progress:
    """How far a campaign is: told after every block of repetitions."""

    cells_done: int
    cells: int
    repetitions_done: int
    repetitions: int
    evaluations: int
    label: str


def plan_cells(
    instances: Iterable[Instance],
    rules: Sequence[RuleLike],
    *,
    stopping: StoppingLike = DEFAULT_STOPPING,
    error_rates: Sequence[float] | None = None,
    tolerances: Sequence[float | Sequence[float]] | None = None,
    repetitions: int = 1000,
    max_evaluations: int = 1_000_000,
    max_cost: float | None = None,
    seed: int = 0,
    workers: int | Sequence[int] = 1,
    durations: str | Durations | None = None,
) -> list[Cell]:
    """All cells of a campaign; error rates and tolerances default to what the instance's problem says.

    With `workers` or durations each cell is simulated in time, for one worker and for all of them.
    """
    instances = list(instances)
    most = _most_cost(max_cost, instances)
    for what, count in (("repetitions", repetitions), ("max_evaluations", max_evaluations)):
        if not is_whole(count, 1):
            raise InvalidInstance(f"{what} must be a whole number of at least 1, got {shown(count)}.")
    if not is_whole(seed, 0):
        raise InvalidInstance(f"The seed must be a whole number of zero or more, got {shown(seed)}.")
    if isinstance(rules, str) or not isinstance(rules, Iterable) or not rules:
        raise InvalidInstance(f"Expected a list with at least one sampling rule, got {shown(rules)}.")
    for what, swept in (("error_rates", error_rates), ("tolerances", tolerances)):
        if swept is not None and (not isinstance(swept, Iterable) or isinstance(swept, str) or not list(swept)):
            raise InvalidInstance(f"Expected {what} as a list with at least one number, got {shown(swept)}.")
    resolved = [RULES.resolve(rule) for rule in rules]
    resolved_stopping = STOPPING_RULES.resolve(stopping)
    counts, lasting = _in_time(workers, durations)
    cells = [
        Cell(asked, rule, resolved_stopping, int(repetitions), int(max_evaluations), int(seed), at_work, lasting, most)
        for instance in instances
        for error_rate in (error_rates if error_rates is not None else [None])
        for tolerance in (tolerances if tolerances is not None else [None])
        for asked in [instance.asking(error_rate=error_rate, tolerance=tolerance)]
        for rule in resolved
        for at_work in counts
    ]
    for cell in cells:
        # raises here, before anything runs, if the parts do not fit together
        fitting_judge(cell.rule, cell.stopping, cell.instance.problem, len(cell.instance.arm_names))
        if lasting is not None and cell.instance.problem.groups:
            raise InvalidInstance(
                "Metrics that are measured in groups are simulated one evaluation at a time. Leave workers and "
                "durations out, or the groups."
            )
        if lasting is not None:
            drawing_of(lasting, cell.instance)
    return cells


def _in_time(
    workers: int | Sequence[int], durations: str | Durations | None
) -> tuple[tuple[int, ...], Durations | None]:
    """The numbers of workers to simulate, one first, and the durations; no durations where nobody asked for time."""
    counts = workers if isinstance(workers, Sequence) and not isinstance(workers, str) else [workers]
    if not counts or not all(is_whole(count, 1) and count <= MOST_WORKERS for count in counts):
        raise InvalidInstance(
            f"workers must be a whole number from 1 to {MOST_WORKERS:,}, or a list of them, got {shown(workers)}."
        )
    several = tuple(dict.fromkeys((1, *map(int, counts))))
    if durations is None and several == (1,):
        return several, None
    return several, as_durations("constant" if durations is None else durations)


def _most_cost(max_cost: float | None, instances: Sequence[Instance]) -> float:
    """What a run may cost, infinity if that is not limited."""
    if max_cost is None:
        return inf
    unpriced = [instance.name for instance in instances if instance.costs is None]
    if not is_number(max_cost) or not float(max_cost) > 0:
        raise InvalidInstance(f"max_cost must be a number of more than 0, got {shown(max_cost)}.")
    if unpriced:
        raise InvalidInstance(
            f"max_cost limits what a run costs, and the arms of {unpriced[0]!r} have no costs. Give costs, a number "
            "for all arms or one for each, or limit max_evaluations."
        )
    return float(max_cost)


def run_campaign(
    cells: Sequence[Cell],
    *,
    folder: str | Path | None = None,
    threads: int | None = None,
    executor: ExecutorLike | None = None,
    engine: Engine = "compiled",
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> CampaignResult:
    """Run the cells one after another, each on all threads, or spread over an executor's workers.

    Finished ones found in the folder are not run again.
    """
    if threads is not None and not is_whole(threads, 1):
        raise InvalidInstance(f"threads must be a whole number of at least 1, got {shown(threads)}.")
    if executor is not None and threads is not None:
        raise InvalidInstance("threads are those of this machine: give threads or an executor, not both.")
    check_engine(engine)
    store = CellStore.open(Path(folder), cells) if folder is not None else None
    done: dict[int, CellResult] = {}
    all_repetitions = sum(cell.repetitions for cell in cells)
    repetitions_done = evaluations = 0

    def tell(place: int, repetitions: int, pulls: int) -> None:
        nonlocal repetitions_done, evaluations
        repetitions_done += repetitions
        evaluations += pulls
        now = Progress(len(done), len(cells), repetitions_done, all_repetitions, evaluations, _label(cells[place]))
        on_progress(now)

    for place, cell in enumerate(cells):
        if store is not None and (kept := store.load(cell)) is not None:
            tell(place, cell.repetitions, 0)
            done[place] = kept
    places = [place for place in range(len(cells)) if place not in done]
    if executor is None:
        made = _one_by_one(cells, places, threads or os.cpu_count() or 1, engine, tell)
    else:
        made = run_spread(cells, places, executor, engine=engine, on_part=tell)
    for place, result in made:
        if store is not None:
            store.save(result)
        done[place] = result
    return CampaignResult(tuple(done[place] for place in range(len(cells))))


def _one_by_one(
    cells: Sequence[Cell], places: Sequence[int], threads: int, engine: Engine, tell: Callable[[int, int, int], None]
) -> Iterator[tuple[int, CellResult]]:
    """The results of the cells at these places, one after another on this machine."""
    for place in places:
        yield place, run_cell(cells[place], threads=threads, engine=engine, on_block=partial(tell, place))


def _label(cell: Cell) -> str:
    return f"{cell.instance.name} {rule_label(cell.rule)}" + (f" x {cell.workers}" if cell.workers > 1 else "")


class CellStore:
    """A folder that keeps finished cells, one file each, of one campaign only."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @classmethod
    def open(cls, folder: Path, cells: Sequence[Cell]) -> "CellStore":
        """The folder, new or with finished cells of the same campaign; any other folder is refused untouched."""
        manifest = folder / MANIFEST
        described = [cell.description() for cell in cells]
        if manifest.exists():
            if _read(manifest) != described:
                raise OtherCampaign(
                    f"{folder} holds the results of another campaign (see its {MANIFEST}). Nothing was changed. "
                    "Choose another folder, or delete this one if its results are no longer needed."
                )
            return cls(folder)
        if folder.exists() and (not folder.is_dir() or any(entry.name not in UNFINISHED for entry in folder.iterdir())):
            raise OtherCampaign(
                f"{folder} exists and is not a results folder of satisfice. Nothing was changed. "
                "Choose a new or empty folder."
            )
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_whole(manifest, json.dumps(described, indent=1).encode())
        except OSError as error:
            raise _unwritable(folder, error) from None
        return cls(folder)

    def load(self, cell: Cell) -> CellResult | None:
        """The cell's results if it has been finished before; a file that was cut off counts as none."""
        path = self._path(cell)
        if not path.exists():
            return None
        try:
            with path.open("rb") as file, np.load(file) as kept:
                return CellResult(cell, Record(**{name: kept[name] for name in Record._fields}))
        except (OSError, EOFError, ValueError, KeyError, BadZipFile, zlib.error):
            return None

    def save(self, result: CellResult) -> None:
        """Keep a finished cell, whole or not at all."""
        path = self._path(result.cell)
        part = path.with_suffix(".part.npz")
        try:
            path.parent.mkdir(exist_ok=True)
            np.savez_compressed(part, **result.record._asdict())
            part.replace(path)
        except OSError as error:
            raise _unwritable(self.folder, error) from None

    def _path(self, cell: Cell) -> Path:
        return self.folder / "cells" / f"{cell.key()}.npz"


def _read(manifest: Path) -> Any:
    try:
        return json.loads(manifest.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # nothing that we have written
        return None


def _unwritable(folder: Path, error: OSError) -> UnwritableFolder:
    return UnwritableFolder(
        f"Results cannot be written to {folder}: {error.strerror or error}. Choose a folder that you may write to."
    )


def write_whole(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_bytes(content)
    part.replace(path)
