"""A search whose metrics are measured in groups: one evaluation of an arm measures one group of its metrics.

A *line* is an arm and a group, arm * G + group: what is asked for, told and folded in the order of asking. All else is
the one search: arms are chosen by the same rule and decided by the same evidence, each metric by its own results.

* Accepting needs every metric to have been within tolerance beyond doubt at some time. An arm that is not within
  tolerance misses it in one metric, whose own results have to say otherwise: how often others were measured, and when,
  is nothing to them. Once all metrics of a group have passed, it is *proven* for the arm, and not measured again.
* Rejecting: the b of an arm is shared by its groups in proportion to their metrics. A group rejects once the evidence
  against its metrics adds up to M/b, M being all metrics, or that of a metric which stands alone reaches M/b; that
  happens to an arm that passes with probability at most b M_g/M, and the sum over groups is b. Within a group all
  metrics have the same results, so that their average is evidence on one line, whatever is late on others.
"""

from math import erfc, exp, inf, pi, sqrt

from satisfice.arrays import Floats, Integers
from satisfice.noise.kinds import NoiseTable
from satisfice.noise.process import TOLERANCE
from satisfice.rules.protocol import MarginRule
from satisfice.search.absorb import decide, margin_and_sd, place, weighted
from satisfice.search.costs import cost_of
from satisfice.search.group_evidence import accepts_with, is_proven, rejects_by
from satisfice.search.groups import Groups
from satisfice.search.pooling import next_pooling, pool_metric
from satisfice.search.state import POOL_AT, TOTAL, Parts, SearchState, first_round
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT
from satisfice.stopping.evidence import EvidenceJudge

UNSEEN = 0.5
"""E(d^-)^2 of a margin d of which nothing is known, taken as standard normal."""

FIRST_LOOK = -1.0
"""The priority of a group that was never measured: it takes one evaluation to see."""


def forget_groups(state: SearchState, groups: Groups) -> None:
    """Reset the groups to before the first result: metrics that were never measured are no reason against an arm."""
    groups.counts[:] = 0
    state.margins[:] = inf
    state.tolerances[:] = 0.0


def absorb_group(state: SearchState, parts: Parts, groups: Groups, arm: int, group: int) -> float:
    """Take in `state.results` of a group of an arm; a decided arm's are only counted. Returns the arm's new score."""
    pulls = state.pulls[arm] + 1
    total = state.counts[TOTAL] + 1
    count = groups.counts[arm, group] + 1
    groups.counts[arm, group] = count
    shortfall = fold_group(state, parts.noise, groups, arm, group) / count
    if state.decisions[arm] != KEEP:
        state.pulls[arm] = pulls
        state.counts[TOTAL] = total
        pool_groups_when_due(state, parts, groups, total)
        return -inf
    judge: EvidenceJudge = parts.judge  # type: ignore[assignment]  # `search.fit` has seen to both of these
    rule: MarginRule = parts.rule  # type: ignore[assignment]  # the same
    decision, score = KEEP, -inf
    if accepts_with(judge, state, groups, arm, group, count) and pulls >= parts.least:
        decision = ACCEPT
    elif shortfall > 0.0 and rejects_by(judge, state, groups, arm, group, count):
        decision = REJECT
    else:
        update_group_margins(state, parts.noise, groups, arm, group)
        score = score_of_groups(rule, state, parts, groups, arm)
    decide(state, parts, arm, pulls, total, decision, score)
    pool_groups_when_due(state, parts, groups, total)
    return score


def fold_group(state: SearchState, noise: NoiseTable, groups: Groups, arm: int, group: int) -> float:
    """Add `state.results` of the metrics of a group to the arm's sums; the largest sum of deficits comes back."""
    largest = -inf
    for metric in range(groups.of.shape[0]):
        if groups.of[metric] == group:
            largest = max(largest, fold_metric(state.deficits, state.more, state.results, state, noise, arm, metric))
            if noise.two_sided:
                fold_metric(state.deficits_within, state.more_within, state.results_within, state, noise, arm, metric)
    return largest


def fold_metric(
    deficits: Floats, more: Floats, results: Floats, state: SearchState, noise: NoiseTable, arm: int, metric: int
) -> float:
    """Add one result of one metric to its sums; the sum of deficits comes back."""
    total = deficits[arm, metric] + results[metric]
    deficits[arm, metric] = total
    if more.shape[2] > 0:
        more[arm, metric, 0] += results[metric] * results[metric]
        if noise.own_sums:
            noise.fold(metric, more[arm, metric], results[metric], state.weights[metric])
    return total  # type: ignore[no-any-return]  # numpy's types say Any


def update_group_margins(state: SearchState, noise: NoiseTable, groups: Groups, arm: int, group: int) -> None:
    """Write the margins and tolerances of the metrics of a group, in standard deviations of one result."""
    for metric in range(groups.of.shape[0]):
        if groups.of[metric] == group:
            margin, sd = margin_and_sd(state, noise, arm, metric, groups.counts[arm, group])
            state.margins[arm, metric] = margin
            state.tolerances[arm, metric] = noise.numbers[metric][TOLERANCE] / sd if sd > 0.0 else 0.0


