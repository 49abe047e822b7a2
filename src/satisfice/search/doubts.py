"""What one should know beside a verdict: contradictions to what was declared, and what decisions wait for."""

from collections.abc import Callable, Sequence

import numpy as np

from satisfice.search.report import ArmSums, Report
from satisfice.search.state import SearchState
from satisfice.stopping.decision import KEEP


def doubts(
    report: Report, names: Sequence[str], state: SearchState, *, undecided: bool, sums: Callable[[int], ArmSums]
) -> tuple[str, ...]:
    """In words, of all arms; what decisions wait for of the undecided arm with the most results."""
    places = np.flatnonzero(state.pulls > 1).tolist()
    contradictions = (report.contradictions(names[place], sums(place)) for place in places)
    found = [words for each in contradictions for words in each]
    if undecided:
        place = int(np.argmax(np.where(state.decisions == KEEP, state.pulls, -1)))
        found += report.waiting(names[place], sums(place))
    return tuple(found)
