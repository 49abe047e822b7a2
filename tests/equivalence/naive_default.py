"""The default once more, slow and obvious: Pandora's rule with capital, everything anew after every pull.

Nothing here comes from the package: lists of raw results, plain floats, and Student's distribution function of scipy.
Written from the notes on evidence (mixtures, bets, who may spend how much of the error rate, who is lent the capital)
and from the formulas in the docstrings of the rule and of the margins it goes by. Two numbers are *near* when they
differ, but by less than 1e-9 of their size: there rounding could decide otherwise here than in the package.
`Run.nearest` is the least distance that ever decided something; the tests ask that it is no near one. Numbers that are
equal are equal in both, and go to the first arm.
"""

from collections.abc import Callable
from math import erf, erfc, exp, inf, log, log1p, pi, sqrt
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

BETS = [0.001 * 32_000 ** (j / 19) for j in range(20)]
WEIGHTS = [min(1.0, bet / 0.01) * min(1.0, 1 / bet) for bet in BETS]
BOUNDED_BETS = {0.002 * 2**j: min(1.0, 0.002 * 2**j / 0.03) * (0.5 if 0.002 * 2**j > 1 else 1.0) for j in range(16)}
SPREAD_BETS = {0.003 * 2**j: min(1.0, 0.003 * 2**j / 0.03) * min(1.0, 4 / (0.003 * 2**j)) for j in range(12)}
"""Bets of running capitals, and their weights."""


class Metric(NamedTuple):
    """`model` is normal, checked, bernoulli, bounded, poisson or spread; `numbers` its sd (if known) or its bounds."""

    model: str
    numbers: tuple[float, ...]
    threshold: float
    tolerance: float
    at_least: bool

    def student(self) -> bool:
        """Whether its evidence is Student's, as it stands or capped."""
        return self.model == "checked" or (self.model == "normal" and not self.numbers)


class Run(NamedTuple):
    outcome: str
    found: int | None
    order: list[int]
    nearest: float


def log_sum(terms: list[float]) -> float:
    largest = max(terms)
    return largest + log(sum(exp(term - largest) for term in terms))


def half_normal(n: int, s: float, r: float) -> float:
    """ln of sqrt(r/(n + r)) exp(z^2/2) 2 Phi(z), z = S/sqrt(n + r)."""
    z = s / sqrt(n + r)
    if z < -37.0:  # Phi underflows: its first asymptotic term is far more than enough this far from any level
        return 0.5 * log(r / (n + r)) + log(2 / (-z * sqrt(2 * pi)))
    return 0.5 * log(r / (n + r)) + z * z / 2 + log(erfc(-z / sqrt(2)))


def half_student(n: int, s: float, q: float, c: float) -> float:
    """ln of 2 F_n(sqrt(n) S/sqrt(D)) sqrt(c/(n + c)) ((n + c) Q/D)^(n/2), D = (n + c) Q - S^2."""
    d = (n + c) * q - s * s
    return log(2 * stdtr(n, sqrt(n) * s / sqrt(d)) + 1e-300) + 0.5 * log(c / (n + c)) + n / 2 * log((n + c) * q / d)


def by_bets(zeros: float, others: float, value: float, theta: float) -> float:
    """ln of the average capital of all bets after so many results of 0 and so many of `value`."""
    capitals = []
    for bet, weight in zip(BETS, WEIGHTS, strict=True):
        stake = min(bet / sqrt(theta * (1 - theta)), 0.99 / theta)
        capital = others * log1p(stake * (value - theta)) + zeros * log1p(-stake * theta)
        capitals.append(log(weight / sum(WEIGHTS)) + capital)
    return log_sum(capitals)


def by_running_bets(results: list[float], theta: float, origin: float) -> float:
    """ln of the average capital, each capital being a product over results in [0, 1]; `origin` is the threshold."""
    stakes = np.minimum(np.array([*BOUNDED_BETS]) / sqrt(origin * (1 - origin)), 0.99 / theta)
    capitals = np.log1p(np.outer(stakes, np.array(results) - theta)).sum(axis=1)
    weights = np.array([*BOUNDED_BETS.values()])
    return log_sum([*(np.log(weights / weights.sum()) + capitals).tolist()])


