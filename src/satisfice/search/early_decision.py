"""Deciding about an arm while a result that was asked for earlier is still out.

Results enter an arm's evidence in the order in which they were asked for, so that one late result holds up all that
were asked for after it. Where evidence increases with every result (`Process.increasing`), a late one can be given the
worst value that it can have: if the arm is accepted then, at some result that has come, it is accepted there whatever
the late ones turn out to be. To reject, they are given their best values. A verdict waits only for results that could
change it. docs/method/order-safe.md has the proof.

A driver goes along an arm's line, from the first result that is not folded to the last one that has come, and calls
`suppose` where a result is missing, then `decides`; before it `lay_aside`, after it `bring_back`.

Choosing is another matter: it may depend on all that has come. A driver folds the results that wait, calls
`score_ahead`, and brings back what was folded.
"""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats, copy
from satisfice.catalogue import by_class, offers
from satisfice.noise.kinds import NoiseTable
from satisfice.problem.results import Row
from satisfice.rules.protocol import IN_MONEY, OPENING
from satisfice.search.absorb import conclude, fold, place, score_of
from satisfice.search.live import LiveAbsorb, Sums
from satisfice.search.observations import Observations
from satisfice.search.state import TOTAL, Parts, SearchState
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT
from satisfice.stopping.protocol import IncreasingJudge, Judge

LOOKS = 16
"""How often an arm with many waiting results is looked at while their number doubles."""
MOST_AHEAD = 64
"""How many of an arm's waiting results steer the choice, at most; the first in its line. One that never comes may hold
up any number, each of which would be folded anew for every choice."""


class Aside(NamedTuple):
    """Room for what is known of one arm with M metrics: sums (M,) and (M, X), and the judge's memory (C,)."""

    deficits: Floats
    deficits_within: Floats
    more: Floats
    more_within: Floats
    memory: Floats


def new_aside(state: SearchState) -> Aside:
    """Room for one arm of the state."""
    fields = (state.deficits, state.deficits_within, state.more, state.more_within, state.memory)
    return Aside(*(np.zeros(field.shape[1:]) for field in fields))


def lay_aside(state: SearchState, noise: NoiseTable, aside: Aside, arm: int) -> None:
    """Keep what is known of an arm, before something is supposed."""
    copy(state.deficits[arm], aside.deficits)
    copy(state.memory[arm], aside.memory)
    for metric in range(aside.more.shape[0]):
        copy(state.more[arm, metric], aside.more[metric])
    if noise.two_sided:
        copy(state.deficits_within[arm], aside.deficits_within)
        for metric in range(aside.more.shape[0]):
            copy(state.more_within[arm, metric], aside.more_within[metric])


def bring_back(state: SearchState, noise: NoiseTable, aside: Aside, arm: int) -> None:
    """Forget what was supposed of an arm."""
    copy(aside.deficits, state.deficits[arm])
    copy(aside.memory, state.memory[arm])
    for metric in range(aside.more.shape[0]):
        copy(aside.more[metric], state.more[arm, metric])
    if noise.two_sided:
        copy(aside.deficits_within, state.deficits_within[arm])
        for metric in range(aside.more.shape[0]):
            copy(aside.more_within[metric], state.more_within[arm, metric])


def _may_decide(judge: IncreasingJudge, state: SearchState, noise: NoiseTable, arm: int, decision: int) -> bool:
    """Whether every metric has a value to suppose, or is beyond doubt already."""
    if decision == ACCEPT and not judge.increases(state.memory, arm):
        return False
    for metric in range(state.results.shape[0]):
        if decision == ACCEPT:
            if noise.worst[metric] == inf and not judge.is_settled(state.memory, arm, metric):
                return False
        elif noise.best[metric] == -inf:
            return False
    return True


def _never(judge: Judge, state: SearchState, noise: NoiseTable, arm: int, decision: int) -> bool:
    return False


may_decide = by_class(lambda judge: _may_decide if offers(judge, ("increases", "is_settled")) else _never)
"""(judge, state, noise, arm, decision) -> whether that may be decided while results are missing."""


def is_due(waiting: int) -> bool:
    """Whether to look at an arm now, `waiting` results of which wait for an earlier one."""
    every = 1
    while 2 * LOOKS * every <= waiting:
        every *= 2
    return waiting > 0 and waiting % every == 0


def suppose(state: SearchState, noise: NoiseTable, decision: int) -> None:
    """Write into `state.results` what a missing result is at worst or, to reject, at best."""
    for metric in range(state.results.shape[0]):
        value = noise.worst[metric] if decision == ACCEPT else noise.best[metric]
        state.results[metric] = value if -inf < value < inf else 0.0  # not looked at: it is beyond doubt already
        state.results_within[metric] = state.results[metric]


def decides(state: SearchState, parts: Parts, arm: int, pulls: int, decision: int) -> bool:
    """Fold `state.results` as the arm's result number `pulls`; whether that decides about the arm so."""
    shortfall = fold(state, parts.noise, arm) / pulls
    if decision == ACCEPT:
        return bool(parts.judge.accepts(state.deficits_within, state.more_within, state.memory, arm, pulls, shortfall))
    return bool(parts.judge.rejects(state.deficits, state.more, arm, pulls, shortfall))


def rests_on_enough(state: SearchState, parts: Parts, arm: int, decision: int, came: int) -> bool:
    """Whether a decision may rest on what was folded and on `came` results that wait."""
    return came > 0 and (decision != ACCEPT or state.pulls[arm] + came >= parts.least)


def decide_now(state: SearchState, parts: Parts, arm: int, decision: int, came: int) -> None:
    """Write down a decision that rests also on `came` results of the arm that were not folded."""
    pulls = int(state.pulls[arm])
    state.rests_on[arm] = pulls + came
    conclude(state, parts, arm, pulls, int(state.counts[TOTAL]), decision, -inf)


def _looks_ahead(rule: object, state: SearchState, arm: int) -> bool:
    """Of an arm without results the margins may be those of a warm start, and stay so until there are some."""
    untried = state.pulls[arm] == 0 and state.earlier.shape[1] > 0
    return bool(state.decisions[arm] == KEEP) and not untried


def _never_looks(rule: object, state: SearchState, arm: int) -> bool:
    return False


looks_ahead = by_class(lambda rule: _looks_ahead if offers(rule, (*IN_MONEY, *OPENING)) else _never_looks)
"""(rule, state, arm) -> whether the arm's score for choosing rests on results that wait for an earlier one, too."""


def score_ahead(state: SearchState, parts: Parts, arm: int, came: int) -> None:
    """Score an arm whose sums have `came` waiting results in them: they steer the choice, evidence never has them."""
    shortfall = 0.0  # not looked at by rules that look at margins
    score = score_of(parts.rule, state, parts, arm, state.pulls[arm] + came, shortfall, state.counts[TOTAL])
    if isfinite(score):
        place(parts.rule, state, parts, arm, KEEP, score)
        state.ahead[arm] = came


def used(state: SearchState) -> int:
    """How many results the decisions rest on: those folded, and those that were looked at before their turn."""
    return int(state.counts[TOTAL] + np.maximum(0, state.rests_on - state.pulls).sum())


BOTH = (ACCEPT, REJECT)
"""What may be decided, in the order in which it is tried."""


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
