"""Taking in a result: fold it into the sums, decide about its arm, move capital, score the arm anew.

`absorb` does all of it; for metrics in groups `grouped` does. A simulation that pulls one arm while it stays ahead
calls `take_in` for every result, and `conclude` once: between them nothing is looked at that `conclude` writes.
"""

from collections.abc import Callable
from math import inf

from satisfice.arrays import Floats
from satisfice.catalogue import by_class, offers
from satisfice.noise.kinds import NoiseTable, ratio_of
from satisfice.noise.process import TOLERANCE
from satisfice.rules.protocol import (
    CLOCK,
    DRAWN,
    IN_MONEY,
    INDEX,
    MARGIN,
    RESCORED_PER_CHOICE,
    ClockRule,
    IndexRule,
    Kind,
    MarginRule,
    PricedRule,
    kind_of,
)
from satisfice.search.costs import cost_of
from satisfice.search.earlier import steer, worth
from satisfice.search.pooling import VARIANCE, WEIGHT, next_pooling, pool
from satisfice.search.state import (
    ACCEPTED,
    LAST,
    POOL_AT,
    RULED_OUT,
    TOTAL,
    UNDECIDED,
    UNSCORED,
    Parts,
    SearchState,
    first_round,
)
from satisfice.search.tournament import climb
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT, excess_of, shortfall_of


def absorb(state: SearchState, parts: Parts, arm: int) -> float:
    """Take in `state.results` of an arm; a decided arm's are only counted. Returns the arm's new score."""
    pulls = int(state.pulls[arm]) + 1
    total = int(state.counts[TOTAL]) + 1
    if state.decisions[arm] != KEEP:
        fold(state, parts.noise, arm)
        state.pulls[arm] = pulls
        state.counts[TOTAL] = total
        pool_when_due(state, parts, total)
        return -inf
    decision, score = take_in(state, parts, arm, pulls, total)
    conclude(state, parts, arm, pulls, total, decision, score)
    return score


def take_in(state: SearchState, parts: Parts, arm: int, pulls: int, total: int) -> tuple[int, float]:
    """Fold `state.results`, the arm's result number `pulls` and number `total` of all; what is decided, and its score.

    An arm that is decided scores minus infinity.
    """
    return looked_at(state, parts, arm, pulls, total, fold(state, parts.noise, arm))


def looked_at(state: SearchState, parts: Parts, arm: int, pulls: int, total: int, largest: float) -> tuple[int, float]:
    """The same where the result is folded already, and the largest sum of deficits known."""
    decision, shortfall = judged_by(state, parts, arm, pulls, largest)
    if decision != KEEP:
        return decision, -inf
    return KEEP, score_of(parts.rule, state, parts, arm, pulls, shortfall, total)


def judged_by(state: SearchState, parts: Parts, arm: int, pulls: int, largest: float) -> tuple[int, float]:
    """What is decided by sums of which the largest is known, and the arm's shortfall."""
    shortfall = largest / pulls
    enough = parts.judge.accepts(state.deficits_within, state.more_within, state.memory, arm, pulls, shortfall)
    if enough and pulls >= parts.least:
        return ACCEPT, shortfall
    if parts.judge.rejects(state.deficits, state.more, arm, pulls, shortfall):
        return REJECT, shortfall
    return KEEP, shortfall


def conclude(state: SearchState, parts: Parts, arm: int, pulls: int, total: int, decision: int, score: float) -> None:
    """Write down what was decided and scored after the latest result."""
    decide(state, parts, arm, pulls, total, decision, score)
    pool_when_due(state, parts, total)


def decide(state: SearchState, parts: Parts, arm: int, pulls: int, total: int, decision: int, score: float) -> None:
    """Write down what was decided about an arm, and let later choices know its score."""
    state.pulls[arm] = pulls
    state.ahead[arm] = 0
    state.counts[TOTAL] = total
    if decision != KEEP:
        state.decisions[arm] = decision
        state.decided_at[arm] = total
        state.counts[UNDECIDED] -= 1
        if decision == ACCEPT:
            state.counts[ACCEPTED] += 1
        elif is_ruled_out(state, parts.noise, arm):
            state.counts[RULED_OUT] += 1
    place(parts.rule, state, parts, arm, decision, score)


