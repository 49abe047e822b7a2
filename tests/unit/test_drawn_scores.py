"""Scores drawn all at once are those drawn one by one."""

import numpy as np
import pytest

from satisfice.core.rules import RULES
from satisfice.core.rules.protocol import draws_scores

DRAWN = [rule for rule in (kind() for kind in RULES.values()) if draws_scores(rule) and hasattr(rule, "drawn_scores")]


@pytest.mark.parametrize("rule", DRAWN, ids=lambda rule: type(rule).__name__)
def test_all_at_once_is_one_by_one(rule):
    strengths = np.random.default_rng(1).normal(size=(7, 3))
    blurs = np.arange(1, 8) ** -0.5
    at_once = rule.drawn_scores(np.random.default_rng(2), strengths, blurs, 5)
    rng = np.random.default_rng(2)
    one_by_one = [[rule.drawn_score(rng, strengths, arm, blurs[arm]) for arm in range(7)] for _ in range(5)]
    assert at_once.tolist() == one_by_one


def test_there_are_rules_that_draw():
    assert len(DRAWN) >= 2
