"""What is looked at of rules and noise models that tell a simulation which results it need not look at."""

from math import exp, isnan
from typing import cast

import numpy as np

from satisfice.arrays import Floats
from satisfice.noise.process import TOLERANCE, NoiseModel, never_calm, process_of
from satisfice.problem.problem import Problem
from satisfice.problem.units import Setting
from satisfice.rules.protocol import MarginRule, SteadyRule
from satisfice.testing.contract import fail

RULE_RUNS, NOISE_RUNS = 500, 1000
LATER = 80
"""Results, at most, that are told in advance."""
ARMS, METRICS = 12, 3
SMALL = 1e-6
"""A part by which sums may be rounded."""


def check_leeway(rule: SteadyRule, setting: Setting, seed: int = 0) -> None:
    """As long as no metric's score falls by more than the leeway, the priority must stay above the reach."""
    by_margins, rng = cast(MarginRule, rule), np.random.default_rng(seed)
    for _ in range(RULE_RUNS):
        pulls = int(exp(rng.uniform(0.0, 9.0)))
        last = pulls + int(rng.integers(1, LATER))
        margins, tolerances = np.zeros((ARMS, METRICS)), np.full((ARMS, METRICS), rng.choice([0.0, 0.1]))
        margins[0] = rng.normal(1.0, 2.0, METRICS) / pulls**0.5
        priority = by_margins.margin_priority(margins, tolerances, 0, pulls, by_margins.bonus(pulls, setting))
        reach = priority - abs(priority) * 10.0 ** rng.uniform(-4.0, 1.0)
        leeway = rule.leeway(margins, tolerances, 0, pulls, last, by_margins.bonus(last, setting), reach)
        if isnan(leeway) or leeway < 0.0:
            fail(rule, f"leeway must be zero or more, got {leeway} after {pulls} results")
        if leeway > 0.0:
            _check_fall(rule, setting, (margins, tolerances), (pulls, last), min(leeway, 1e3), reach, rng)


def _check_fall(
    rule: SteadyRule,
    setting: Setting,
    standing: tuple[Floats, Floats],
    pulls: tuple[int, int],
    leeway: float,
    reach: float,
    rng: np.random.Generator,
) -> None:
    by_margins, (margins, tolerances), (first, last) = cast(MarginRule, rule), standing, pulls
    scores = rule.weight(first) * (margins[0] + tolerances[0])
    for _ in range(5):
        now = int(rng.integers(first + 1, last + 1))
        fallen = scores - leeway * rng.choice([0.0, 1.0, 1.0, -0.5], METRICS)
        margins[0] = fallen / rule.weight(now) - tolerances[0]
        priority = by_margins.margin_priority(margins, tolerances, 0, now, by_margins.bonus(now, setting))
        if not priority > reach:
            fail(
                rule,
                f"no score falls by more than the leeway, {leeway}, from result {first} to result {now}, and the "
                f"priority becomes {priority}, which is not above {reach}",
            )


def check_calm(noise: NoiseModel, problem: Problem, seed: int = 0) -> None:
    """Between the two sums nothing may be enough, and the margin must be what was asked for."""
    if process_of(noise).between is never_calm:
        return
    table, rng = problem.noise(1), np.random.default_rng(seed)
    tolerance, more = table.numbers[0, TOLERANCE], np.zeros(table.extra)
    for _ in range(NOISE_RUNS):
        pulls = int(exp(rng.uniform(0.0, 10.0)))
        last = pulls + int(rng.integers(1, LATER))
        level, ratio, least = rng.uniform(0.5, 9.0), rng.uniform(0.1, 1.0), rng.normal(0.0, 2.0) * pulls**0.5
        needs = table.needed_within(0, pulls, level), table.needed_below(0, pulls, level)
        low, high = table.between(0, pulls, last, *needs, least, ratio)
        for total in (np.nextafter(low, high), np.nextafter(high, low), rng.uniform(low, high)) if low < high else ():
            now = int(rng.integers(pulls, last + 1))
            sums = 0, now, float(total), more, ratio
            for side in ("within", "below"):
                if getattr(table, f"enough_{side}")(*sums, getattr(table, f"needed_{side}")(0, now, level)):
                    fail(noise, f"a sum of {total} of {now} results is said to be calm, and enough_{side} says enough")
            margin, sd = table.margin_and_sd(*sums, 0.0, 0.0)
            if not now * (margin + tolerance / sd) >= least - SMALL * (1.0 + now * tolerance):
                fail(noise, f"a sum of {total} of {now} results is said to keep a total of {least}, and does not")
