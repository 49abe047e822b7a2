"""A verdict that was there before anything was evaluated for it: said at the line of whoever asked for it."""

import warnings

from satisfice.errors import DecidedEarlier, users_level
from satisfice.layout.numbers import counted
from satisfice.search.verdict import Outcome
from satisfice.study.view import StudyView


def warn_if_decided(view: StudyView) -> None:
    """Warn that a study which is to be run has its verdict already."""
    if view.outcome is not Outcome.UNDECIDED:
        warnings.warn(
            f"{view.name!r} was decided before, by {counted(view.verdict.evaluations, 'evaluation')}, and nothing was "
            "evaluated now. If what is measured has changed, create a study of another name, or with a revision= that "
            "changes with it.",
            DecidedEarlier,
            stacklevel=users_level(),
        )
