"""The default once more, slow and obvious: Pandora's rule with capital, everything anew after every pull.

No code here comes from the package: what is certain is computed by `naive_evidence`, and the rule is written from the
formulas in its docstring; only the numbers of its table are read there. Two numbers are *near* when they differ, but by
less than 1e-9 of their size: there rounding could decide otherwise here than in the package. `Run.nearest` is the least
distance that ever decided something; the tests ask that it is no near one. Numbers that are equal are equal in both,
and go to the first arm.
"""

from collections.abc import Callable
from math import erfc, exp, inf, log, log1p, sqrt
from typing import NamedTuple

from satisfice.rules.pandora import TABLE as NUMBERS
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

TABLE: list[list[float]] = NUMBERS.tolist()


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


def standard_errors(pairs: list[tuple[float, float]], n: int) -> float:
    """By how many the weakest metric is within its tolerance."""
    return sqrt(n) * min(strength + slack for strength, slack in pairs)


def reservation(pairs: list[tuple[float, float]], n: int, level: float, arms: int) -> float:
    """The cost at which an arm is worth another look: as with 12 results at the limit before, by a soft minimum.

    The table is ln of the cost for each result over what is left to the edge, with straight lines in between.
    """
    scores = [n * (strength + slack) / sqrt(n + 12) for strength, slack in pairs]
    near = [exp(-0.75 * (score - min(scores))) for score in scores if 1.5 * (score - min(scores)) < 12]
    alike = sum(weight * weight for weight in near)
    score = min(scores) - log(alike) / 1.5
    doubt = 0.3 if len(scores) == 1 else 0.4
    score /= (1 + doubt * min(1, 20 / arms)) * max(alike / sum(near) ** 2, 1 / 3) ** 0.25
    edge = sqrt(2 * (level + 0.5 + 0.5 * log1p(n / 30)))
    points, edges = [-5 + place / 2 for place in range(29)], [1.5 + place for place in range(9)]
    below = max([place for place in range(8) if edges[place] <= edge], default=0)
    part = min(max(edge - edges[below], 0), 1)
    rows = [(1 - part) * one + part * other for one, other in zip(TABLE[below], TABLE[below + 1], strict=True)]
    left = max([place for place in range(28) if points[place] <= score], default=0)
    worth = rows[left] + (min(score, points[-1]) - points[left]) * 2 * (rows[left + 1] - rows[left])
    beyond = (edge / max(edge, score)) ** 4
    return (n + 12) * beyond * max(edge - score, 0.1) * exp(min(worth, 600))


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

    def cost(self, arm: int) -> float:
        return reservation(self.believed(arm), self.pulls(arm), log(1 / self.delta), self.arms)

    def leader(self) -> int | None:
        """The arm that is cheapest to go on with."""
        known = [each for each in self.left if self.pulls(each)]
        costs = {each: self.cost(each) for each in known}
        if not costs:
            return None
        best = min(known, key=lambda each: (costs[each], each))
        others = [abs(cost / costs[best] - 1) for cost in costs.values() if cost != costs[best]]
        self.nearest = min([self.nearest, *others])
        return best

    def chosen(self) -> tuple[int, bool]:
        """The arm, and whether it leads: a new one while the leader looks bad, and every third time, or every sixth if
        little is left of it; others in turn. One whose turn it is and that has few results counts as not leading."""
        number, leader = len(self.order), self.leader()
        new = [arm for arm in self.opening if not self.pulls(arm)]
        if new:
            looks_bad = leader is None or not self.reaches(min(map(sum, self.believed(leader))), 5e-324)
            if looks_bad or number % (3 if self.reaches(self.cost(leader), 20 * (1 + 1e-15)) else 6) == 0:
                return (new[0], False) if looks_bad else self.better_newcomer(leader) or (new[0], False)
        if number % 4 == 0:
            arm = number // 4 % self.arms
            if arm in self.left and (self.pulls(arm) or not new):
                if self.pulls(arm) < self.owed(arm, number):
                    return arm, False
                if arm == leader and self.pulls(arm) < 2 * sqrt(number / self.arms):
                    return arm, False
        return leader, True

    def better_newcomer(self, leader: int) -> tuple[int, bool] | None:
        """Of the four arms opened last the newest that looks better than the leader; the pot may go to it."""
        opened = [arm for arm in self.opening if self.pulls(arm)]
        for arm in reversed(opened[-4:]):
            if arm in self.left and arm != leader:
                theirs, ours = (min(map(sum, self.believed(each))) for each in (arm, leader))
                if not self.reaches(ours, theirs):
                    return arm, True
        return None

    def owed(self, arm: int, number: int) -> float:
        """sqrt(4 t/K) looks, less the more speaks against an arm."""
        outside = min(standard_errors(self.believed(arm), self.pulls(arm)), 0) if self.pulls(arm) else 0
        looks = 2 * sqrt(number / self.arms) / (1 + outside**2)
        self.reaches(looks, self.pulls(arm))
        return looks

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
