"""Which arm is evaluated for the first time next, and when: in a first round, or as an opening rule says.

The order of opening follows from the seed of the search, without a table: a Feistel network (Luby and Rackoff 1988) on
the smallest range of 4^h numbers that has all places, walked until the number is a place (Black and Rogaway 2002).
Where evaluations cost differently the cheaper arms are first. All of it follows from what was asked for and folded, so
that a log that is read again leads to the same choices.
"""

from math import inf, sqrt

import numpy as np

from satisfice.arrays import Integers
from satisfice.catalogue import by_class, offers
from satisfice.rules.protocol import IN_MONEY, OPENING, OpeningRule, PricedRule
from satisfice.search.costs import cost_of
from satisfice.search.earlier import worth
from satisfice.search.state import NEXT_OPENED, RULED_OUT, SEED, Parts, SearchState
from satisfice.search.tournament import SCORE, leader_of
from satisfice.stopping.decision import KEEP

UnderWay = Integers | None
ROUNDS = 4
ORDERS = 2.0**53
"""So many orders a simulated run draws one from."""
LOOKED_AHEAD = 16
"""For so many looks ahead a simulation asks whether they are owed."""
LOOKED_BACK = 4
"""Of so many arms that were opened last one may be looked at again in place of a new one."""
MOST_PULLS = 1 << 62
LOW = 0xFFFFFFFF
"""The low 32 bits."""


def busy(under_way: UnderWay, arm: int) -> int:
    """How many evaluations of an arm are under way."""
    if under_way is None:
        return 0
    return int(under_way[arm])


def is_new(state: SearchState, arm: int, under_way: UnderWay) -> bool:
    """Whether an arm has no results, was not asked for, is not ruled out, and nothing is known from earlier ones."""
    return bool(state.pulls[arm] + busy(under_way, arm) + worth(state, arm) == 0 and state.decisions[arm] == KEEP)


def opened(opening: Integers, place: int) -> int:
    """The arm at a place of the order in which arms are evaluated in a first round."""
    if opening.shape[0] == 0:
        return place
    return int(opening[place])


def permuted(place: int, count: int, seed: int) -> int:
    """The place's image under the permutation of 0 .. count - 1 that belongs to the seed."""
    half = 1
    while 1 << (2 * half) < count:
        half += 1
    mask = (1 << half) - 1
    image = place
    while True:
        left = image >> half
        right = image & mask
        for step in range(ROUNDS):
            mixed = scrambled(right + (step << 20), seed)
            left, right = right, left ^ (mixed & mask)
        image = (left << half) | right
        if image < count:
            return image


def scrambled(number: int, seed: int) -> int:
    """A number of 32 bits that depends on all bits of both (the finalizer of MurmurHash3, by Appleby)."""
    mixed = (number * 0x9E3779B1 + (seed & LOW)) & LOW
    mixed = ((mixed ^ (mixed >> 16)) * 0x85EBCA6B + ((seed >> 32) & LOW)) & LOW
    mixed = ((mixed ^ (mixed >> 13)) * 0xC2B2AE35) & LOW
    return mixed ^ (mixed >> 16)


def arm_at(state: SearchState, parts: Parts, place: int) -> int:
    """The arm at a place of the order in which an opening rule opens arms."""
    if parts.opening.shape[0] > 0:
        return int(parts.opening[place])
    return permuted(place, state.pulls.shape[0], int(state.counts[SEED]))


def _first_round(rule: object, state: SearchState, parts: Parts, number: int, under_way: UnderWay) -> int:
    """The first arm that is new, in the order of opening, or -1; the next one, unless results came unasked."""
    if number >= state.pulls.shape[0]:
        return -1
    arm = opened(parts.opening, number)
    if is_new(state, arm, under_way):
        return arm
    for place in range(state.pulls.shape[0]):
        arm = opened(parts.opening, place)
        if is_new(state, arm, under_way):
            return arm
    return -1


