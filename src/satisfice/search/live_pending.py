"""What a live search decides while results are missing, as `pending` has it."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from satisfice.problem.results import Row
from satisfice.search.absorb import fold
from satisfice.search.live_absorb import LiveAbsorb, Sums
from satisfice.search.observations import Observations
from satisfice.search.pending import (
    BOTH,
    MOST_AHEAD,
    decide_now,
    decides,
    is_due,
    may_decide,
    rests_on_enough,
    score_ahead,
    suppose,
)
from satisfice.search.state import Parts, SearchState
from satisfice.stopping.decision import KEEP

Result = tuple[Row, Row]
"""An arm's result and that of the baseline."""
Line = Iterable[Result | None]
"""An arm's results, None where one is missing, in the order of asking, from the first that is not folded to the last
one that has come."""


class FoldedAhead(NamedTuple):
    """What an arm's sums are once these results, which wait, were folded after its first `pulls`."""

    pulls: int
    came: list[Result]
    sums: Sums


class WentAlong(NamedTuple):
    """A line whose missing results were supposed, by which nothing was decided: the arm's sums before, `start`, and
    after it."""

    start: Sums
    line: Sequence[Result | None]
    sums: Sums


def may_be_decided(state: SearchState, parts: Parts, arm: int, waiting: int) -> bool:
    """Whether to look now if the results that wait for an earlier one, `waiting` of them, decide about an arm."""
    if state.decisions[arm] != KEEP or not is_due(waiting):
        return False
    judge, noise = parts.judge, parts.noise
    return any(may_decide(judge, state, noise, arm, decision) for decision in BOTH)


class Looks(dict[tuple[int, int], WentAlong]):
    """For each arm and decision, how far along its line the last look came: the next one goes on from there."""

    def last(self, arm: int, start: Sums, line: Sequence[Result | None], decision: int) -> WentAlong | None:
        """The last look, if it began with the same sums and the results that it saw are still the first of the line."""
        found = self.pop((arm, decision), None)
        if found is None or found.line != line[: len(found.line)]:
            return None
        return found if all(map(np.array_equal, found.start, start)) else None


def decided_early(
    state: SearchState,
    parts: Parts,
    observations: Observations,
    absorb: LiveAbsorb,
    arm: int,
    line: Sequence[Result | None],
    looks: Looks,
) -> bool:
    """Decide about an arm if results that have come before their turn do, whatever the missing ones turn out to be."""
    before = absorb.sums_of(arm)
    with np.errstate(all="ignore"):
        for decision in BOTH:
            if may_decide(parts.judge, state, parts.noise, arm, decision):
                last, known = looks.last(arm, before, line, decision), 0
                if last is not None:
                    absorb.put(arm, last.sums)
                    known = len(last.line)
                go_along = partial(_came_until_decided, parts, observations, arm, line, known, decision)
                came = absorb.try_out(arm, go_along)
                if not came:
                    looks[arm, decision] = WentAlong(before, line, absorb.sums_of(arm))
                absorb.put(arm, before)
                if came:
                    decide_now(state, parts, arm, decision, came)
                    return True
    return False


def first_come(line: Line) -> list[Result]:
    """The results of a line that steer the choice."""
    return list(islice((results for results in line if results is not None), MOST_AHEAD))


def look_ahead(
    state: SearchState,
    parts: Parts,
    observations: Observations,
    absorb: LiveAbsorb,
    arm: int,
    came: list[Result],
    before: FoldedAhead | None = None,
) -> FoldedAhead:
    """Let results of an arm that have come before their turn steer the choice; what was folded for that.

    Most of them waited at the look `before`, too, as a rule: then only the others are folded, on top of its sums.
    """
    aside, pulls, known = absorb.sums_of(arm), int(state.pulls[arm]), 0
    if before is not None and before.pulls == pulls and before.came == came[: len(before.came)]:
        absorb.put(arm, before.sums)
        known = len(before.came)

    def fold_and_score(views: SearchState) -> None:
        for results in came[known:]:
            observations.write(views, *results)
            fold(views, parts.noise, arm)
        score_ahead(views, parts, arm, len(came))

    with np.errstate(all="ignore"):
        absorb.try_out(arm, fold_and_score)
    sums = absorb.sums_of(arm)
    absorb.put(arm, aside)
    return FoldedAhead(pulls, came, sums)


def _came_until_decided(
    parts: Parts,
    observations: Observations,
    arm: int,
    line: Sequence[Result | None],
    known: int,
    decision: int,
    state: SearchState,
) -> int:
    """Suppose the missing results: after how many of those that have come the arm is decided so, or 0.

    The first `known` of the line are in the arm's sums.
    """
    came = sum(results is not None for results in line[:known])
    for pulls, results in enumerate(line[known:], int(state.pulls[arm]) + known + 1):
        if results is None:
            suppose(state, parts.noise, decision)
        else:
            observations.write(state, *results)
            came += 1
        if decides(state, parts, arm, pulls, decision) and rests_on_enough(state, parts, arm, decision, came):
            return came
    return 0