def by_squares(results: list[float], theta: float, sd: float) -> float:
    """The same for results of any shape with that standard deviation."""
    capitals = []
    for bet, weight in SPREAD_BETS.items():
        factors = [(1 + max(0.0, 1 + bet * (x - theta) / sd) ** 2) / (2 + bet * bet) for x in results]
        capitals.append(log(weight / sum(SPREAD_BETS.values())) + sum(map(log, factors)))
    return log_sum(capitals)


def by_counts(n: int, total: float, theta: float, *, above: bool) -> float:
    """ln of the average of the likelihood ratios of the means theta +- bet sqrt(theta), at least theta/100."""
    capitals = []
    for bet, weight in zip(BETS, WEIGHTS, strict=True):
        mean = theta + bet * sqrt(theta) if above else max(theta - bet * sqrt(theta), theta / 100)
        capitals.append(log(weight / sum(WEIGHTS)) + total * log(mean / theta) - n * (mean - theta))
    return log_sum(capitals)


def shape_cap(results: list[float], rarest: float = 0.1) -> float:
    """r n, sqrt(n/c)/g with g the sample skewness if the longer tail is below the mean, 0 with one or two values."""
    n = len(results)
    if len(set(results)) < 3:
        return 0.0
    mean = sum(results) / n
    second, third = (sum((x - mean) ** power for x in results) / n for power in (2, 3))
    g = -third / second**1.5
    return rarest * n if g <= 0 else min(rarest * n, sqrt(n / 11.0) / g)


def log_evidence(metric: Metric, results: list[float], theta: float) -> float:
    """ln of the evidence that the mean is above theta."""
    n = len(results)
    if metric.model == "poisson":  # counts where fewer are better come with a minus
        return by_counts(n, abs(sum(results)), abs(theta), above=theta > 0)
    if metric.model == "normal" and metric.numbers:
        s = sum(x - theta for x in results) / metric.numbers[0]
        return log_sum([log(1 / 3) + half_normal(n, s, 6.0), log(2 / 3) + half_normal(n, s, 300.0)])
    if metric.student():
        s, q = sum(x - theta for x in results), sum((x - theta) ** 2 for x in results)
        found = log_sum([log(1 / 2) + half_student(n, s, q, 1.0), log(1 / 2) + half_student(n, s, q, 200.0)])
        return min(found, shape_cap(results, *metric.numbers)) if metric.model == "checked" else found
    if metric.model == "spread":
        return by_squares(results, theta, metric.numbers[0])
    if metric.model == "bounded":
        return by_running_bets(results, theta, more_is_better(metric, metric.threshold))
    ones = round(sum(results))
    return by_bets(n - ones, ones, 1.0, theta)


def more_is_better(metric: Metric, x: float, *, reflected: bool = False) -> float:
    """A result, or a threshold, counted so that more is better; results between bounds on [0, 1]."""
    bounded = metric.model in ("bernoulli", "bounded")
    low, high = (metric.numbers or (0.0, 1.0)) if bounded else (0.0, 1.0)
    share = (x - low) / (high - low) if bounded else x
    if metric.at_least != reflected:
        return share
    return 1 - share if bounded else -share


def unit(metric: Metric) -> float:
    return metric.numbers[1] - metric.numbers[0] if metric.model == "bounded" else 1.0


