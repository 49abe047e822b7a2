"""Pandora's rule leaves out what cannot be the lowest cost: its scores are exactly those of the whole formula."""

from math import erfc, sqrt

import numpy as np
import pytest
from scipy.stats import norm

from satisfice.rules import pandora
from satisfice.rules.pandora import Pandora


def reservation_cost(score: float, pulls: int, bonus: float, rule: Pandora) -> float:
    """The least of c(x) + looking/P(d > x) over all six x, each with its chance."""
    lack = max(bonus - 0.5 * max(score, 0.0) ** 2, 0.3)
    luck = 0.25 - score / rule.spread if score < 0.0 else -1.0
    costs = [1e300]
    for _ in range(6):
        beyond = score + rule.spread * luck
        if beyond > 1e-6:
            cost = 2.0 * lack * pulls / (beyond * beyond)
            looking = max(rule.price * pulls, 0.1 * cost, 12.0)
            costs.append(cost + looking / max(0.5 * erfc(luck * sqrt(0.5)), 1e-280))
        luck += 0.5
    return min(costs)


def test_what_is_left_out_is_never_the_lowest() -> None:
    rng, rule, tolerances = np.random.default_rng(12), Pandora(), np.zeros((1, 1))
    for stretch in (0.0, 3.0, 30.0):
        for _ in range(3000):
            pulls, bonus = int(np.exp(rng.uniform(0.0, 14.0))), float(rng.uniform(0.1, 60.0))
            margin = 3.0 * rng.standard_normal() * np.exp(stretch * rng.uniform(-1.0, 1.0)) / sqrt(pulls)
            priority = rule.margin_priority(np.array([[margin]]), tolerances, 0, pulls, bonus)
            assert -priority == reservation_cost(sqrt(1.0 * pulls) * margin, pulls, bonus, rule)


def test_half_of_the_chances_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of six chances of an arm that looks bad some three are computed, and the bounds that spare the others are tight.

    With half a standard deviation more a chance is less by a part that falls with the distance: from 1/4 on it is what
    it is at 1/4, 3/4 and so on, as closely as floating-point numbers say it.
    """
    tails = [norm.sf(0.25 + 0.5 * step) for step in range(7)]
    assert pytest.approx(tails[0], rel=1e-8) == pandora.MOST_LIKELY
    assert pytest.approx([tails[step + 1] / tails[step] for step in range(6)], rel=1e-8) == pandora.LESS_LIKELY
    asked = []
    monkeypatch.setattr(pandora, "erfc", lambda at: asked.append(at) or erfc(at))
    rng = np.random.default_rng(5)
    for score in -np.abs(rng.normal(0.0, 2.0, 1000)):
        pandora.lowest_of_bad(float(score), 1.2, float(rng.uniform(10.0, 4000.0)), 12.0)
    assert 1000 <= len(asked) <= 3500
