"""Pandora's rule beside its formula, and what it promises of opening and forced looks."""

from math import exp, log, log1p, sqrt

import numpy as np
import pytest

from satisfice.problem.units import Setting
from satisfice.rules.pandora import Pandora, reservation_cost, soft_minimum


def priority(margins: list[float], pulls: int, arms: int = 5, rule: Pandora | None = None, **setting: float) -> float:
    rule = rule or Pandora()
    table = np.zeros((arms, len(margins)))
    table[0] = margins
    asked = Setting(arms, len(margins), setting.get("error_rate", 0.05), 1.0)
    return rule.margin_priority(table, np.zeros_like(table), 0, pulls, rule.bonus(pulls, asked))


def by_formula(margins: list[float], pulls: int, arms: int) -> float:
    edge = sqrt(2 * (log(20) + 0.5 + 0.5 * log1p(pulls / 30)))
    scores = [pulls * margin / sqrt(pulls + 12) for margin in margins]
    near = [score - min(scores) for score in scores if score < min(scores) + 8]
    soft = min(scores) - log(sum(exp(-1.5 * ahead) for ahead in near)) / 1.5
    alike = sum(exp(-1.5 * ahead) for ahead in near) / sum(exp(-0.75 * ahead) for ahead in near) ** 2
    doubt = 0.3 if len(margins) == 1 else 0.4
    spread = max(alike, 1 / 3) ** 0.25 * (1 + doubt * min(1, 20 / arms))
    return -reservation_cost(soft / spread, edge, pulls + 12)


def test_the_priority_is_minus_the_reservation_cost_of_a_soft_minimum() -> None:
    rng = np.random.default_rng(4)
    for _ in range(500):
        pulls, arms = int(np.exp(rng.uniform(0, 9))), int(np.exp(rng.uniform(0, 7)))
        margins = (rng.normal(0.5, 2, rng.integers(1, 6)) / sqrt(pulls)).tolist()
        assert priority(margins, pulls, arms) == pytest.approx(by_formula(margins, pulls, arms), rel=1e-9)


def test_metrics_that_are_alike_make_an_arm_dearer_and_one_far_ahead_does_not() -> None:
    assert priority([0.2, 0.2], 50) < priority([0.2], 50)
    assert priority([0.2, 9.0], 50) == pytest.approx(priority([0.2], 50, rule=Pandora(doubt=0.4)))


def test_doubt_and_prior_are_what_they_say() -> None:
    assert priority([-0.3], 20, rule=Pandora(doubt=1.0)) > priority([-0.3], 20, rule=Pandora(doubt=0.0))
    assert priority([0.5], 1, rule=Pandora(prior=1.0)) > priority([0.5], 1, rule=Pandora(prior=50.0))
    assert priority([-0.3], 20, arms=1000) < priority([-0.3], 20, arms=20) == priority([-0.3], 20, arms=2)


def test_doubt_is_less_where_several_metrics_are_alike() -> None:
    def doubted(metrics: int, ahead: float = 0.0) -> float:
        margins = np.full((5, metrics), 0.3 + ahead)
        margins[0, 0] = 0.3
        return soft_minimum(margins, np.zeros_like(margins), 0, 5.0)[1]

    assert doubted(1) == doubted(2, ahead=9.0) == doubted(5, ahead=9.0) == 1.0
    assert doubted(2) == pytest.approx(0.5**0.25)
    assert doubted(3) == doubted(4) == doubted(20) == pytest.approx((1 / 3) ** 0.25)
    assert doubted(3) < doubted(3, ahead=0.4) < doubted(3, ahead=0.6) < 1.0


def test_a_metric_that_is_certain_is_left_out() -> None:
    assert priority([0.2, np.inf], 50) == priority([0.2], 50)
    assert priority([0.2, 0.3, np.inf], 50) == priority([0.2, 0.3], 50)
    assert -1e290 < priority([np.inf, np.inf], 50) < 0


def test_extreme_margins_have_finite_priorities() -> None:
    for margin in (-1e200, -1e5, 1e200):
        for metrics in (1, 3):
            assert -1e290 < priority([margin] * metrics, 1000) < 0


def test_a_new_arm_is_opened_at_once_every_third_or_every_sixth_time() -> None:
    def opened(leaders: float, weakest: float, dearer: float = 1.0) -> list[int]:
        return [number for number in range(24) if Pandora().opens(leaders, weakest, number, dearer)]

    assert opened(-5.0, -0.1) == list(range(24))
    assert opened(-20.1, 0.1) == list(range(0, 24, 3))
    assert opened(-20.0, 0.1) == list(range(0, 24, 6))
    assert opened(-20.1, 0.1, dearer=2.5) == list(range(0, 24, 6))
    assert opened(-20.1, 0.1, dearer=1e300) == [0]


def test_looks_are_owed_to_arms_by_how_little_speaks_against_them() -> None:
    owed = Pandora().looks_owed
    assert owed(1000, 10, 2.0) == owed(1000, 10, 0.0) == 20.0
    assert owed(1000, 10, -2.0) == 4.0
    assert owed(4000, 10, -2.0) == 8.0, "whatever was found, more and more"
    assert Pandora().looks_every() == 4


def test_a_newcomer_is_pursued_while_it_looks_better_than_a_leader_that_looks_good() -> None:
    pursues = Pandora().pursues
    assert pursues(0.5, 0.4, 1.0)
    assert not pursues(0.4, 0.4, 1.0)
    assert not pursues(0.5, 0.0, 1.0), "a leader that does not look good is no reason to look again"
    assert not pursues(0.5, -0.1, 1.0)
    assert pursues(0.81, 0.4, 4.0), "a margin of g takes about 1/g^2 evaluations"
    assert not pursues(0.79, 0.4, 4.0)
