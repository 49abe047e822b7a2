"""The money of a study: whether there is enough for one more evaluation, and what was spent."""

from math import inf

from satisfice.study.ledger import StudyCost
from satisfice.study.open_pull import OpenPull
from satisfice.study.state import StudyState


def has_room_again(state: StudyState, pull: OpenPull) -> bool:
    """Whether there is money to give out a pull once more; if its worker was lost, that attempt costs, too."""
    most = state.policy.max_cost
    if most is None:
        return True
    others = [other for other in state.open.values() if other.number != pull.number]
    attempts = 1 + (pull.worker is not None)
    return attempts * (state.search.costs.expected(pull.line(state.groups)) or 0.0) <= state.ledger.left(most, others)


def has_room_for(state: StudyState, line: int) -> bool:
    """Whether there is money for a new pull of a line."""
    return (state.search.costs.expected(line) or 0.0) <= state.left()


def cost_so_far(state: StudyState) -> StudyCost | None:
    """What was spent, and whether there is no money for the next evaluation."""
    left = state.left()
    is_spent = not state.ended and left < inf and not state.search.has_room(left, state.waiting)
    return state.ledger.so_far(state.policy.max_cost, is_spent)
