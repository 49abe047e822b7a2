"""Run every contestant on every member: one row each."""

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.evaluations.contestants import Contestant, Role
from benchmarks.evaluations.fixed import repeats, wrong_answers
from benchmarks.evaluations.limits import Limit, limit_of
from benchmarks.evaluations.member import Member
from satisfice.cluster import ExecutorLike
from satisfice.simulation.binomial import rate_interval
from satisfice.simulation.campaign import Progress, run_campaign
from satisfice.simulation.cell import Cell, CellResult
from satisfice.simulation.summary import CellSummary

FIXED = "fixed repeats"


@dataclass(frozen=True)
class Row:
    """What a contestant needed on a member: evaluations, and the rate of wrong answers with its 95 % interval.

    A run that ended without an answer counts with its whole budget.
    """

    instance: str
    contestant: str
    role: str
    seed: int
    repetitions: int
    mean: float
    standard_error: float
    median: float
    quantile_99: float
    wrong: float
    wrong_low: float
    wrong_high: float
    timed_out: float

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Comparison:
    """The members, the contestants, a row for each that entered, and the runs of those simulated pull by pull."""

    members: tuple[Member, ...]
    contestants: tuple[Contestant, ...]
    rows: tuple[Row, ...]
    limits: tuple[Limit, ...]
    repetitions: int
    seed: int
    runs: tuple[tuple[Contestant, CellResult], ...] = ()

    def row(self, instance: str, contestant: str) -> Row | None:
        """The row of a contestant on an instance, if it entered."""
        found = (row for row in self.rows if (row.instance, row.contestant) == (instance, contestant))
        return next(found, None)

    def limit(self, instance: str) -> Limit:
        """The limits of an instance."""
        return next(one for one in self.limits if one.instance == instance)


def compare(
    members: Sequence[Member],
    contestants: Sequence[Contestant],
    *,
    repetitions: int = 100,
    seed: int = 1,
    threads: int | None = None,
    executor: ExecutorLike | None = None,
    folder: str | Path | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Comparison:
    """Run all contestants on all members with the same seeds.

    With a folder, what is finished there is not run again, and members and contestants may be added later: each pair
    has a place of its own.
    """
    entries = [(member, one) for member in members for one in contestants if one.enters(member)]
    runs: list[tuple[Contestant, CellResult]] = []
    rows: list[Row] = []
    whole = _Whole(len(entries), repetitions * sum(member.times for member, _ in entries), on_progress)
    for member, one in entries:
        often = member.times * repetitions
        cell = Cell(one.told(member.instance), one.rule, one.stopping, often, member.max_evaluations, seed)
        place = None if folder is None else Path(folder) / "runs" / _as_file(one.name) / _as_file(member.name)
        done = run_campaign([cell], folder=place, threads=threads, executor=executor, on_progress=whole.tell)
        whole.next()
        runs.append((one, done.cells[0]))
        rows.append(simulated_row(member, one, done.summaries[0], seed))
    fixed = (fixed_row(member, member.times * repetitions, seed) for member in members)
    rows += [row for row in fixed if row is not None]
    limits = tuple(limit_of(member, repetitions=repetitions, seed=seed) for member in members)
    return Comparison(tuple(members), tuple(contestants), tuple(rows), limits, repetitions, seed, tuple(runs))


def _as_file(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9.+-]+", "-", name).strip("-").lower()


class _Whole:
    """Tells the progress of one entry after another as that of all of them."""

    def __init__(self, entries: int, repetitions: int, on_progress: Callable[[Progress], None]) -> None:
        self.entries, self.repetitions, self.on_progress = entries, repetitions, on_progress
        self.done = self.repeated = self.evaluations = 0
        self.latest: Progress | None = None

    def tell(self, one: Progress) -> None:
        self.latest = one
        self.on_progress(
            replace(
                one,
                cells_done=self.done,
                cells=self.entries,
                repetitions_done=self.repeated + one.repetitions_done,
                repetitions=self.repetitions,
                evaluations=self.evaluations + one.evaluations,
            )
        )

    def next(self) -> None:
        self.done += 1
        if self.latest is not None:
            self.repeated += self.latest.repetitions
            self.evaluations += self.latest.evaluations
            self.latest = None


def simulated_row(member: Member, contestant: Contestant, summary: CellSummary, seed: int) -> Row:
    return Row(
        instance=member.name,
        contestant=contestant.name,
        role=contestant.role,
        seed=seed,
        repetitions=summary.repetitions,
        mean=summary.mean,
        standard_error=summary.standard_error,
        median=summary.median,
        quantile_99=summary.quantile_99,
        wrong=summary.wrong,
        wrong_low=summary.wrong_low,
        wrong_high=summary.wrong_high,
        timed_out=summary.timed_out,
    )


def fixed_row(member: Member, repetitions: int, seed: int) -> Row | None:
    """Fixed repeats take the same number of evaluations in every run: only their answers are simulated."""
    count = repeats(member.instance.problem, len(member.instance.arm_names))
    if count is None:
        return None
    rng = np.random.default_rng(seed)
    wrong = wrong_answers(member.instance, member.draws, count, repetitions, rng)
    low, high = rate_interval(wrong, repetitions)
    total = float(count * len(member.instance.arm_names))
    share = wrong / repetitions
    return Row(
        member.name, FIXED, Role.CLASSIC, seed, repetitions, total, 0.0, total, total, share, low, high, timed_out=0.0
    )
