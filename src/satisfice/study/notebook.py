"""Progress of a run in a notebook: one output that is drawn anew."""

import sys
from collections.abc import Callable
from time import monotonic
from typing import TYPE_CHECKING, Any

from satisfice.search.verdict import Outcome

if TYPE_CHECKING:
    from satisfice.study.progress import RunProgress

FRAME_SECONDS = 0.5
SHARE = 0.1
"""The largest part of a run's time that drawing takes."""


class Shown:
    """What is shown, as a notebook asks for it."""

    def __init__(self, html: str) -> None:
        self._html = html

    def _repr_html_(self) -> str:
        return self._html


def notebook_progress() -> "Callable[[RunProgress], None] | None":
    """What to tell progress to where a notebook runs this; None anywhere else."""
    if "ipykernel" not in sys.modules:
        return None
    from IPython import display  # noqa: PLC0415 - there is a notebook, and it has it

    show: Any = display.display
    handle, due = None, 0.0

    def tell(progress: "RunProgress") -> None:
        nonlocal handle, due
        began, ended = monotonic(), progress.view.outcome is not Outcome.UNDECIDED
        if began < due and not ended:
            return
        shown = Shown(progress.view._repr_html_(most=10))
        if handle is None:
            handle = show(shown, display_id=True)
        else:
            handle.update(shown)
        due = began + max(FRAME_SECONDS, (monotonic() - began) / SHARE)

    return tell