def is_ruled_out(state: SearchState, noise: NoiseTable, arm: int) -> bool:
    """Whether a metric of which one result is all there is to know misses its limit."""
    for metric in range(state.deficits.shape[1]):
        if noise.certain[metric] == 1 and state.deficits[arm, metric] > 0.0:
            return True
    return False


def fold(state: SearchState, noise: NoiseTable, arm: int) -> float:
    """Add `state.results` to the arm's sums; the largest sum of deficits comes back."""
    largest = fold_into(state.deficits, state.more, state.results, state.weights, noise, arm)
    if noise.two_sided:
        fold_into(state.deficits_within, state.more_within, state.results_within, state.weights, noise, arm)
    return largest


def fold_into(deficits: Floats, more: Floats, results: Floats, weights: Floats, noise: NoiseTable, arm: int) -> float:
    """Add results to sums; the largest sum of deficits comes back."""
    largest = -inf
    for metric in range(results.shape[0]):
        total = deficits[arm, metric] + results[metric]
        deficits[arm, metric] = total
        largest = max(largest, total)
    if more.shape[2] > 0:
        for metric in range(results.shape[0]):
            sums = more[arm, metric]
            sums[0] += results[metric] * results[metric]
            if noise.own_sums:
                noise.fold(metric, sums, results[metric], weights[metric])
    return largest


def update_margins(state: SearchState, noise: NoiseTable, arm: int, pulls: int) -> None:
    """Write the arm's margins beyond the thresholds and its tolerances, in standard deviations of one result.

    A margin is a score of the results against the threshold over the root of their number, where the score is
    distributed nearly as a standard normal variable if the mean is there.
    """
    for metric in range(state.margins.shape[1]):
        margin, sd = margin_and_sd(state, noise, arm, metric, pulls)
        state.margins[arm, metric] = margin
        state.tolerances[arm, metric] = noise.numbers[metric][TOLERANCE] / sd if sd > 0.0 else 0.0
    if state.earlier.shape[1] > 0:
        steer(state, arm, pulls)


def margin_and_sd(state: SearchState, noise: NoiseTable, arm: int, metric: int, pulls: int) -> tuple[float, float]:
    """The margin of one metric of an arm, and the standard deviation of one of its results."""
    deficit, more, pooled = state.deficits_within[arm, metric], state.more_within[arm, metric], state.pooled
    ratio, variance, weight = ratio_of(noise, arm, metric), pooled[VARIANCE, metric], pooled[WEIGHT, metric]
    return noise.margin_and_sd(metric, pulls, deficit, more, ratio, variance, weight)


def _by_index(
    rule: IndexRule, state: SearchState, parts: Parts, arm: int, pulls: int, shortfall: float, total: int
) -> float:
    excess = excess_of(state.deficits, arm, pulls, parts.tolerances)  # costs nothing where it is not looked at
    return rule.priority(shortfall, excess, parts.bonuses[pulls])


def _by_margins(
    rule: MarginRule, state: SearchState, parts: Parts, arm: int, pulls: int, shortfall: float, total: int
) -> float:
    update_margins(state, parts.noise, arm, pulls)
    known = pulls + worth(state, arm)
    priority = rule.margin_priority(state.margins, state.tolerances, arm, known, parts.bonuses[known])
    score: float = weighted(rule, priority, cost_of(parts.costs, arm))
    return score


def _in_money(rule: PricedRule, priority: float, cost: float) -> float:
    return rule.in_money(priority, cost)


def _in_pulls(rule: object, priority: float, cost: float) -> float:
    return priority


