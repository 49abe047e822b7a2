"""What the results of a group of metrics prove of an arm; `search.grouped` says why that is enough."""

from math import exp, inf, log

from satisfice.noise.kinds import ratio_of
from satisfice.search.groups import Groups
from satisfice.search.state import SearchState
from satisfice.stopping.evidence import ACCEPTING, REJECTING, EvidenceJudge


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
