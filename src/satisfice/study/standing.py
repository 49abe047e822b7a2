"""Whether a study is decided, and whether it stopped."""

from typing import NamedTuple

from satisfice.search.verdict import Outcome
from satisfice.study.state import StudyState


class Standing(NamedTuple):
    """The verdict in one word, why the study stopped if it did, and whether that is for good."""

    outcome: Outcome
    stopped: str | None
    over: bool


def standing_of(state: StudyState) -> Standing:
    return Standing(state.search.outcome, state.stopped, state.over)
