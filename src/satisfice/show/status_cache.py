"""What is known of many configurations, computed where it is looked at: intervals take milliseconds each."""

from collections.abc import Collection
from math import inf, nan
from time import monotonic

from satisfice.noise.process import Interval
from satisfice.search.verdict import ArmStatus
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT
from satisfice.study import StudyView


class StatusCache:
    """Keeps the statuses of a study's configurations; those that matter most are brought up to date first."""

    def __init__(self, metrics: int) -> None:
        self._known: dict[str, ArmStatus] = {}
        self._nothing = (nan,) * metrics, (Interval(-inf, inf),) * metrics

    def statuses(
        self, view: StudyView, running: Collection[str] = (), *, seconds: float = inf, most: int | None = None
    ) -> tuple[ArmStatus, ...]:
        """All configurations in their order, with as many up to date as `seconds` and `most` allow.

        Of the others, the number of evaluations and the decision are right, and estimates may be old or missing.
        """
        pulls = view.evaluations
        decisions = dict.fromkeys(view.verdict.rejected, REJECT) | dict.fromkeys(view.verdict.accepted, ACCEPT)

        def interest(name: str) -> tuple[bool, bool, bool, int]:
            decision = decisions.get(name, KEEP)
            return decision == ACCEPT, name in running, decision == KEEP, pulls[name]

        until = monotonic() + seconds
        for name in sorted(pulls, key=interest, reverse=True)[:most]:
            known = self._known.get(name)
            if known is None or (known.pulls, known.decision) != (pulls[name], decisions.get(name, KEEP)):
                self._known[name] = view.status(name)
                if monotonic() >= until:
                    break
        return tuple(self._status(name, count, decisions.get(name, KEEP)) for name, count in pulls.items())

    def _status(self, name: str, pulls: int, decision: int) -> ArmStatus:
        known = self._known.get(name)
        if known is None:
            return ArmStatus(name, pulls, *self._nothing, decision)
        if (known.pulls, known.decision) == (pulls, decision):
            return known
        progress = known.accept_progress, known.reject_progress
        return ArmStatus(name, pulls, known.means, known.intervals, decision, *progress, known.results)