def score_of_groups(rule: MarginRule, state: SearchState, parts: Parts, groups: Groups, arm: int) -> float:
    """The sum over groups that are not proven of what the rule says of each, as of an arm with these metrics alone.

    For a rule whose priority is minus what is still to be spent that is minus what is to be spent on all of them.
    """
    score = 0.0
    for group in range(groups.sizes.shape[0]):
        if not is_proven(state, groups, arm, group):
            count = groups.counts[arm, group]
            priority = FIRST_LOOK
            if count > 0:
                size = copy_margins(state, groups, arm, group)
                margins, tolerances = groups.margins[:, :size], groups.tolerances[:, :size]
                priority = rule.margin_priority(margins, tolerances, arm, count, parts.bonuses[count])
            score += weighted(rule, priority, cost_of(groups.costs, arm * groups.sizes.shape[0] + group))
    return score


def copy_margins(state: SearchState, groups: Groups, arm: int, group: int) -> int:
    """Put the margins of a group side by side; how many they are."""
    size = 0
    for metric in range(groups.of.shape[0]):
        if groups.of[metric] == group:
            groups.margins[arm, size] = state.margins[arm, metric]
            groups.tolerances[arm, size] = state.tolerances[arm, metric]
            size += 1
    return size


def next_group(state: SearchState, groups: Groups, arm: int, waiting: Integers) -> int:
    """The group of an arm to measure next: with the largest E(d^-)^2 over its cost, d the margin of a metric of it.

    A failing arm is so rejected by the group that says it at the lowest cost, and of a passing one the group is next
    that may still fail: a mean that is d beyond its threshold is told from it by about 2/d^2 results (theory of
    best-arm identification), and proven groups are done. `waiting` (G,) counts what is under way; without
    entries nothing is. -1 while all items of a set were asked for, and nothing else is to be measured.
    """
    chosen = -1
    best = -inf
    for group in range(groups.sizes.shape[0]):
        under_way = waiting[group] if waiting.shape[0] > 0 else 0
        if not is_proven(state, groups, arm, group) and groups.counts[arm, group] + under_way < groups.most[group]:
            cost = cost_of(groups.costs, arm * groups.sizes.shape[0] + group)
            value = doubt(state, groups, arm, group, under_way) / cost
            if value > best:
                chosen = group
                best = value
    return chosen if chosen >= 0 else proven_group(state, groups, arm, waiting)


def proven_group(state: SearchState, groups: Groups, arm: int, waiting: Integers) -> int:
    """The first group to measure of an arm that is proven and must still have more results; -1 if it is not proven."""
    found = -1
    for group in range(groups.sizes.shape[0] - 1, -1, -1):
        under_way = waiting[group] if waiting.shape[0] > 0 else 0
        if not is_proven(state, groups, arm, group):
            return -1
        if groups.counts[arm, group] + under_way < groups.most[group]:
            found = group
    return found


def doubt(state: SearchState, groups: Groups, arm: int, group: int, under_way: int) -> float:
    """E(d^-)^2 of the most doubtful metric of a group that has not passed, as if results under way said the same."""
    count = groups.counts[arm, group]
    if count == 0:
        return UNSEEN / (1.0 + under_way)
    most = 0.0
    sd = 1.0 / sqrt(1.0 * (count + under_way))
    for metric in range(groups.of.shape[0]):
        if groups.of[metric] == group and state.memory[arm, metric] == 0.0:
            most = max(most, squared_shortfall(state.margins[arm, metric], sd))
    return most


def squared_shortfall(mean: float, sd: float) -> float:
    """E(d^-)^2 of a normal variable d."""
    z = mean / sd
    if z > 30.0:
        return 0.0
    below_zero = 0.5 * erfc(z * sqrt(0.5))
    density = exp(-0.5 * z * z) / sqrt(2.0 * pi) if z > -30.0 else 0.0
    return max((mean * mean + sd * sd) * below_zero - mean * sd * density, 0.0)


def pool_groups_when_due(state: SearchState, parts: Parts, groups: Groups, total: int) -> None:
    """Now and then pool the variances of all arms, and score every undecided arm anew."""
    if not parts.noise.pools or total < state.counts[POOL_AT]:
        return
    rule: MarginRule = parts.rule  # type: ignore[assignment]  # as in `absorb_group`
    arms = state.pulls.shape[0]
    state.counts[POOL_AT] = next_pooling(first_round(rule, arms), total)
    for metric in range(groups.of.shape[0]):
        if parts.noise.pooled[metric] == 1:
            pool_metric(state.pooled, state.deficits, state.more, groups.counts[:, groups.of[metric]], metric)
    for arm in range(arms):
        if state.pulls[arm] > 0 and state.decisions[arm] == KEEP:
            for group in range(groups.sizes.shape[0]):
                if groups.counts[arm, group] > 0:
                    update_group_margins(state, parts.noise, groups, arm, group)
            place(rule, state, parts, arm, KEEP, score_of_groups(rule, state, parts, groups, arm))


def best_of_groups(state: SearchState, groups: Groups) -> int:
    """The undecided arm whose weakest metric is the most standard errors beyond its threshold, or -1.

    A metric that was never measured is none beyond it.
    """
    guess = -1
    best = -inf
    for arm in range(state.pulls.shape[0]):
        if state.pulls[arm] > 0 and state.decisions[arm] == KEEP:
            weakest = inf
            for metric in range(groups.of.shape[0]):
                count = groups.counts[arm, groups.of[metric]]
                weakest = min(weakest, sqrt(1.0 * count) * state.margins[arm, metric] if count > 0 else 0.0)
            if weakest > best or guess < 0:
                guess = arm
                best = weakest
    return guess
