"""What a live search decides while results are missing, as `pending` has it."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from satisfice.problem.results import Row
from satisfice.search.absorb import fold
from satisfice.search.observations import Observations
from satisfice.search.pending import (
    BOTH,
    MOST_AHEAD,
    Aside,
    bring_back,
    decide_now,
    decides,
    is_due,
    lay_aside,
    may_decide,
    new_aside,
    rests_on_enough,
    score_ahead,
    suppose,
)
from satisfice.search.state import Parts, SearchState
from satisfice.stopping.decision import KEEP
from satisfice.stopping.protocol import Judge, entrusts, transfers

Result = tuple[Row, Row]
"""An arm's result and that of the baseline."""
Line = Iterable[Result | None]
"""An arm's results, None where one is missing, in the order of asking, from the first that is not folded to the last
one that has come."""


class FoldedAhead(NamedTuple):
    """What an arm's sums are once these results, which wait, were folded after so many `pulls`."""

    pulls: int
    came: list[Result]
    sums: Aside


class WentAlong(NamedTuple):
    """The same of a line where the missing results were supposed, and nothing was decided by it."""

    pulls: int
    line: Sequence[Result | None]
    sums: Aside


def may_be_decided(state: SearchState, parts: Parts, arm: int, waiting: int) -> bool:
    """Whether it is time to see if so many results that wait for an earlier one decide about an arm."""
    if state.decisions[arm] != KEEP or not is_due(waiting):
        return False
    judge, noise = parts.judge, parts.noise
    return any(may_decide(judge, state, noise, arm, decision) for decision in BOTH)


class Looks(dict[tuple[int, int], WentAlong]):
    """How far a line was gone along at the last look at an arm, for each decision: the next one goes on from there.

    Only where an arm's results are all that changes what is remembered of it.
    """

    def __init__(self, judge: Judge) -> None:
        self._keeps = not entrusts(type(judge)) and not transfers(type(judge))

    def last(self, state: SearchState, arm: int, line: Sequence[Result | None], decision: int) -> WentAlong | None:
        """The last look, if the line begins with what it went along."""
        found = self.pop((arm, decision), None)
        same = found is not None and found.pulls == state.pulls[arm] and found.line == line[: len(found.line)]
        return found if same else None

    def keep(self, arm: int, decision: int, look: WentAlong) -> None:
        if self._keeps:
            self[arm, decision] = look


def decided_early(
    state: SearchState,
    parts: Parts,
    observations: Observations,
    arm: int,
    line: Sequence[Result | None],
    looks: Looks,
    views: SearchState | None = None,
) -> bool:
    """Decide about an arm if results that have come before their turn do, whatever the missing ones turn out to be.

    `views` is the same state in Python's own numbers, if there is such.
    """
    aside = new_aside(state)
    with np.errstate(all="ignore"):
        for decision in BOTH:
            if may_decide(parts.judge, state, parts.noise, arm, decision):
                lay_aside(state, parts.noise, aside, arm)
                last = looks.last(state, arm, line, decision)
                try:
                    came = _came_until_decided(state, parts, observations, arm, line, decision, last, views or state)
                except Exception:
                    if views is None:
                        raise
                    bring_back(state, parts.noise, aside, arm)  # numpy goes on where Python's numbers raise
                    came = _came_until_decided(state, parts, observations, arm, line, decision, last, state)
                if not came:
                    looks.keep(arm, decision, _look(state, parts, arm, line))
                bring_back(state, parts.noise, aside, arm)
                if came:
                    decide_now(state, parts, arm, decision, came)
                    return True
    return False


def _look(state: SearchState, parts: Parts, arm: int, line: Sequence[Result | None]) -> WentAlong:
    sums = new_aside(state)
    lay_aside(state, parts.noise, sums, arm)
    return WentAlong(int(state.pulls[arm]), line, sums)


def first_come(line: Line) -> list[Result]:
    """The results of a line that steer the choice."""
    return list(islice((results for results in line if results is not None), MOST_AHEAD))


def look_ahead(
    state: SearchState,
    parts: Parts,
    observations: Observations,
    arm: int,
    came: list[Result],
    before: FoldedAhead | None = None,
) -> FoldedAhead:
    """Let results of an arm that have come before their turn steer the choice; what was folded for that.

    Most of them waited at the look `before`, too, as a rule: then only the others are folded, on top of its sums.
    """
    aside, sums, pulls, known = new_aside(state), new_aside(state), int(state.pulls[arm]), 0
    with np.errstate(all="ignore"):
        lay_aside(state, parts.noise, aside, arm)
        if before is not None and before.pulls == pulls and before.came == came[: len(before.came)]:
            bring_back(state, parts.noise, before.sums, arm)
            known = len(before.came)
        for results in came[known:]:
            observations.write(state, *results)
            fold(state, parts.noise, arm)
        score_ahead(state, parts, arm, len(came))
        lay_aside(state, parts.noise, sums, arm)
        bring_back(state, parts.noise, aside, arm)
    return FoldedAhead(pulls, came, sums)


def _came_until_decided(
    state: SearchState,
    parts: Parts,
    observations: Observations,
    arm: int,
    line: Sequence[Result | None],
    decision: int,
    last: WentAlong | None,
    views: SearchState,
) -> int:
    """Suppose the missing results: after how many of those that have come the arm is decided so, or 0."""
    known = 0 if last is None else len(last.line)
    came = sum(results is not None for results in line[:known])
    if last is not None:
        bring_back(state, parts.noise, last.sums, arm)
    for pulls, results in enumerate(line[known:], int(state.pulls[arm]) + known + 1):
        if results is None:
            suppose(views, parts.noise, decision)
        else:
            observations.write(views, *results)
            came += 1
        if decides(views, parts, arm, pulls, decision) and rests_on_enough(views, parts, arm, decision, came):
            return came
    return 0
