"""The benchmark of costs: it measures what it says, and a rule that knows costs spends less."""

import numpy as np
import pytest

from benchmarks.costs.__main__ import line
from benchmarks.costs.measure import FAMILIES, Spent, average, instance_of, money_while_learning, spent_on


def test_instances_are_what_their_kind_says():
    for family in FAMILIES:
        instance = instance_of(family, np.random.default_rng(1))
        limit = 0.7 if family.coins else 0.0
        good = (instance.arms.means >= limit).all(axis=1).sum()
        assert (good, len(instance.arm_names)) == (family.good, family.arms)
        assert instance.costs.max() / instance.costs.min() == pytest.approx(100.0)


@pytest.mark.full
def test_knowing_costs_spends_at_most_half():
    """One kind of the bar, in seconds; `python -m benchmarks.costs` has all."""
    rng = np.random.default_rng(3)
    ratios = [spent_on(instance_of(FAMILIES[2], rng), 100).ratio for _ in range(2)]
    assert average(ratios) <= 0.5


@pytest.mark.full
def test_learning_costs_spends_less_than_not_knowing_them():
    instance = instance_of(FAMILIES[2], np.random.default_rng(4))
    blind = spent_on(instance, 100).blind
    assert np.mean([money_while_learning(instance, run) for run in range(5)]) < 0.25 * blind


def test_lines_tell_the_average_and_the_worst():
    rows = [Spent("x", 10.0, 100.0, 50.0), Spent("x", 40.0, 100.0, 50.0)]
    assert line("x", rows) == ("x", "25", "100", "0.20", "0.40", "0.50")
