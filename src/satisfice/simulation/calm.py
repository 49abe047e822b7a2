"""How far the sums of an arm may go before anything can come of its results: a streak only folds them until then.

An arm that leads is pulled again and again, and most of its results decide nothing. Where the rule and the judge know
it, a range is found for the sum of each metric within which the arm is neither accepted nor rejected, no account of it
is full, and it stays ahead of all others, whatever order the results come in. What a streak does within that range is
what it would do if it looked at every result, to the bit (tests/equivalence).
"""

from math import inf

from satisfice.catalogue import by_class, offers
from satisfice.rules.protocol import STEADY, SteadyRule
from satisfice.search.costs import cost_of
from satisfice.search.opening import at_cost_1
from satisfice.search.state import Parts, SearchState
from satisfice.stopping.protocol import CalmJudge, Judge

LOW, HIGH = 0, 1
FEWEST = 4
"""For fewer results a range is not looked for: it would take longer than looking at them."""
CLOSE = 20.0
"""Nor for a leader that the next few results may well put behind: the square of its lead, as a part of its score, times
its results is less than this."""


def is_calm(state: SearchState, arm: int) -> bool:
    """Whether all sums of the arm are within their ranges."""
    within = True
    for metric in range(state.deficits.shape[1]):
        total = state.deficits[arm, metric]
        within &= state.calm[LOW, metric] < total
        within &= total < state.calm[HIGH, metric]
    return within


def _looked_at(
    rule: object, state: SearchState, parts: Parts, arm: int, pulls: int, last: int, score: float, reach: float
) -> int:
    """Every result."""
    return 0


def _steady(
    rule: SteadyRule, state: SearchState, parts: Parts, arm: int, pulls: int, last: int, score: float, reach: float
) -> int:
    if last - pulls < FEWEST or state.earlier.shape[1] > 0 or parts.noise.two_sided:
        return 0
    lead = reach / score - 1.0
    if lead * lead * pulls < CLOSE:
        return 0
    found: int = find_range(parts.judge, rule, state, parts, arm, pulls, last, reach)
    return found


calm_until = by_class(lambda rule: _steady if offers(rule, STEADY) else _looked_at)
"""(rule, state, parts, arm, pulls, last, score, reach) -> up to which of an arm's results `is_calm` says that it need
not be looked at: `last`, or 0. It leads with this score, and others have no more than `reach`."""


def _by_judge(
    judge: CalmJudge,
    rule: SteadyRule,
    state: SearchState,
    parts: Parts,
    arm: int,
    pulls: int,
    last: int,
    reach: float,
) -> int:
    if not judge.is_calm(state.memory, arm):
        return 0
    leeway = inf
    if reach > -inf:
        priority = at_cost_1(rule, reach, cost_of(parts.costs, arm))
        leeway = rule.leeway(state.margins, state.tolerances, arm, pulls, last, parts.bonuses[last], priority)
        if leeway <= 0.0:
            return 0
    now, then = pulls / rule.weight(pulls), last / rule.weight(last)
    for metric in range(state.margins.shape[1]):
        least = -inf
        if leeway < inf:
            least = rule.weight(pulls) * (state.margins[arm, metric] + state.tolerances[arm, metric]) - leeway
        low, high = judge.calm(state.memory, arm, metric, pulls, last, least * (then if least > 0.0 else now))
        state.calm[LOW, metric] = low
        state.calm[HIGH, metric] = high
    return last


def _at_every_result(
    judge: Judge,
    rule: SteadyRule,
    state: SearchState,
    parts: Parts,
    arm: int,
    pulls: int,
    last: int,
    reach: float,
) -> int:
    return 0


find_range = by_class(lambda judge: _by_judge if offers(judge, ("is_calm", "calm")) else _at_every_result)
"""(judge, rule, state, parts, arm, pulls, last, reach) -> the same."""
