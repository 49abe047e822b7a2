"""What a block of runs leaves behind."""

from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats, Integers


class Record(NamedTuple):
    """What R repetitions did, a row for each: how they ended, the arm found or -1, the pulls made and what they cost,
    the best guess.

    `decided` of shape (R, K), or without columns where any one arm is looked for, holds the decision about every arm;
    `guess_pulls`, `guess_deficits` (R, M) and `guess_more` (R, M, X) the guess's pulls and its sums where the budget
    ended a run, and `guess_counts` (R, M), without columns unless metrics are measured in groups, the results of each
    metric. `spent` is what all that was asked for cost. With a clock, `asked` are the evaluations asked for,
    `times` the time until the end and `lasted` the durations of all of these; without one they are empty. `arm_pulls`
    (K,) sums the pulls of each arm over all repetitions.
    """

    endings: Integers
    found: Integers
    totals: Integers
    spent: Floats
    decided: Integers
    guesses: Integers
    guess_pulls: Integers
    guess_deficits: Floats
    guess_more: Floats
    guess_counts: Integers
    asked: Integers
    times: Floats
    lasted: Floats
    arm_pulls: Integers


def record(
    repetitions: int,
    arms: int,
    metrics: int,
    extra: int,
    *,
    decisions: bool,
    clocked: bool = False,
    grouped: bool = False,
) -> Record:
    """An empty record, with the decisions about every arm if they are wanted."""
    timed = repetitions if clocked else 0
    return Record(
        endings=np.zeros(repetitions, np.int64),
        found=np.zeros(repetitions, np.int64),
        totals=np.zeros(repetitions, np.int64),
        spent=np.zeros(repetitions),
        decided=np.zeros((repetitions, arms if decisions else 0), np.int64),
        guesses=np.full(repetitions, -1, np.int64),
        guess_pulls=np.zeros(repetitions, np.int64),
        guess_deficits=np.zeros((repetitions, metrics)),
        guess_more=np.zeros((repetitions, metrics, extra)),
        guess_counts=np.zeros((repetitions, metrics if grouped else 0), np.int64),
        asked=np.zeros(timed, np.int64),
        times=np.zeros(timed),
        lasted=np.zeros(timed),
        arm_pulls=np.zeros(arms, np.int64),
    )
