"""Evidence, margins and who may spend how much of the error rate once more, slow and obvious.

Nothing here comes from the package: lists of raw results, plain floats, and Student's distribution function of scipy.
Written from the notes on evidence (mixtures, bets, who may spend how much of the error rate, who is lent the capital)
and from the formulas in the docstrings of the margins that the rule goes by.
"""

from functools import lru_cache
from math import erfc, exp, log, log1p, pi, sqrt
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq
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


@lru_cache(maxsize=100_000)
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


def asked_by_tails(results: list[float], *, sign_is_known: bool) -> float:
    """What counts as a skewness downwards: by both tails, at most h - 1/h where no result is on the other side of 0."""
    n, mean = len(results), sum(results) / len(results)
    variance = sum((x - mean) ** 2 for x in results) / n
    failing = passing = 0.0
    before = 0.0
    for i in range(1, n):
        before += (results[i - 1] - before) / i
        cube = (abs(results[i] - before) * sqrt(i / (i + 1))) ** 3 / (n * variance**1.5)
        if results[i] > before:
            passing += cube
        else:
            failing += cube
    asked = passing - 0.8 - max(0.0, passing - 1.8) / 2 + min(failing - 0.8, 0.0)
    asked += 5.5 * max(0.0, failing - 0.95) * min(1.0, passing / 0.8)
    h = mean / sqrt(variance)
    return min(asked, max(0.0, h - 1 / h)) if sign_is_known and min(results) >= 0 else asked


def by_shape(results: list[float], theta: float, rarest: float = 0.1, *, sign_is_known: bool = False) -> float:
    """The largest level up to -n ln(1 - r) - ln 2 that Student's evidence reaches with a variance that counts more.

    12.5 level^2 g^2/n times where the sample is skewed downwards, or both tails ask for it, and that is more than once.
    Up to -n ln(1 - r/6) - ln 2 where that is by skewness. 0 at most of two values.
    """
    n = len(results)
    mean = sum(results) / n
    second, third = (sum((x - mean) ** power for x in results) / n for power in (2, 3))
    skewed = max(0.0, -third / second**1.5) if second > 0.0 else 0.0
    g = max(skewed, asked_by_tails(results, sign_is_known=sign_is_known)) if second > 0.0 else 0.0

    def reached(level: float) -> float:
        if 12.5 * level**2 * skewed**2 / n > 1.0 and level > -n * log(1 - rarest / 6) - log(2):
            return 0.0
        times = max(1.0, 12.5 * level**2 * g**2 / n)
        s, q = n * (mean - theta), n * times * second + n * (mean - theta) ** 2
        return log_sum([log(0.7) + half_student(n, s, q, 4.0), log(0.3) + half_student(n, s, q, 200.0)])

    low, high = reached(0.0), -n * log(1 - rarest) - log(2) if len(set(results)) > 2 else 0.0
    if low <= 0.0 or high <= 0.0 or reached(high) >= high:
        return min(low, high)
    return float(brentq(lambda level: reached(level) - level, 0.0, high, xtol=1e-11))


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
        if metric.model == "normal":
            return log_sum([log(1 / 2) + half_student(n, s, q, 1.0), log(1 / 2) + half_student(n, s, q, 200.0)])
        return by_shape(results, theta, *metric.numbers, sign_is_known=metric.threshold != 0.0)
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
