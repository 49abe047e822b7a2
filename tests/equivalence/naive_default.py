"""The default once more, slow and obvious: Pandora's rule with capital, everything anew after every pull.

Nothing here comes from the package: what is certain is computed by `naive_evidence`, and the rule is written from the
formulas in its docstring. Two numbers are *near* when they differ, but by less than 1e-9 of their size: there rounding
could decide otherwise here than in the package. `Run.nearest` is the least distance that ever decided something; the
tests ask that it is no near one. Numbers that are equal are equal in both, and go to the first arm.
"""

from collections.abc import Callable
from math import erf, erfc, inf, log, log1p, sqrt
from typing import NamedTuple

from tests.equivalence.naive_evidence import (
    Accounts,
    Metric,
    levels,
    log_evidence,
    log_sum,
    margins,
    more_is_better,
    unit,
)


class Run(NamedTuple):
    outcome: str
    found: int | None
    order: list[int]
    nearest: float


def pooled_variance(columns: list[list[float]]) -> tuple[float, float]:
    """The variance within arms, and how many results it is worth: fewer, the less alike the arms are."""
    around = {}
    for place, results in enumerate(columns):
        if len(results) > 1:
            mean = sum(results) / len(results)
            around[place] = sum((x - mean) ** 2 for x in results), len(results) - 1.0
    freedom = sum(d for _, d in around.values())
    if not freedom:
        return 0.0, 0.0
    variance = sum(square for square, _ in around.values()) / freedom
    excess = sum(d * (square / (d * variance) - 1) ** 2 - 2 for square, d in around.values())
    chance = sum(8 + 48 / d for _, d in around.values())
    unlike = (excess - 2 * sqrt(chance)) / freedom
    return variance, min(freedom, 2 / max(unlike, 2 / 30))


def reservation(pairs: list[tuple[float, float]], n: int, level: float) -> float:
    """The cost at which an arm is worth another look: the least of c(x) + looking/P(d > x) over six x."""
    score = sqrt(n) * min(strength + slack for strength, slack in pairs)
    lack = max(level + 0.5 + 0.5 * log1p(n / 30) - (score**2 / 2 if score > 0 else 0), 0.3)
    first = -1.0 if score >= 0 else 0.25 - score / 1.2
    costs = []
    for luck in (first + step / 2 for step in range(6)):
        beyond = score + 1.2 * luck
        if beyond > 0:
            cost = 2 * lack * n / beyond**2
            costs.append(cost + max(0.3 * n, 0.1 * cost, 12) / max(0.5 * (1 - erf(luck / sqrt(2))), 1e-280))
    return min(costs, default=1e300)


