"""What a running study reports, and to whom."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypedDict

from satisfice.cluster import ExecutorLike
from satisfice.search.verdict import Verdict
from satisfice.study.pull import Pull
from satisfice.study.retry import Backoff, ExceptionTypes
from satisfice.study.view import StudyView

if TYPE_CHECKING:
    from satisfice.study.study import Study


class RunProgress(NamedTuple):
    """What a running study reports: what is known so far, what this process is evaluating, and what it puts off."""

    study: "Study"
    view: StudyView
    running: tuple[Pull, ...]
    waiting: tuple[Pull, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The verdict so far."""
        return self.view.verdict


OnProgress = Callable[[RunProgress], None]
Until = Callable[[], bool]


class RunOptions(TypedDict, total=False):
    """The options of `Study.run`."""

    workers: int
    executor: ExecutorLike | None
    max_evaluations: int | None
    max_cost: float | None
    max_seconds: float | None
    timeout: float | None
    on_progress: OnProgress | None
    until: Until | None
    with_pull: bool
    patience: float
    retry_on: ExceptionTypes
    worst_on: ExceptionTypes
    wait_on: ExceptionTypes
    backoff: Backoff
