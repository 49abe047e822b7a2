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

from collections.abc import Mapping
from math import erfc, exp, inf, log, pi, sqrt
from typing import Any, NamedTuple

import numpy as np

from satisfice.arrays import Floats, Integers
from satisfice.noise.kinds import NoiseTable, ratio_of
from satisfice.noise.process import TOLERANCE
from satisfice.problem.problem import NO_LIMIT, Problem
from satisfice.problem.results import Row
from satisfice.rules.protocol import MarginRule
from satisfice.search.absorb import decide, margin_and_sd, place, weighted
from satisfice.search.costs import Costs, cost_of
from satisfice.search.diagnostics import Check, Checks
from satisfice.search.hints import Hint
from satisfice.search.observations import FirstResults, KeptValues, columns_of, write_result
from satisfice.search.pooling import next_pooling, pool_metric
from satisfice.search.state import POOL_AT, TOTAL, Parts, SearchState, first_round
from satisfice.search.verdict import ArmStatus
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT
from satisfice.stopping.evidence import ACCEPTING, REJECTING, EvidenceJudge


class Groups(NamedTuple):
    """G groups of M metrics of K arms: `of` (M,) says which group a metric is of, and `sizes` (G,) how many it has.

    `costs` are those of lines, (K G,), or (1,) if all are the same, and `counts` (K, G) the results of each so far.
    `most` (G,) is how often an arm can be measured in a group, for sets of items. `margins` and `tolerances` (K, M) are
    of use while an arm is scored: those of one group, side by side.
    """

    of: Integers
    sizes: Integers
    costs: Floats
    counts: Integers
    most: Integers
    margins: Floats
    tolerances: Floats


def group_numbers(problem: Problem) -> Integers:
    """The number of the group of each metric, (M,)."""
    return np.array([problem.groups.index(metric.group) for metric in problem.metrics], dtype=np.int64)


def group_limits(problem: Problem) -> Integers:
    """How often an arm can be measured in each group, (G,)."""
    return np.array([group.most_evaluations for group in problem.by_group], dtype=np.int64)


def new_groups(of: Integers, arms: int, costs: Floats, most: Integers | None = None) -> Groups:
    """The groups of a search in which nothing is measured yet."""
    sizes = np.bincount(of).astype(np.int64)
    counts = np.zeros((arms, len(sizes)), dtype=np.int64)
    limits = np.full(len(sizes), NO_LIMIT) if most is None else most
    return Groups(of, sizes, costs, counts, limits, np.zeros((arms, len(of))), np.zeros((arms, len(of))))


def accepts_with(judge: EvidenceJudge, state: SearchState, groups: Groups, arm: int, group: int, count: int) -> bool:
    """Whether, with the latest result of a group, all metrics of the arm have been within tolerance beyond doubt."""
    certain = True
    for metric in range(groups.of.shape[0]):
        if state.memory[arm, metric] == 0.0:
            passed = False
            if groups.of[metric] == group:
                deficit, sums = state.deficits_within[arm, metric], state.more_within[arm, metric]
                ratio = ratio_of(judge.noise, arm, metric)
                need = judge.need(ACCEPTING, metric, count, deficit, sums, ratio)
                passed = judge.noise.enough_within(metric, count, deficit, sums, ratio, need)
            if passed:
                state.memory[arm, metric] = 1.0
            else:
                certain = False
    return certain


def rejects_by(judge: EvidenceJudge, state: SearchState, groups: Groups, arm: int, group: int, count: int) -> bool:
    """Whether, with the latest result of a group, some mean of it misses its threshold beyond doubt."""
    doubtful = False
    certain = False
    for metric in range(groups.of.shape[0]):
        if groups.of[metric] == group:
            deficit, sums = state.deficits[arm, metric], state.more[arm, metric]
            ratio = ratio_of(judge.noise, arm, metric)
            need = judge.need(REJECTING, metric, count, deficit, sums, ratio)
            enough = judge.noise.enough_below(metric, count, deficit, sums, ratio, need)
            averaged = judge.noise.averaged[metric] == 1
            doubtful |= enough and averaged
            certain |= enough and not averaged
    if doubtful and not certain:
        certain = sum_reaches(judge, state, groups, arm, group, count)
    if judge.product_level < inf and not certain:
        certain = product_reaches(judge, state, groups, arm, group, count)
    return certain


def sum_reaches(judge: EvidenceJudge, state: SearchState, groups: Groups, arm: int, group: int, count: int) -> bool:
    """Whether the evidence against the metrics of a group adds up to M/b, as for an average over all metrics."""
    total = 0.0
    averaged = 0
    for metric in range(groups.of.shape[0]):
        if judge.noise.averaged[metric] == 1:
            averaged += 1
            if groups.of[metric] == group:
                total += exp(min(below(judge, state, arm, metric, count) - judge.reject_level, 700.0))
    return total >= averaged


def product_reaches(judge: EvidenceJudge, state: SearchState, groups: Groups, arm: int, group: int, count: int) -> bool:
    """The same for the product, of metrics declared independent: its share is the group's part of all metrics."""
    total = 0.0
    for metric in range(groups.of.shape[0]):
        if groups.of[metric] == group:
            total += below(judge, state, arm, metric, count)
    return total + log(groups.sizes[group] / groups.of.shape[0]) >= judge.product_level


