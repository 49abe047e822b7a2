"""What is said of an arm: intervals in a metric's own unit, progress, p-values, and doubts about declarations.

The arm that looks best, if one had to be named now.
"""

from math import exp, inf, log, nan, sqrt
from typing import NamedTuple

import numpy as np

from satisfice.arrays import Floats
from satisfice.noise.kinds import NoiseTable, ratio_of
from satisfice.noise.process import TOLERANCE, Claim, Interval, Sums
from satisfice.problem.metric import Direction, Metric
from satisfice.problem.problem import Problem
from satisfice.rules.protocol import kind_of
from satisfice.search.absorb import margin_and_sd
from satisfice.search.state import Parts, SearchState
from satisfice.search.verdict import ArmStatus
from satisfice.stopping.by_evidence import evidence_of, in_accounts, levels_to_accept, shares_to_accept
from satisfice.stopping.decision import ACCEPT, KEEP, passes
from satisfice.stopping.evidence import EvidenceJudge
from satisfice.stopping.protocol import Boundary, Judge, StoppingRule

DOUBT = 1e-3
"""How often, at most, noise that is as declared is called contradictory in one search."""


ROUNDING = 1e-13
"""A mean that is no larger than this part of the limit which its results were compared with is what rounding left."""


def _mean(own: Sums) -> float:
    """Zeros add up to zero, however far they are from the limit."""
    mean = own.origin + own.total / own.pulls
    return mean if abs(mean) > ROUNDING * abs(own.origin) else 0.0


class ArmSums(NamedTuple):
    """What is known of one arm: its number of pulls, sums of deficits (M,) and further sums (M, X), those that say
    whether it is within tolerance, the judge's memory of it, if it has one, and how many results each metric has, if
    that differs."""

    arm: int
    pulls: int
    deficits: Floats
    more: Floats
    deficits_within: Floats
    more_within: Floats
    memory: Floats | None = None
    counts: tuple[int, ...] = ()

    def count_of(self, metric: int) -> int:
        """How many results the metric at a place has."""
        return self.counts[metric] if self.counts else self.pulls


def sums_of(state: SearchState, place: int, counts: tuple[int, ...] = ()) -> ArmSums:
    """What is known of the arm at a place; `counts` are the metrics' numbers of results, where they differ."""
    sums = (state.deficits, state.more, state.deficits_within, state.more_within, state.memory)
    found = ArmSums(place, int(state.pulls[place]), *(each[place] for each in sums))
    return found._replace(counts=counts) if counts else found