def _as_it_says(rule: OpeningRule, state: SearchState, parts: Parts, number: int, under_way: UnderWay) -> int:
    """The next new arm if the rule opens one now, or else an arm to which a look is owed; or -1."""
    find_new(state, parts, under_way)
    if state.counts[NEXT_OPENED] < state.pulls.shape[0]:
        arm = arm_at(state, parts, int(state.counts[NEXT_OPENED]))
        if not state.board[1, SCORE] > -inf:
            return arm
        leader = leader_of(state.board)
        dearer = 1.0  # unless costs were declared nobody knows what a new arm costs
        if parts.opening.shape[0] > 0:
            dearer = cost_of(parts.costs, arm) / cost_of(parts.costs, leader)
        priority = at_cost_1(rule, state.board[1, SCORE], cost_of(parts.costs, leader))
        weakest = weakest_of(state, leader)
        asked = number - int(state.counts[RULED_OUT])  # an arm that is out at once was no alternative to the leader
        if rule.opens(priority, weakest, asked, dearer):
            newest = pursued(rule, state, parts, leader, weakest, under_way)
            return newest if newest >= 0 else arm
    return owed(rule, state, parts, number, under_way)


def pursued(
    rule: OpeningRule, state: SearchState, parts: Parts, leader: int, weakest: float, under_way: UnderWay
) -> int:
    """The newest of the last few arms that were opened which the rule would look at again, or -1."""
    newest = int(state.counts[NEXT_OPENED]) - 1
    for place in range(newest, max(newest - LOOKED_BACK, -1), -1):
        arm = arm_at(state, parts, place)
        if arm == leader or state.pulls[arm] == 0 or state.decisions[arm] != KEEP or busy(under_way, arm) > 0:
            continue
        dearer = cost_of(parts.costs, arm) / cost_of(parts.costs, leader)
        if rule.pursues(weakest_of(state, arm), weakest, dearer):
            return arm
    return -1


due_first = by_class(lambda rule: _as_it_says if offers(rule, OPENING) else _first_round)
"""(rule, state, parts, number, under way) -> an arm that is due whoever leads, or -1."""


def _out_of_money(rule: PricedRule, score: float, cost: float) -> float:
    return score / cost


def _as_it_is(rule: object, score: float, cost: float) -> float:
    return score


at_cost_1 = by_class(lambda rule: _out_of_money if offers(rule, IN_MONEY) else _as_it_is)
"""(rule, score, cost) -> the priority of an arm with that score whose evaluations cost so much."""


def find_new(state: SearchState, parts: Parts, under_way: UnderWay) -> None:
    """Let `NEXT_OPENED` be the first place whose arm is new, and the number of arms if none is."""
    place = int(state.counts[NEXT_OPENED])
    while place < state.pulls.shape[0] and not is_new(state, arm_at(state, parts, place), under_way):
        place += 1
    state.counts[NEXT_OPENED] = place


def _nothing_new(rule: object, state: SearchState, parts: Parts, under_way: UnderWay) -> None:
    """In a first round nobody asks which arm is new."""


def _find_new(rule: OpeningRule, state: SearchState, parts: Parts, under_way: UnderWay) -> None:
    find_new(state, parts, under_way)


note_ask = by_class(lambda rule: _find_new if offers(rule, OPENING) else _nothing_new)
"""(rule, state, parts, under way): what a choice leaves behind of the order of opening, where it was made elsewhere."""


def weakest_of(state: SearchState, arm: int) -> float:
    """By how much the arm's weakest metric is within tolerance, in its unit of noise."""
    weakest = inf
    for metric in range(state.margins.shape[1]):
        weakest = min(weakest, state.margins[arm, metric] + state.tolerances[arm, metric])
    return weakest


def standing(state: SearchState, arm: int) -> float:
    """By how many standard errors the arm's weakest metric is within tolerance, 0 while nothing is known of it."""
    known = state.pulls[arm] + worth(state, arm)
    return weakest_of(state, arm) * sqrt(1.0 * known) if known > 0 else 0.0


