"""Lending capital to the arm that is asked for next, where the stopping rule does so: before every ask. Only here."""

from satisfice.catalogue import by_class, offers
from satisfice.rules.protocol import OPENING, OpeningRule
from satisfice.search.opening import UnderWay, busy, find_new, in_turn, is_seldom_seen
from satisfice.search.state import Parts, SearchState
from satisfice.stopping.protocol import EntrustingJudge, Judge, entrusts


def entrust(state: SearchState, parts: Parts, arm: int, number: int, under_way: UnderWay) -> None:
    """Let capital go to the arm of ask `number` if it leads and looks good, and who holds it has nothing under way.

    It follows from what was asked for and folded, and needs no scores.
    """
    lend(parts.judge, state, parts, arm, number, under_way)


def _lent(judge: EntrustingJudge, state: SearchState, parts: Parts, arm: int, number: int, under_way: UnderWay) -> None:
    holder = judge.holder(state.memory)
    if arm == holder or state.pulls[arm] == 0 or not may_give(holder, under_way):
        return
    if is_owed(parts.rule, state, parts, arm, number, under_way):
        return
    asked = int(state.pulls[arm]) + busy(under_way, arm)
    judge.entrust(state.deficits_within, state.more_within, state.memory, state.pulls, arm, asked)


def may_give(holder: int, under_way: UnderWay) -> bool:
    """Whether the arm that holds the capital, if there is one, has nothing under way (`stopping.transfer`, (i))."""
    return holder < 0 or busy(under_way, holder) == 0


def _not_lent(judge: Judge, state: SearchState, parts: Parts, arm: int, number: int, under_way: UnderWay) -> None:
    """Nothing is moved."""


lend = by_class(lambda judge: _lent if entrusts(judge) else _not_lent)
"""(judge, state, parts, arm, number, under way)."""


def _forced(rule: OpeningRule, state: SearchState, parts: Parts, arm: int, number: int, under_way: UnderWay) -> bool:
    find_new(state, parts, under_way)
    return in_turn(rule, state, number) == arm and is_seldom_seen(arm, rule, state, number, under_way)


def _never(rule: object, state: SearchState, parts: Parts, arm: int, number: int, under_way: UnderWay) -> bool:
    return False


is_owed = by_class(lambda rule: _forced if offers(rule, OPENING) else _never)
"""(rule, state, parts, arm, number, under way) -> whether the ask may be a look that was owed to the arm."""


def _unless_it_holds(judge: EntrustingJudge, state: SearchState, arm: int) -> bool:
    return judge.holder(state.memory) != arm


def _not_to_be_lent(judge: Judge, state: SearchState, arm: int) -> bool:
    return False


may_be_lent_to = by_class(lambda judge: _unless_it_holds if entrusts(judge) else _not_to_be_lent)
"""(judge, state, arm) -> whether capital may be lent to the arm before its next pull, if it looks good then."""
