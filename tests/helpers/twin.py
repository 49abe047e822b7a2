"""The paper's Algorithms 2 and 3 once more, slow and obvious: lists, floats, every index anew in every round.

Nothing here comes from the package but the arms, which only draw. The simulator must make the very same pulls; the
benchmarks compare its speed with this one. Written from the text of the paper: Algorithm 1 for the estimates,
Proposition 3 for alpha, Algorithm 2 for MultiTUCB, Algorithm 3 for the others. What the text leaves open is decided as
the package documents it: ties go to the first arm, `t` in MultiHDoC counts the pulls made before this one, and with
several tolerances, directions and noise scales a metric's gap is measured in units of its own noise times the largest
noise scale (with one scale for all that is the paper's gap itself).
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log, pi, sqrt

import numpy as np

FOUND, NONE, UNDECIDED = "FOUND", "NONE", "UNDECIDED"


@dataclass
class Question:
    """xi, eps and sigma of each metric, whether it must be at least xi, and delta."""

    thresholds: list[float]
    tolerances: list[float]
    sigmas: list[float]
    at_least: list[bool]
    delta: float


def multitucb(ghat, excess, n, t, km, sigma, delta):
    return ghat - sqrt(2 * sigma**2 * log(km * n) / n)


def multihdoc(ghat, excess, n, t, km, sigma, delta):
    return ghat - sqrt(log(t) / (2 * n))


def multilucb(ghat, excess, n, t, km, sigma, delta):
    return ghat - alpha(n, km, sigma, delta)


def multiapt(ghat, excess, n, t, km, sigma, delta):
    return sqrt(n) * abs(excess)


INDICES = {"multitucb": multitucb, "multihdoc": multihdoc, "multilucb": multilucb, "multiapt": multiapt}
"""What Algorithms 2 and 3 minimise, by the package's names for the rules. `excess` is ghat - eps, `km` is K times M."""


def alpha(n, km, sigma, delta):
    return sqrt(2 * sigma**2 * log(pi**2 * km * n**2 / (3 * delta)) / n)


def run(question: Question, draw: Callable[[int], list[float]], arms: int, index: Callable[..., float], budget: int):
    """One run: its outcome, the arm found or None, and the arms in the order in which they were pulled.

    `draw(arm)` is one evaluation: the arm's M results.
    """
    metrics = len(question.thresholds)
    sigma = max(question.sigmas)
    sums = [[0.0] * metrics for _ in range(arms)]
    pulls = [0] * arms
    order: list[int] = []

    def pull(arm: int) -> None:
        results = draw(arm)
        for metric in range(metrics):
            sums[arm][metric] += results[metric]
        pulls[arm] += 1
        order.append(arm)

    def gaps(arm: int) -> list[float]:
        found = []
        for metric in range(metrics):
            mean = sums[arm][metric] / pulls[arm]
            gap = question.thresholds[metric] - mean
            if not question.at_least[metric]:
                gap = -gap
            found.append(gap * (sigma / question.sigmas[metric]))
        return found

    def ghat(arm: int) -> float:
        return max(gaps(arm))

    def excess(arm: int) -> float:
        worst = []
        for metric, gap in enumerate(gaps(arm)):
            worst.append(gap - question.tolerances[metric] * (sigma / question.sigmas[metric]))
        return max(worst)

    active = list(range(arms))
    for arm in range(arms):
        if len(order) == budget:
            return UNDECIDED, None, order
        pull(arm)
    while len(order) < budget:
        indices = [
            index(ghat(arm), excess(arm), pulls[arm], len(order), arms * metrics, sigma, question.delta)
            for arm in active
        ]
        arm = active[indices.index(min(indices))]
        pull(arm)
        width = alpha(pulls[arm], arms * metrics, sigma, question.delta)
        if ghat(arm) - width > 0:
            active.remove(arm)
        if excess(arm) + width <= 0:
            return FOUND, arm, order
        if not active:
            return NONE, None, order
    return UNDECIDED, None, order


def question_of(problem) -> Question:
    """The package's problem in the paper's letters."""
    metrics = problem.metrics
    return Question(
        thresholds=[metric.threshold for metric in metrics],
        tolerances=[metric.tolerance for metric in metrics],
        sigmas=[metric.noise.scale for metric in metrics],
        at_least=[str(metric.direction) == ">=" for metric in metrics],
        delta=problem.error_rate,
    )


def draw_from(arms, seed: int, block: int = 0) -> Callable[[int], list[float]]:
    """Evaluations of the package's arms, in their own units, on the stream of a campaign's block."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=(block,))))
    results = np.empty(np.asarray(arms.means).shape[1])

    def draw(arm: int) -> list[float]:
        arms.draw(rng, arm, results)
        return results.tolist()

    return draw


def run_instance(instance, rule: str, budget: int, seed: int = 0, block: int = 0):
    """One run of a rule of the paper on an instance of the package: outcome, arm or None, order of pulls."""
    arms = len(instance.arm_names)
    return run(question_of(instance.problem), draw_from(instance.arms, seed, block), arms, INDICES[rule], budget)
