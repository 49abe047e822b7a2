"""Taking back a choice that nobody will act upon."""

from typing import Any

import numpy as np

from satisfice.rules.protocol import RESCORED_PER_CHOICE
from satisfice.search.state import SearchState

Undo = list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]
"""Arrays, and what they were."""


def before_choice(state: SearchState, draws: bool) -> Undo:
    """What a choice changes, by a rule that draws scores or by another one."""
    drawn = [state.board, state.unscored] if draws and state.pulls.shape[0] > RESCORED_PER_CHOICE else []
    return [(array, array.copy()) for array in (state.counts, *drawn)]


def undo(before: Undo) -> None:
    """Write back what was there before."""
    for array, kept in before:
        array[:] = kept