class Report(NamedTuple):
    """What a problem and a stopping rule say about sums."""

    problem: Problem
    arms: int
    stopping: StoppingRule
    judge: Judge

    def status(self, name: str, sums: ArmSums, decision: int) -> ArmStatus:
        """Means, intervals and evidence of one arm."""
        metrics = self.problem.metrics
        if sums.pulls == 0:
            nothing = (float("nan"),) * len(metrics)
            return ArmStatus(name, 0, nothing, (Interval(-inf, inf),) * len(nothing), decision)
        own = [self.own_unit(place, metric, sums) for place, metric in enumerate(metrics)]
        means = tuple(
            metric.statistic.shown(_mean(each)) if each.pulls else nan
            for metric, each in zip(metrics, own, strict=True)
        )
        chosen_from = self.arms if decision == ACCEPT else 1
        rate = self.problem.error_rate / chosen_from
        intervals = tuple(
            self._interval(metric, sums.arm, each, rate) for metric, each in zip(metrics, own, strict=True)
        )
        accept, reject = self.progress(sums)
        return ArmStatus(
            name, sums.pulls, means, intervals, decision, accept, reject, sums.counts, chosen_from=chosen_from
        )

    def leaning(self, sums: ArmSums, decision: int) -> float:
        """The share of the evidence for accepting an arm, or minus that for rejecting it, whichever is more."""
        if decision != KEEP or sums.pulls == 0:
            return 0.0 if decision == KEEP else 1.0 if decision == ACCEPT else -1.0
        accept, reject = self.progress(sums)
        passing, failing = min(accept, default=0.0), max(reject, default=0.0)
        return passing if passing >= failing else -failing

    def p_value(self, sums: ArmSums) -> float:
        """The least error rate at which the arm would be accepted now; it is a p-value whenever one looks.

        With evidence: K e^-min_m ln E_m, since one metric of a failing arm is null and the arm may be any of K (the
        least of the K arms' p-values, times K): as closely as that metric's evidence holds. A boundary is asked at ever
        other error rates: smaller, wider.
        """
        evidence = evidence_of(self.judge)
        if evidence is None:
            return self._least_rate(sums)
        found = in_accounts(self.judge, self._log_evidence(evidence, sums), sums.memory, self.arms)
        return float(min(1.0, self.arms * exp(-min(found))))

    def score(self, place: int, sums: ArmSums) -> float:
        """How many standard errors the estimate is within tolerance."""
        evidence = evidence_of(self.judge)
        if evidence is None:
            return 0.0
        own = (float(sums.deficits_within[place]), sums.more_within[place], ratio_of(evidence.noise, sums.arm, place))
        margin, sd = evidence.noise.margin_and_sd(place, sums.count_of(place), *own, 0.0, 0.0)
        tolerance = evidence.noise.numbers[place][TOLERANCE]
        return sqrt(sums.count_of(place)) * (margin + (tolerance / sd if sd > 0.0 else 0.0))

    def contradictions(self, name: str, sums: ArmSums) -> list[str]:
        """Where the arm's results contradict what was declared about their noise, in words.

        Room is left for every metric, every arm and every number of pulls.
        """
        if sums.pulls < 2:
            return []
        found = []
        for place, metric in enumerate(self.problem.metrics):
            pulls = sums.count_of(place)
            if pulls < 2:
                continue
            words = metric.process.contradiction(
                metric.of_arm(sums.arm).noise, self.own_unit(place, metric, sums), self._doubt(pulls)
            )
            if words is not None:
                found.append(
                    f"{metric.label} of {name}: {metric.of_arm(sums.arm).noise} was declared, but {words}: "
                    f"'{metric.limited}'."
                )
        return found

    def claim(self, place: int, sums: ArmSums) -> Claim | None:
        """What the estimate of a metric speaks for: that it is within tolerance, or that it misses its limit.

        None where nothing is open: under a stopping rule that knows no evidence, and once it is within tolerance.
        """
        evidence = evidence_of(self.judge)
        if evidence is None or sums.count_of(place) < 2:
            return None
        passes = sums.deficits[place] <= 0.0
        if passes and sums.memory is not None and sums.memory[place] == 1.0:
            return None  # within tolerance beyond doubt, at some time
        return self._claim(evidence, place, sums, accepts=passes)

    def _claim(self, evidence: EvidenceJudge, place: int, sums: ArmSums, *, accepts: bool) -> Claim:
        """That the mean of a metric is within tolerance, or that it misses its limit."""
        metric = self.problem.metrics[place]
        levels = levels_to_accept(self.judge, len(self.problem.metrics), sums.memory)
        level = levels[place] if accepts else evidence.alone(place)
        side = 1.0 if accepts == (metric.direction is Direction.AT_MOST) else -1.0
        limit = metric.asked.threshold + (side * metric.asked.tolerance if accepts else 0.0)
        return Claim(metric.name, side, limit, level, self._doubt(sums.count_of(place)))

    def taken_for_granted(self, sums: ArmSums, *, accepts: bool) -> list[tuple[Metric, str]]:
        """What a decision about the arm rests on beyond what its metrics' noise does, in a clause for each metric."""
        evidence, found = evidence_of(self.judge), []
        if evidence is None:
            return []
        for place, metric in enumerate(self.problem.metrics):
            if sums.count_of(place) >= 2 and (accepts or sums.deficits[place] > 0.0):
                claim, own = self._claim(evidence, place, sums, accepts=accepts), self.own_unit(place, metric, sums)
                words = metric.process.taken_for_granted(metric.of_arm(sums.arm).noise, own, claim)
                found += [(metric, words)] if words is not None else []
        return found

    def _doubt(self, pulls: int) -> float:
        return log(self.arms * len(self.problem.metrics) * pulls * (pulls + 1) / DOUBT)

    def own_unit(self, place: int, metric: Metric, sums: ArmSums) -> Sums:
        slope = self.problem.standardisation().slopes[place]
        more = metric.process.own_unit(sums.more[place], slope, metric.asked.threshold)
        return Sums(sums.count_of(place), float(sums.deficits[place]) / slope, more, metric.asked.threshold)

    def _interval(self, metric: Metric, arm: int, own: Sums, error_rate: float) -> Interval:
        if metric.process.interval is None or own.pulls == 0:
            return Interval(-inf, inf)
        found = metric.process.interval(metric.of_arm(arm).noise, own, error_rate)
        return Interval(*map(metric.statistic.shown, found))

    def _log_evidence(self, evidence: EvidenceJudge, sums: ArmSums) -> list[float]:
        """ln E of each metric, that it is within tolerance."""
        return [
            evidence.noise.within(place, pulls, float(sums.deficits_within[place]), sums.more_within[place], ratio)
            if (pulls := sums.count_of(place))
            else 0.0
            for place in range(len(self.problem.metrics))
            for ratio in [ratio_of(evidence.noise, sums.arm, place)]
        ]

    def progress(self, sums: ArmSums) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """How much of the evidence there is, of each metric, that it takes to accept and, alone, to reject."""
        evidence = evidence_of(self.judge)
        if evidence is None:
            return (), ()
        accept = shares_to_accept(self.judge, self._log_evidence(evidence, sums), sums.memory, self.arms)
        against = [
            evidence.noise.below(place, pulls, float(sums.deficits[place]), sums.more[place], ratio)
            / (1.0 if metric.process.certain else evidence.alone(place))
            if (pulls := sums.count_of(place))
            else 0.0
            for place, metric in enumerate(self.problem.metrics)
            for ratio in [ratio_of(evidence.noise, sums.arm, place)]
        ]
        return tuple(map(_share, accept)), tuple(map(_share, against))

    def _least_rate(self, sums: ArmSums) -> float:
        """By bisection, for a boundary; 1 for a judge of a user's own."""
        if not isinstance(self.stopping, Boundary):
            return 1.0
        setting = self.problem.setting(self.arms)
        tolerances = self.problem.standardisation().tolerances
        excess = float((sums.deficits / sums.pulls - tolerances).max())
        boundary = self.stopping

        def accepted_at(log_rate: float) -> bool:
            return passes(excess, boundary.width(sums.pulls, setting._replace(error_rate=exp(log_rate))))

        low, high = -700.0, -1e-9
        if not accepted_at(high):
            return 1.0
        if accepted_at(low):
            return exp(low)
        for _ in range(60):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if accepted_at(middle) else (middle, high)
        return exp(high)


