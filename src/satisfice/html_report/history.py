"""How the evidence of a study grew, from its event log."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from satisfice.search.verdict import ArmStatus
from satisfice.stopping.decision import ACCEPT, REJECT
from satisfice.study import Study, StudyView
from satisfice.study.evaluations import evaluations_of
from satisfice.study.events import Event
from satisfice.study.state import StudyState


@dataclass(frozen=True)
class Line:
    """One configuration: points of (evaluations of the study, share of the evidence that a decision takes).

    Shares are positive for passing and negative for failing.
    """

    name: str
    points: tuple[tuple[int, float], ...]


@dataclass(frozen=True)
class History:
    """What happened up to a view: evidence over time, failures by config and reason, and when the last one ended."""

    lines: list[Line]
    failures: Counter[tuple[str, str]]
    last_told_at: float | None


def history_of(study: Study, view: StudyView, names: Sequence[str], *, most_points: int = 160) -> History:
    """The history of a study up to a view, with the evidence of some configs after about so many of all evaluations.

    The log is read once.
    """
    points: dict[str, list[tuple[int, float]]] = {name: [] for name in names}
    every = max(1, view.counts.folded // most_points)
    failures: Counter[tuple[str, str]] = Counter()
    last = None
    for one in evaluations_of(view.spec, _followed(study.events(view.position), view, points, every)):
        last = one.told_at
        if one.failure is not None:
            failures[one.config, one.failure] += 1
    return History([Line(name, tuple(some)) for name, some in points.items()], failures, last)


def _followed(
    events: Iterable[Event], view: StudyView, points: dict[str, list[tuple[int, float]]], every: int
) -> Iterator[Event]:
    """The events as they come, while points are added after every so many evaluations."""
    places = {name: view.spec.places[name] for name in points}
    state, seen = StudyState(view.spec), -1
    for event in events:
        if places:
            state.apply(event)
            folded = int(state.search.pulls.sum())
            if folded > seen and (folded % every == 0 or state.ended):
                seen = folded
                for name, place in places.items():
                    points[name].append((folded, leaning(state.search.status(place))))
        yield event


def leaning(status: ArmStatus) -> float:
    """The share of the evidence for passing, or minus that for failing, whichever is more."""
    if status.decision in (ACCEPT, REJECT):
        return 1.0 if status.decision == ACCEPT else -1.0
    passing = max(0.0, min(status.accept_progress, default=0.0))
    failing = max(0.0, max(status.reject_progress, default=0.0))
    return min(passing, 1.0) if passing >= failing else -min(failing, 1.0)
