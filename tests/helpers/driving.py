"""A live search driven with the very random numbers of a simulated run.

The simulator draws deficits, a search is told results in the metrics' own units and makes deficits of them. The two are
equal to the last bit where standardising rounds nothing, or rounds alike: noise scales that are powers of two times
each other, and thresholds that are 0, or binary fractions with results to which they can be added exactly.
"""

from typing import NamedTuple

import numpy as np

import satisfice as sf
from satisfice.catalogue import offers
from satisfice.rules.protocol import OPENING
from satisfice.search.opening import seed_from
from satisfice.search.verdict import OutcomeCode
from satisfice.simulation.cell import Cell, run_once
from satisfice.simulation.checks import Engine


class Run(NamedTuple):
    """How a run ended, the place of the arm found, and the places of the arms in the order of pulls."""

    outcome: str
    found: int | None
    order: list[int]


def stream_of(seed: int, block: int = 0) -> np.random.Generator:
    """The stream of a campaign's block."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block,))))


def seed_of(rule: object, rng: np.random.Generator) -> int:
    """The seed of a simulated run's order of opening, drawn from its stream as the simulator does."""
    return seed_from(rng) if offers(type(rule), OPENING) else 0


def search_of(cell: Cell, rng: np.random.Generator) -> sf.Search:
    """A search for the cell's question whose rule draws from this generator."""
    return sf.Search(
        cell.instance.problem,
        cell.instance.arm_names,
        rule=cell.rule,
        stopping=cell.stopping,
        seed=seed_of(cell.rule, rng),
        stream=lambda number: rng,
        costs=None if cell.instance.costs is None else cell.instance.costs.tolist(),
    )


def told_run(search: sf.Search, instance: sf.Instance, rng: np.random.Generator, budget: int) -> Run:
    """Ask and tell one evaluation at a time, with results drawn from the instance's arms."""
    names, metrics = list(instance.arm_names), instance.problem.metric_names
    results, order = np.empty(len(metrics)), []
    while len(order) < budget and (name := search.ask()) is not None:
        order.append(names.index(name))
        instance.arms.draw(rng, order[-1], results)
        search.tell(name, dict(zip(metrics, results.tolist(), strict=True)))
    verdict = search.verdict
    assert verdict.evaluations == len(order)
    return Run(str(verdict.outcome), None if verdict.arm is None else names.index(verdict.arm), order)


def live_run(cell: Cell, block: int = 0) -> tuple[Run, sf.Search]:
    """The first repetition of a block by a live search on that block's stream; and the search as it ends."""
    rng = stream_of(cell.seed, block)
    search = search_of(cell, rng)
    return told_run(search, cell.instance, rng, cell.max_evaluations), search


def simulated_run(cell: Cell, block: int = 0, engine: Engine = "interpreted") -> Run:
    """The same by the simulator."""
    ending, found, order = run_once(cell, block=block, engine=engine)
    return Run(OutcomeCode(ending).name, found if found >= 0 else None, order.tolist())


def assert_same(one: Run, other: Run) -> None:
    """Equality, with a message that says where the two part."""
    parted = next((place for place, (a, b) in enumerate(zip(one.order, other.order, strict=False)) if a != b), None)
    assert parted is None, f"pull {parted} is of arm {one.order[parted]} here and of arm {other.order[parted]} there"
    assert len(one.order) == len(other.order), f"{len(one.order)} pulls here and {len(other.order)} there"
    assert one == other