weighted = by_class(lambda rule: _in_money if offers(rule, IN_MONEY) else _in_pulls)
"""(rule, priority, cost of one evaluation) -> the score, in money where the rule knows what its priority is worth."""


def _by_clock(
    rule: ClockRule, state: SearchState, parts: Parts, arm: int, pulls: int, shortfall: float, total: int
) -> float:
    excess = excess_of(state.deficits, arm, pulls, parts.tolerances)
    return rule.priority_at(shortfall, excess, parts.bonuses[pulls], total)


def _by_draws(
    rule: object, state: SearchState, parts: Parts, arm: int, pulls: int, shortfall: float, total: int
) -> float:
    update_margins(state, parts.noise, arm, pulls)
    return 0.0


SCORES: dict[Kind, Callable[..., float]] = {INDEX: _by_index, MARGIN: _by_margins, CLOCK: _by_clock, DRAWN: _by_draws}

score_of = by_class(lambda rule: SCORES[kind_of(rule)])
"""(rule, state, parts, arm, pulls, shortfall, total) -> the score of an arm after a result of its own."""


def _place_on_board(rule: object, state: SearchState, parts: Parts, arm: int, decision: int, score: float) -> None:
    climb(state.board, arm, score)


def _leave_to_the_clock(rule: object, state: SearchState, parts: Parts, arm: int, decision: int, score: float) -> None:
    """Scores are computed when a choice is made, from these."""
    pulls = state.pulls[arm]
    state.shortfalls[arm] = shortfall_of(state.deficits, arm, pulls)
    state.excesses[arm] = excess_of(state.deficits, arm, pulls, parts.tolerances)
    state.bonuses[arm] = parts.bonuses[pulls]


def _mark_unscored(rule: object, state: SearchState, parts: Parts, arm: int, decision: int, score: float) -> None:
    if decision != KEEP:
        climb(state.board, arm, -inf)
    if state.pulls.shape[0] <= RESCORED_PER_CHOICE:
        return  # all are drawn anew whenever a choice is made
    unscored = 1 if decision == KEEP else 0
    state.counts[UNSCORED] += unscored - state.unscored[arm]
    state.unscored[arm] = unscored
    if unscored == 1:
        state.counts[LAST] = arm


PLACES: dict[Kind, Callable[..., None]] = {
    INDEX: _place_on_board,
    MARGIN: _place_on_board,
    CLOCK: _leave_to_the_clock,
    DRAWN: _mark_unscored,
}

place = by_class(lambda rule: PLACES[kind_of(rule)])
"""(rule, state, parts, arm, decision, score): let later choices know of the arm's new score."""


def _never_pooled(rule: object, state: SearchState, parts: Parts, total: int) -> None:
    """The rule does not look at margins."""


def _pooled(rule: object, state: SearchState, parts: Parts, total: int) -> None:
    arms = state.pulls.shape[0]
    state.counts[POOL_AT] = next_pooling(first_round(parts.rule, arms), total)
    pool(state.pooled, state.deficits, state.more, state.pulls, parts.noise)
    for arm in range(arms):
        pulls = state.pulls[arm]
        state.ahead[arm] = 0  # results that wait are scored anew, too, also those of an arm that has no others
        if pulls > 0 and state.decisions[arm] == KEEP:
            shortfall = 0.0  # not looked at by rules that look at margins
            score = score_of(parts.rule, state, parts, arm, pulls, shortfall, total)
            place(parts.rule, state, parts, arm, KEEP, score)


pool_by_rule = by_class(lambda rule: _pooled if kind_of(rule).by_margins else _never_pooled)
"""(rule, state, parts, total): pool the variances, and score all arms anew, if the rule looks at margins."""


def pool_when_due(state: SearchState, parts: Parts, total: int) -> None:
    """Now and then let every arm's score follow from what all arms say about their variance."""
    if parts.noise.pools and total >= state.counts[POOL_AT]:
        pool_by_rule(parts.rule, state, parts, total)
