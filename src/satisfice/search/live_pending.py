"""What a live search decides while results are missing, as `pending` has it."""

from collections.abc import Iterable
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


def may_be_decided(state: SearchState, parts: Parts, arm: int, waiting: int) -> bool:
    """Whether it is time to see if so many results that wait for an earlier one decide about an arm."""
    if state.decisions[arm] != KEEP or not is_due(waiting):
        return False
    judge, noise = parts.judge, parts.noise
    return any(may_decide(judge, state, noise, arm, decision) for decision in BOTH)


def decided_early(state: SearchState, parts: Parts, observations: Observations, arm: int, line: Line) -> bool:
    """Decide about an arm if results that have come before their turn do, whatever the missing ones turn out to be."""
    aside = new_aside(state)
    with np.errstate(all="ignore"):
        for decision in BOTH:
            if may_decide(parts.judge, state, parts.noise, arm, decision):
                lay_aside(state, parts.noise, aside, arm)
                came = _came_until_decided(state, parts, observations, arm, line, decision)
                bring_back(state, parts.noise, aside, arm)
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
    state: SearchState, parts: Parts, observations: Observations, arm: int, line: Line, decision: int
) -> int:
    """Suppose the missing results: after how many of those that have come the arm is decided so, or 0."""
    came = 0
    for pulls, results in enumerate(line, int(state.pulls[arm]) + 1):
        if results is None:
            suppose(state, parts.noise, decision)
        else:
            observations.write(state, *results)
            came += 1
        if decides(state, parts, arm, pulls, decision) and rests_on_enough(state, parts, arm, decision, came):
            return came
    return 0