def dearer_than_others(state: SearchState, parts: Parts, arm: int) -> float:
    """How many times as dear an arm is as the cheapest one; where costs are learned as it goes, as the leader."""
    if parts.costs.shape[0] == 1:
        return 1.0
    if parts.opening.shape[0] > 0:
        return float(cost_of(parts.costs, arm) / cost_of(parts.costs, int(parts.opening[0])))
    return float(max(1.0, cost_of(parts.costs, arm) / cost_of(parts.costs, leader_of(state.board))))


def owed(rule: OpeningRule, state: SearchState, parts: Parts, number: int, under_way: UnderWay) -> int:
    """The arm whose turn it is to be looked at, if it was opened, is not decided and a look is owed to it; or -1."""
    arm = in_turn(rule, state, number)
    return arm if arm >= 0 and is_owed_to(arm, rule, state, parts, number, under_way) else -1


def in_turn(rule: OpeningRule, state: SearchState, number: int) -> int:
    """The arm that ask `number` may be a forced look at, or -1."""
    every = rule.looks_every()
    return int(number // every % state.pulls.shape[0]) if number % every == 0 else -1


def is_owed_to(arm: int, rule: OpeningRule, state: SearchState, parts: Parts, number: int, under_way: UnderWay) -> bool:
    """Whether a look is owed to an arm whose turn it is at ask `number`; dear arms are owed fewer."""
    if not is_seldom_seen(arm, rule, state, number, under_way):
        return False
    looks = rule.looks_owed(number, state.pulls.shape[0], standing(state, arm)) / dearer_than_others(state, parts, arm)
    return bool(state.pulls[arm] + busy(under_way, arm) < looks)


def is_seldom_seen(arm: int, rule: OpeningRule, state: SearchState, number: int, under_way: UnderWay) -> bool:
    """Whether an arm is open, undecided, and has fewer results than are owed to one against which nothing speaks.

    As far as that follows from what was asked for and folded, whatever margins, scores and costs are.
    """
    arms = state.pulls.shape[0]
    if state.decisions[arm] != KEEP or state.pulls[arm] + busy(under_way, arm) >= rule.looks_owed(number, arms, 0.0):
        return False
    return not (state.counts[NEXT_OPENED] < arms and is_new(state, arm, under_way))


def _none_in_first_round(rule: object, state: SearchState, parts: Parts, total: int) -> int:
    return 1 if total < state.pulls.shape[0] else MOST_PULLS


def _until_due(rule: OpeningRule, state: SearchState, parts: Parts, total: int) -> int:
    """One while there are new arms, else until the next look that is owed, as far as that is looked for."""
    arms = state.pulls.shape[0]
    if state.counts[NEXT_OPENED] < arms:
        return 1
    every = rule.looks_every()
    number = total - total % every
    arm = number // every % arms
    for _ in range(LOOKED_AHEAD):
        number += every
        arm = arm + 1 if arm + 1 < arms else 0
        if is_owed_to(arm, rule, state, parts, number, None):
            break
    return int(number - total)


pulls_until_due = by_class(lambda rule: _until_due if offers(rule, OPENING) else _none_in_first_round)
"""(rule, state, parts, total) -> for how many pulls of the leader no other arm is due."""


def seed_from(rng: np.random.Generator) -> int:
    """The seed of a simulated run's order of opening: the first that it draws."""
    return int(rng.random() * ORDERS)


def _no_seed(rule: object, state: SearchState, rng: np.random.Generator) -> None:
    """In the first round arms are taken as they come."""


def _drawn_seed(rule: OpeningRule, state: SearchState, rng: np.random.Generator) -> None:
    state.counts[SEED] = seed_from(rng)


draw_seed = by_class(lambda rule: _drawn_seed if offers(rule, OPENING) else _no_seed)
"""(rule, state, rng): begin a simulated run with an order of opening of its own, where there is one."""