def margins(metric: Metric, results: list[float], pooled: tuple[float, float]) -> tuple[float, float]:
    """The mean beyond its threshold and the tolerance, in units of one result's noise; `pooled`: variance, weight."""
    n = len(results)
    away = [more_is_better(metric, x) - more_is_better(metric, metric.threshold) for x in results]
    mean, tolerance = sum(away) / n, metric.tolerance / unit(metric)
    if metric.model in ("normal", "spread") and metric.numbers:
        return mean / metric.numbers[0], tolerance / metric.numbers[0]
    if metric.model == "bernoulli":
        p, q = (
            (sum(more_is_better(metric, x) for x in results) + 0.5) / (n + 1),
            more_is_better(metric, metric.threshold),
        )
        entropy = p * log(p / q) + (1 - p) * log((1 - p) / (1 - q))
        return (1 if p >= q else -1) * sqrt(2 * entropy), tolerance / sqrt(p * (1 - p))
    around = max(sum((x - mean) ** 2 for x in away), 1e-12 * mean**2)
    variance, weight = pooled
    freedom, scale = n - 1 + weight, sqrt((around + mean**2) / n)
    if weight:
        around += weight * variance
        scale = sqrt(around / freedom)
    if freedom == 0:
        return (0.5 if mean > 0 else -0.5), tolerance / scale
    score = sqrt(freedom * log1p(n * mean**2 / around)) * (8 * freedom + 1) / (8 * freedom + 3)
    return (score if mean > 0 else -score) / sqrt(n), tolerance / scale


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


def levels(delta: float, arms: int, goal: str | int, *, lends: bool = False, share: float = 0.3) -> tuple[float, float]:
    """What 1/a and 1/b are, as logarithms: sum of a over wrong arms and b within delta; or by what is dealt out.

    `share` is the part of delta that b may have.
    """
    if lends:
        return log(arms / 0.2) - log((1 - share) * delta), -log(share * delta)
    m = {"any": 1, "all": arms}.get(goal, goal)
    if m == arms:
        return log(arms / delta), log(arms / delta)
    a = min(delta / arms, (1 - share) * delta / (arms - m))
    return -log(a), -log(max(delta - (arms - m) * a, share * delta) / m)


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


