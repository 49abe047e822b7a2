"""The goal: how many arms that pass are wanted, and when the question is answered.

All that a goal is stands here, but for its price: `stopping.error_budget` says how the error rate is shared,
`theory.information` how few pulls can do.
"""

from enum import StrEnum
from typing import Literal

from satisfice.errors import InvalidProblem
from satisfice.given import is_whole, shown
from satisfice.problem.units import Setting


class Goal(StrEnum):
    """What is asked of the arms, in a word: any one that passes, or which of all do. A number m asks for m that pass.

    With m the answer FOUND names m arms, and NONE says that fewer than m pass; 1 is the same as ANY.
    """

    ANY = "any"
    ALL = "all"


GoalLike = Goal | Literal["any", "all"] | int
"""A goal as users give it."""

OPEN, REACHED, OUT_OF_REACH = range(3)
"""Whether the question is answered: not yet, as many as wanted pass, fewer do. The outcomes have these codes."""


def checked_goal(goal: object) -> Goal | int:
    """The goal itself, ANY for 1; InvalidProblem if it is none."""
    if is_whole(goal, 1):
        return int(goal) if int(goal) > 1 else Goal.ANY
    if not isinstance(goal, str) or goal not in tuple(Goal):
        raise InvalidProblem(
            "The goal must be 'any' (find one that passes), 'all' (classify every one) or how many to find, a whole "
            f"number of 1 or more, got {shown(goal)}."
        )
    return Goal(goal)


def wanted_by(goal: Goal | int, arms: int) -> int:
    """How many arms must pass for the answer FOUND; InvalidProblem if there are not that many arms."""
    wanted = goal if isinstance(goal, int) else 1
    if wanted > arms:
        raise InvalidProblem(
            f"The goal is to find {shown(wanted)} that pass, and there are only {arms:,} to choose from. Ask for "
            f"{arms:,} at most, or for 'all' to have every one classified."
        )
    return wanted


def sought(goal: Goal | int) -> str:
    """What is looked for, in words: 'any configuration', '3 configurations'."""
    return "any configuration" if goal is Goal.ANY else f"{goal} configurations"


def answer_to(setting: Setting, accepted: int, undecided: int) -> int:
    """Whether the question is answered, given how many arms are accepted and undecided; also in compiled code."""
    if setting.find_all and undecided > 0:
        return OPEN
    if accepted >= setting.wanted:
        return REACHED
    return OPEN if accepted + undecided >= setting.wanted else OUT_OF_REACH
