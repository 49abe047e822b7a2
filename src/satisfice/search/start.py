"""A search that begins with what earlier results say."""

from collections.abc import Sequence
from math import inf
from typing import cast

import numpy as np

from satisfice.errors import InvalidProblem
from satisfice.problem.goal import wanted_by
from satisfice.problem.problem import Problem
from satisfice.rules.protocol import MarginRule, SamplingRule, kind_of
from satisfice.search.absorb import margin_and_sd, place, score_of, weighted
from satisfice.search.costs import Costs, cost_of
from satisfice.search.earlier import MARGIN, MOST_WORTH, WORTH, Earlier, doubted, worth
from satisfice.search.state import TOTAL, UNDECIDED, Parts, SearchState
from satisfice.search.tournament import climb
from satisfice.stopping.decision import KEEP, REJECT


def start_from(state: SearchState, parts: Parts, earlier: Earlier) -> None:
    """Score arms by their earlier results: of which all metrics are known from these, none needs a first try."""
    check_steerable(parts.rule)
    state.earlier[MARGIN], state.earlier[WORTH] = earlier.margins, np.minimum(earlier.worth, MOST_WORTH)
    state.earlier_worth[:] = state.earlier[WORTH]
    state.margins[:], state.tolerances[:] = earlier.margins, earlier.tolerances
    rescore(state, parts)


def rule_out(state: SearchState, arms: Sequence[int]) -> None:
    """Reject arms of which it is known that they fail before anything is evaluated."""
    for arm in arms:
        state.decisions[arm] = REJECT
        state.counts[UNDECIDED] -= 1
        climb(state.board, arm, -inf)


def arms_in_question(problem: Problem, arms: int, ruled_out: int) -> int:
    """How many arms share the error rate: those that are not ruled out beforehand, unless noise is declared by arm."""
    if any(metric.process.by_arm(metric.noise) for metric in problem.metrics):
        return arms
    return max(arms - ruled_out, wanted_by(problem.goal, arms), 1)


def doubt_when_due(state: SearchState, parts: Parts) -> None:
    """After 2, 4, 8, ... new results in all: ask how far they contradict the earlier ones, and score all arms anew."""
    if state.earlier.shape[1] == 0:
        return
    total = int(state.counts[TOTAL])
    if total < 2 or total & (total - 1) != 0:
        return
    places = [
        (arm, metric)
        for arm in np.flatnonzero(state.pulls).tolist()
        for metric in np.flatnonzero(state.earlier[WORTH, arm]).tolist()
    ]
    found = {each: margin_and_sd(state, parts.noise, *each, int(state.pulls[each[0]]))[0] for each in places}
    margins = {each: margin for each, margin in found.items() if margin < inf}  # of others nothing is left to know
    if not margins:
        return
    arms, metrics = np.array(list(margins)).T
    variances = 1.0 / state.pulls[arms] + 1.0 / state.earlier[WORTH, arms, metrics]
    apart = state.earlier[MARGIN, arms, metrics] - list(margins.values())
    state.earlier_worth[:] = doubted(state.earlier[WORTH], variances, apart)
    rescore(state, parts)


def rescore(state: SearchState, parts: Parts) -> None:
    """Score all arms of which something is known, as far as they are not decided."""
    rule = parts.rule
    drawn, total = kind_of(type(rule)).by_draws, int(state.counts[TOTAL])
    for arm in np.flatnonzero(state.decisions == KEEP).tolist():
        pulls, known = int(state.pulls[arm]), worth(state, arm)
        state.ahead[arm] = 0
        if pulls > 0:
            place(rule, state, parts, arm, KEEP, score_of(rule, state, parts, arm, pulls, 0.0, total))
        elif known > 0:
            place(rule, state, parts, arm, KEEP, 0.0 if drawn else _untried_score(state, parts, arm, known))


def reprice(state: SearchState, parts: Parts, costs: Costs) -> None:
    """Score the arms anew of which only earlier results are known: what they are expected to cost has changed."""
    if state.earlier.shape[1] == 0:
        return
    untried = state.pulls == 0
    costs.assume(untried)
    if kind_of(type(parts.rule)).by_draws:
        return
    with np.errstate(all="ignore"):
        for arm in np.flatnonzero((state.decisions == KEEP) & untried).tolist():
            known = worth(state, arm)
            if known > 0:
                place(parts.rule, state, parts, arm, KEEP, _untried_score(state, parts, arm, known))


def _untried_score(state: SearchState, parts: Parts, arm: int, known: int) -> float:
    rule = cast(MarginRule, parts.rule)  # `check_steerable` has seen to it
    priority = rule.margin_priority(state.margins, state.tolerances, arm, known, parts.bonuses[known])
    return float(weighted(rule, priority, cost_of(parts.costs, arm)))


def check_steerable(rule: SamplingRule, problem: Problem | None = None) -> None:
    """InvalidProblem unless the rule goes by margins, and all metrics are measured together."""
    if problem is not None and problem.groups:
        raise InvalidProblem(
            "Earlier results do not steer a study whose metrics are measured in groups. Do without a warm start, or "
            "without groups."
        )
    if not kind_of(type(rule)).by_margins:
        raise InvalidProblem(
            f"{type(rule).__name__} does not look at margins, and earlier results can steer nothing else. Take the "
            "rule 'pandora', which is the default, 'thompson' or 'murphy', or do without a warm start."
        )
