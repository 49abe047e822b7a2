"""What a run works on, and what a block of runs leaves behind."""

from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats, Integers
from satisfice.search.tournament import leaderboard_size


class Workspace(NamedTuple):
    """What is known of K arms with M metrics during a run.

    `deficits` (K, M), `squares` (K, M, or without rows where no metric needs them) and `pulls` (K,) are the statistics,
    `latched` (K, M or more) is the judge's memory. `board` is the leaderboard; `shortfalls`, `excesses` and `bonuses`
    (K,) serve clock rules; for rules that go by beliefs `strengths` and `slacks` (K, M) are what is believed, `bonuses`
    blurs, and `spreads` (2, M) what arms say of each other's noise. `results` (M,) is one evaluation, `decisions` (K,)
    what has been decided.
    """

    deficits: Floats
    squares: Floats
    latched: Floats
    strengths: Floats
    slacks: Floats
    spreads: Floats
    pulls: Integers
    board: Floats
    shortfalls: Floats
    excesses: Floats
    bonuses: Floats
    results: Floats
    decisions: Integers


def workspace(arms: int, metrics: int, *, squares: bool = False, memory: int | None = None) -> Workspace:
    """Room for so many arms and metrics, in one piece: numpy asks for huge pages where an array is large."""
    size = leaderboard_size(arms)
    table = (arms, metrics)
    shapes = [
        table,
        table if squares else (0, metrics),
        (arms, metrics if memory is None else memory),
        table,
        table,
        (2, metrics),
        (arms,),
        (2 * size, 2),
        *[(arms,)] * 3,
        (metrics,),
        (arms,),
    ]
    ends = np.cumsum([np.prod(shape, dtype=int) for shape in shapes])
    parts = np.split(np.empty(ends[-1]), ends[:-1])
    fields = [part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)]
    fields[6], fields[-1] = fields[6].view(np.int64), fields[-1].view(np.int64)
    return Workspace(*fields)


class Record(NamedTuple):
    """What R repetitions did, a row for each: how they ended, the arm found or -1, the pulls made, the best guess.

    `decided` of shape (R, K), or without columns where one arm is looked for, holds the decision about every arm;
    `guess_pulls` and `guess_sums` (R, 2, M) the guess's pulls and its sums of deficits and of their squares where the
    budget ended a run. `arm_pulls` (K,) sums the pulls of each arm over all repetitions.
    """

    endings: Integers
    found: Integers
    totals: Integers
    decided: Integers
    guesses: Integers
    guess_pulls: Integers
    guess_sums: Floats
    arm_pulls: Integers


def record(repetitions: int, arms: int, metrics: int, *, find_all: bool) -> Record:
    """An empty record."""
    return Record(
        endings=np.zeros(repetitions, np.int64),
        found=np.zeros(repetitions, np.int64),
        totals=np.zeros(repetitions, np.int64),
        decided=np.zeros((repetitions, arms if find_all else 0), np.int64),
        guesses=np.full(repetitions, -1, np.int64),
        guess_pulls=np.zeros(repetitions, np.int64),
        guess_sums=np.zeros((repetitions, 2, metrics)),
        arm_pulls=np.zeros(arms, np.int64),
    )