def below(judge: EvidenceJudge, state: SearchState, arm: int, metric: int, count: int) -> float:
    """ln of the evidence that a metric misses its threshold."""
    ratio = ratio_of(judge.noise, arm, metric)
    return judge.noise.below(metric, count, state.deficits[arm, metric], state.more[arm, metric], ratio)


def is_proven(state: SearchState, groups: Groups, arm: int, group: int) -> bool:
    """Whether all metrics of a group of an arm have been within tolerance beyond doubt."""
    for metric in range(groups.of.shape[0]):
        if groups.of[metric] == group and state.memory[arm, metric] == 0.0:
            return False
    return True


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


NOTHING_UNDER_WAY = np.zeros(0, dtype=np.int64)


class LiveGroups:
    """Takes in results of lines, for one state."""

    def __init__(self, problem: Problem, state: SearchState, parts: Parts, costs: Costs) -> None:
        self.names = problem.groups
        self._state, self.for_choices = state, state
        self.groups = new_groups(group_numbers(problem), len(state.pulls), costs.weights, group_limits(problem))
        forget_groups(state, self.groups)

    def __call__(self, parts: Parts, line: int) -> float:
        """Take in `state.results` of a line; its arm's new score."""
        return float(absorb_group(self._state, parts, self.groups, *divmod(line, len(self.names))))

    def by_arm(self, under_way: Integers | None) -> Integers | None:
        """What is under way of each arm (K,), from that of each line (K G,)."""
        return None if under_way is None else under_way.reshape(-1, len(self.names)).sum(axis=1)

    def line_of(self, arm: int, under_way: Integers | None) -> int:
        """The line of an arm that is measured next, or -1 if nothing is before results are there that are out."""
        size = len(self.names)
        waiting = NOTHING_UNDER_WAY if under_way is None else under_way[arm * size : (arm + 1) * size]
        group = next_group(self._state, self.groups, arm, waiting)
        return -1 if group < 0 else arm * size + group

    @property
    def folded(self) -> Integers:
        """How many results of each line there are, (K G,)."""
        return self.groups.counts.reshape(-1)

    def counts_of(self, arm: int) -> tuple[int, ...]:
        """How many results each metric of an arm has."""
        return tuple(self.groups.counts[arm][self.groups.of].tolist())

    def best_place(self) -> int:
        """The best guess, or -1."""
        return best_of_groups(self._state, self.groups)

    def moved_to(self, state: SearchState, arrays: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Go on with another state of the same search."""
        self._state = self.for_choices = state
        self.groups.counts[:] = arrays["group_counts"]

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """What is kept beside the state."""
        return {"group_counts": self.groups.counts}


class GroupedObservations:
    """The results of all lines of a problem: each group has its own values and checks."""

    def __init__(self, problem: Problem, arm_names: tuple[str, ...]) -> None:
        self._standard, self._groups = problem.standardisation(), problem.by_group
        self._metrics = [np.flatnonzero(group_numbers(problem) == group).tolist() for group in range(len(self._groups))]
        self._columns = [columns_of(group) for group in self._groups]
        self._kept = [KeptValues(group) for group in self._groups]
        self._checks = [Checks(group, arm_names) for group in self._groups]
        self._first = [FirstResults(group) for group in self._groups]

    def take(self, state: SearchState, line: int, values: Row, baseline: Row) -> None:
        """Write one evaluation of a line into the state as deficits."""
        arm, group = divmod(line, len(self._groups))
        standard = self._standard
        for metric, column in zip(self._metrics[group], self._columns[group], strict=True):
            write_result(state, metric, column, standard.slopes[metric], standard.thresholds[metric], values, baseline)
        self._kept[group].add(arm, values, baseline)
        self._checks[group].add_results(arm, values, baseline)

    def first_of(self, group: int) -> FirstResults:
        """The first results of a group's metrics that are the same every time."""
        return self._first[group]

    def estimated(self, status: ArmStatus, place: int) -> ArmStatus:
        """The status with estimates that need the values themselves."""
        for metrics, kept in zip(self._metrics, self._kept, strict=True):
            status = kept.estimated(status, place, metrics)
        return status

    def found(self, *, ended: bool) -> tuple[Check, ...]:
        """What is odd about results, of a search that has `ended` or goes on."""
        return tuple(check for checks in self._checks for check in checks.found(ended=ended))

    def hints(self) -> tuple[Hint, ...]:
        """What to declare of metrics."""
        return tuple(hint for checks in self._checks for hint in checks.hints())

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """All of it, as arrays."""
        each = zip(self._kept, self._checks, self._first, strict=True)
        parts = [kept.state() | checks.state() | first.state() for kept, checks, first in each]
        return {f"{group}.{name}": array for group, part in enumerate(parts) for name, array in part.items()}

    def restore(self, state: Mapping[str, np.ndarray[Any, Any]]) -> None:
        """Go on from what `state` has written."""
        each = zip(self._kept, self._checks, self._first, strict=True)
        for group, (kept, checks, first) in enumerate(each):
            own = {name.removeprefix(f"{group}."): one for name, one in state.items() if name.startswith(f"{group}.")}
            kept.restore(own)
            checks.restore(own)
            first.restore(own)
