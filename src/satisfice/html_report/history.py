"""How the evidence of a study grew, from its event log."""

from collections.abc import Sequence
from dataclasses import dataclass

from satisfice.search.verdict import ArmStatus
from satisfice.stopping.decision import ACCEPT, REJECT
from satisfice.study import Study
from satisfice.study.state import Replay


@dataclass(frozen=True)
class Line:
    """One configuration: points of (evaluations of the study, share of the evidence that a decision takes).

    Shares are positive for passing and negative for failing.
    """

    name: str
    points: tuple[tuple[int, float], ...]


def evidence_lines(study: Study, names: Sequence[str], *, most_points: int = 160) -> list[Line]:
    """The evidence of some configurations at about `most_points` moments of the study."""
    every = max(1, study.verdict().evaluations // most_points)
    places = {name: study.spec.names.index(name) for name in names}
    points: dict[str, list[tuple[int, float]]] = {name: [] for name in names}
    replay, seen = Replay(study.spec), -1
    for event in study.events():
        replay.apply(event)
        folded = int(replay.folded.sum())
        if folded > seen and (folded % every == 0 or replay.ended):
            seen = folded
            for name, place in places.items():
                points[name].append((folded, leaning(replay.search.status(place))))
    return [Line(name, tuple(some)) for name, some in points.items()]


def leaning(status: ArmStatus) -> float:
    """The share of the evidence for passing, or minus that for failing, whichever is more."""
    if status.decision in (ACCEPT, REJECT):
        return 1.0 if status.decision == ACCEPT else -1.0
    passing = max(0.0, min(status.accept_progress, default=0.0))
    failing = max(0.0, max(status.reject_progress, default=0.0))
    return min(passing, 1.0) if passing >= failing else -min(failing, 1.0)