class Accounts:
    """A fifth of the capital dealt out among the arms, the rest lent to one of them at a time.

    `lent` has how much capital for each unit of evidence an arm has in each metric beyond what was dealt.
    """

    def __init__(self, arms: int, metrics: int) -> None:
        self.dealt, self.pot, self.holder = 0.2 / arms, 0.8, None
        self.lent = [[0.0] * metrics for _ in range(arms)]
        self.principal = [0.0] * arms

    def log_account(self, arm: int, place: int, evidence: float) -> float:
        return log(self.dealt + self.lent[arm][place]) + evidence

    def move(self, arm: int, evidence: list[float], of_holder: list[float]) -> None:
        """Lend the pot to an arm; both arms' logarithms of evidence are given."""
        amount = self.taken(of_holder)
        self.holder = arm
        self.put(arm, amount, evidence)

    def taken(self, of_holder: list[float]) -> float:
        """What whoever holds the pot gives back: no more than he was lent, and no more than became of it."""
        if (holder := self.holder) is None:
            return self.pot
        values = [lent * exp(log_e) for lent, log_e in zip(self.lent[holder], of_holder, strict=True)]
        amount = min(self.principal[holder], *values)
        self.principal[holder] -= amount
        self.lent[holder] = [
            max(0.0, lent - amount / exp(log_e)) for lent, log_e in zip(self.lent[holder], of_holder, strict=True)
        ]
        return amount

    def put(self, arm: int, amount: float, evidence: list[float]) -> None:
        """Let an amount bet from here on."""
        self.principal[arm] += amount
        self.lent[arm] = [lent + amount / exp(log_e) for lent, log_e in zip(self.lent[arm], evidence, strict=True)]


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
    tapes: list[list[list[float]]] = [[[] for _ in metrics] for _ in range(arms)]
    certain = [[False] * len(metrics) for _ in range(arms)]
    pooled = [(0.0, 0.0)] * len(metrics)
    lends = goal == "any" and arms > 1 and not any(metric.student() for metric in metrics)
    accept_level, reject_level = levels(delta, arms, goal, lends=lends)
    accounts, opening = Accounts(arms, len(metrics)), opening_order(arms, seed)
    pooling = max(16, arms // 64)
    left, accepted, order, nearest = list(range(arms)), [], [], inf

    def reaches(value: float, level: float) -> bool:
        nonlocal nearest
        if value != level:
            nearest = min(nearest, abs(value - level) / max(1.0, abs(level)))
        return value >= level

    def believed(arm: int) -> list[tuple[float, float]]:
        return [margins(m, tape, pool) for m, tape, pool in zip(metrics, tapes[arm], pooled, strict=True)]

    def within(arm: int) -> list[float]:
        found = []
        for metric, tape in zip(metrics, tapes[arm], strict=True):
            theta = more_is_better(metric, metric.threshold) - metric.tolerance / unit(metric)
            found.append(log_evidence(metric, [more_is_better(metric, x) for x in tape], theta))
        return found

    def below(arm: int) -> list[float]:
        found = []
        for metric, tape in zip(metrics, tapes[arm], strict=True):
            limit = more_is_better(metric, metric.threshold, reflected=True)
            found.append(log_evidence(metric, [more_is_better(metric, x, reflected=True) for x in tape], limit))
        return found

    def leading() -> int | None:
        nonlocal nearest
        known = [each for each in left if tapes[each][0]]
        costs = {each: reservation(believed(each), len(tapes[each][0]), log(1 / delta)) for each in known}
        if not costs:
            return None
        best = min(known, key=lambda each: (costs[each], each))
        nearest = min([nearest, *(abs(cost / costs[best] - 1) for cost in costs.values() if cost != costs[best])])
        return best

    def chosen(number: int) -> tuple[int, bool]:
        """The arm, and whether it leads."""
        leader = leading()
        new = [arm for arm in opening if not tapes[arm][0]]
        if new:
            looks_bad = leader is None or not reaches(min(map(sum, believed(leader))), 5e-324)
            if looks_bad or number % 3 == 0:
                return new[0], False
        if number % 4 == 0:
            arm = number // 4 % arms
            few = len(tapes[arm][0]) < sqrt(2 * number / arms)
            if arm in left and few and (tapes[arm][0] or not new):
                return arm, False
        return leader, True

    while len(order) < budget:
        arm, leads = chosen(len(order))
        if lends and leads and arm != accounts.holder:
            n, chance = len(tapes[arm][0]), 1.0
            for strength, slack in believed(arm):
                chance *= 0.5 * erfc(-(strength + slack) * sqrt(n / 2))
            if reaches(chance, 0.5):
                accounts.move(arm, within(arm), [] if accounts.holder is None else within(accounts.holder))
        order.append(arm)
        for tape, result in zip(tapes[arm], draw(arm), strict=True):
            tape.append(result)
        n, evidence, against = len(tapes[arm][0]), within(arm), below(arm)
        for place, each in enumerate(evidence):
            account = accounts.log_account(arm, place, each) if lends else each
            certain[arm][place] |= reaches(account, -log(0.7 * delta) if lends else accept_level)
        failing = any(
            sum(more_is_better(metric, x, reflected=True) for x in tape) / n
            > more_is_better(metric, metric.threshold, reflected=True)
            for metric, tape in zip(metrics, tapes[arm], strict=True)
        )
        alone = [each for metric, each in zip(metrics, against, strict=True) if metric.student()]
        joint = [each for metric, each in zip(metrics, against, strict=True) if not metric.student()]
        union = reject_level + log(len(metrics))  # the sum of what may be averaged, or one alone, must reach M/b
        rejected = max([reaches(each, union) for each in [*alone, *([log_sum(joint)] if joint else [])]])
        if all(certain[arm]):
            accepted.append(arm)
            left.remove(arm)
        elif failing and rejected:
            left.remove(arm)
        m = 1 if goal in ("any", "all") else goal
        if not left if goal == "all" else not len(accepted) < m <= len(accepted) + len(left):
            found = len(accepted) >= m
            return Run("FOUND" if found else "NONE", accepted[0] if found else None, order, nearest)
        if len(order) >= pooling:
            pooling = 4 * len(order)
            for place, metric in enumerate(metrics):
                if metric.student():
                    pooled[place] = pooled_variance([tape[place] for tape in tapes])
    return Run("UNDECIDED", accepted[0] if accepted else None, order, nearest)