def _share(progress: float) -> float:
    return float(min(max(progress, 0.0), 1.0))


def best_guess(state: SearchState, noise: NoiseTable) -> int:
    """The undecided arm whose weakest metric is the most standard errors beyond its threshold, or -1."""
    guess = -1
    best = -inf
    for arm in range(state.pulls.shape[0]):
        pulls = state.pulls[arm]
        if pulls > 0 and state.decisions[arm] == KEEP:
            weakest = inf
            for metric in range(state.deficits.shape[1]):
                weakest = min(weakest, margin_and_sd(state, noise, arm, metric, pulls)[0])
            weakest *= sqrt(1.0 * pulls)
            if weakest > best or guess < 0:
                guess = arm
                best = weakest
    return guess


def best_by_margins(state: SearchState) -> int:
    """The same from margins that are up to date and of new results alone, in one go for all arms."""
    candidates = (state.pulls > 0) & (state.decisions == KEEP)
    weakest = state.margins.min(axis=1) * np.sqrt(state.pulls)
    return int(np.argmax(np.where(candidates, weakest, -np.inf))) if candidates.any() else -1


def best_place(state: SearchState, parts: Parts) -> int:
    """The best guess, from margins that are kept up to date if there are such, of new and folded results alone."""
    if kind_of(type(parts.rule)).by_margins and not state.earlier.size and not state.ahead.any():
        return best_by_margins(state)
    return best_guess(state, parts.noise)
