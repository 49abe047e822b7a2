"""What follows from a failure in a study: what its policy says, with two exceptions.

Failures alone decide nothing, and what takes its worker with it again and again is not given out for ever.
"""

from satisfice.study.events import Kind
from satisfice.study.open_pull import OpenPull
from satisfice.study.policy import FAILURES_IN_A_ROW, FailureKind, Then
from satisfice.study.snapshots import Checkpoint
from satisfice.study.state import StudyState

ALONE = "nothing was measured yet, and failures alone would decide it"


def consequence_in(state: StudyState, pull: OpenPull, kind: str, by_exception: str = "") -> Then:
    """What one more failure of a pull leads to.

    Worst results are evidence about configs as long as something can be measured at all. While nothing ever was, a
    program that does not start looks like a config that fails, so that the study stops where it would be decided.
    """
    then = state.policy.consequence(kind, pull.failures, state.in_a_row, state.worked, by_exception)
    if then is Then.WORST and kind != FailureKind.RULED_OUT and decides_alone(state, pull, kind):
        return Then.STOP
    return Then.STOP if then is Then.RETRY and is_lost_too_often(pull, kind) else then


def is_lost_too_often(pull: OpenPull, kind: str) -> bool:
    """Whether a pull has lost so many workers, with this one, that it may be why."""
    return kind == FailureKind.LOST and pull.losses + 1 >= FAILURES_IN_A_ROW


def decides_alone(state: StudyState, pull: OpenPull, kind: str) -> bool:
    """Whether a worst result would decide a study that has nothing else."""
    if state.measured or state.ended:
        return False
    tried = Checkpoint(state).restored()
    failed = {"number": pull.number, "attempt": pull.attempt, "at": state.latest_at, "failure": kind, "reason": ""}
    tried.record(Kind.FAILED, {**failed, "then": str(Then.WORST)})
    return tried.ended