def opening_order(arms: int, seed: int) -> list[int]:
    """Each place through four rounds of a Feistel network on 4^h >= arms numbers, again and again until it is one."""
    half = next(h for h in range(1, 40) if 4**h >= arms)

    def mixed(right: int, turn: int) -> int:
        x = ((right + turn * 2**20) * 0x9E3779B1 + seed % 2**32) % 2**32
        x = ((x ^ (x // 2**16)) * 0x85EBCA6B + seed // 2**32) % 2**32
        x = (x ^ (x // 2**13)) * 0xC2B2AE35 % 2**32
        return (x ^ (x // 2**16)) % 2**half

    def image(x: int) -> int:
        left, right = divmod(x, 2**half)
        for turn in range(4):
            left, right = right, left ^ mixed(right, turn)
        return left * 2**half + right

    order = []
    for place in range(arms):
        x = image(place)
        while x >= arms:
            x = image(x)
        order.append(x)
    return order


class Default:
    """All results so far, who is certain, and who is left; the rest is computed of them whenever it is needed."""

    def __init__(self, metrics: list[Metric], arms: int, delta: float, goal: str | int, seed: int) -> None:
        self.metrics, self.arms, self.delta, self.goal = metrics, arms, delta, goal
        self.tapes: list[list[list[float]]] = [[[] for _ in metrics] for _ in range(arms)]
        self.certain = [[False] * len(metrics) for _ in range(arms)]
        self.pooled, self.pooling = [(0.0, 0.0)] * len(metrics), max(16, arms // 64)
        self.lends = goal == "any" and arms > 1 and not any(metric.student() for metric in metrics)
        self.accept_level, self.reject_level = levels(delta, arms, goal, lends=self.lends)
        self.accounts, self.opening = Accounts(arms, len(metrics)), opening_order(arms, seed)
        self.left, self.accepted, self.order = list(range(arms)), [], []
        self.nearest = inf

    def reaches(self, value: float, level: float) -> bool:
        """Whether it does, and by how little."""
        if value != level:
            self.nearest = min(self.nearest, abs(value - level) / max(1.0, abs(level)))
        return value >= level

    def pulls(self, arm: int) -> int:
        return len(self.tapes[arm][0])

    def of_metrics(self, arm: int) -> list[tuple[Metric, list[float]]]:
        return list(zip(self.metrics, self.tapes[arm], strict=True))

    def believed(self, arm: int) -> list[tuple[float, float]]:
        return [margins(*each, pool) for each, pool in zip(self.of_metrics(arm), self.pooled, strict=True)]

    def within(self, arm: int) -> list[float]:
        """ln of the evidence that each metric is within its tolerance."""
        found = []
        for metric, tape in self.of_metrics(arm):
            theta = more_is_better(metric, metric.threshold) - metric.tolerance / unit(metric)
            found.append(log_evidence(metric, [more_is_better(metric, x) for x in tape], theta))
        return found

    def below(self, arm: int) -> list[float]:
        """ln of the evidence that each metric fails."""
        found = []
        for metric, tape in self.of_metrics(arm):
            limit = more_is_better(metric, metric.threshold, reflected=True)
            found.append(log_evidence(metric, [more_is_better(metric, x, reflected=True) for x in tape], limit))
        return found

    def leader(self) -> int | None:
        """The arm that is cheapest to go on with."""
        known = [each for each in self.left if self.pulls(each)]
        costs = {each: reservation(self.believed(each), self.pulls(each), log(1 / self.delta)) for each in known}
        if not costs:
            return None
        best = min(known, key=lambda each: (costs[each], each))
        others = [abs(cost / costs[best] - 1) for cost in costs.values() if cost != costs[best]]
        self.nearest = min([self.nearest, *others])
        return best

    def chosen(self) -> tuple[int, bool]:
        """The arm, and whether it leads: a new one every third time, or while the leader looks bad; others in turn."""
        number, leader = len(self.order), self.leader()
        new = [arm for arm in self.opening if not self.pulls(arm)]
        if new:
            looks_bad = leader is None or not self.reaches(min(map(sum, self.believed(leader))), 5e-324)
            if looks_bad or number % 3 == 0:
                return new[0], False
        if number % 4 == 0:
            arm = number // 4 % self.arms
            few = self.pulls(arm) < sqrt(2 * number / self.arms)
            if arm in self.left and few and (self.pulls(arm) or not new):
                return arm, False
        return leader, True

    def lend(self, arm: int) -> None:
        """The pot goes to a leader that rather passes than not: the product of Phi((margin + tolerance) sqrt(n))."""
        if not self.lends or arm == self.accounts.holder:
            return
        chance = 1.0
        for strength, slack in self.believed(arm):
            chance *= 0.5 * erfc(-(strength + slack) * sqrt(self.pulls(arm) / 2))
        if self.reaches(chance, 0.5):
            holder = self.accounts.holder
            self.accounts.move(arm, self.within(arm), [] if holder is None else self.within(holder))

    def take_in(self, arm: int, results: list[float]) -> None:
        self.order.append(arm)
        for tape, result in zip(self.tapes[arm], results, strict=True):
            tape.append(result)

    def decide(self, arm: int) -> None:
        """Accept it once every metric was certain; reject it where one fails on average and the evidence says so."""
        for place, evidence in enumerate(self.within(arm)):
            account = self.accounts.log_account(arm, place, evidence) if self.lends else evidence
            level = -log(0.7 * self.delta) if self.lends else self.accept_level
            self.certain[arm][place] |= self.reaches(account, level)
        rejected = self.evidence_rejects(arm)
        if all(self.certain[arm]):
            self.accepted.append(arm)
            self.left.remove(arm)
        elif rejected and self.fails_on_average(arm):
            self.left.remove(arm)

    def evidence_rejects(self, arm: int) -> bool:
        """The sum of what may be averaged, or one alone, must reach M/b."""
        against = list(zip(self.metrics, self.below(arm), strict=True))
        alone = [each for metric, each in against if metric.student()]
        joint = [each for metric, each in against if not metric.student()]
        union = self.reject_level + log(len(self.metrics))
        return max([self.reaches(each, union) for each in [*alone, *([log_sum(joint)] if joint else [])]])

    def fails_on_average(self, arm: int) -> bool:
        return any(
            sum(more_is_better(metric, x, reflected=True) for x in tape) / len(tape)
            > more_is_better(metric, metric.threshold, reflected=True)
            for metric, tape in self.of_metrics(arm)
        )

    def is_over(self) -> bool:
        """All are decided; or as many as are wanted are accepted, or can no longer be."""
        if self.goal == "all":
            return not self.left
        return not len(self.accepted) < self.wanted() <= len(self.accepted) + len(self.left)

    def wanted(self) -> int:
        return 1 if self.goal in ("any", "all") else self.goal

    def pool(self) -> None:
        """Learn what the variances have in common, each time that there are four times as many results."""
        if len(self.order) >= self.pooling:
            self.pooling = 4 * len(self.order)
            for place, metric in enumerate(self.metrics):
                if metric.student():
                    self.pooled[place] = pooled_variance([tape[place] for tape in self.tapes])


def run(
    metrics: list[Metric],
    arms: int,
    delta: float,
    goal: str | int,
    draw: Callable[[int], list[float]],
    budget: int,
    seed: int,
) -> Run:
    """One run; `draw(arm)` is one evaluation: the arm's M results."""
    search = Default(metrics, arms, delta, goal, seed)
    while len(search.order) < budget:
        arm, leads = search.chosen()
        if leads:
            search.lend(arm)
        search.take_in(arm, draw(arm))
        search.decide(arm)
        if search.is_over():
            found = len(search.accepted) >= search.wanted()
            first = search.accepted[0] if found else None
            return Run("FOUND" if found else "NONE", first, search.order, search.nearest)
        search.pool()
    return Run("UNDECIDED", search.accepted[0] if search.accepted else None, search.order, search.nearest)
