"""The benchmark of groups: it measures what it says, and measuring one tight metric of four apart costs less."""

import numpy as np
import pytest

from benchmarks.costs.measure import average
from benchmarks.groups.__main__ import line
from benchmarks.groups.measure import BAR, FAMILIES, TIGHT, Spent, instance_of, spent_on, together


def test_instances_are_what_their_kind_says():
    for family in FAMILIES:
        instance = instance_of(family, np.random.default_rng(1))
        good = (instance.arms.means >= 0).all(axis=1).sum()
        assert (good, len(instance.arm_names)) == (family.good, family.arms)
        assert instance.costs.reshape(family.arms, -1)[0].tolist() == list(family.costs)
        whole = together(instance)
        assert (whole.problem.groups, set(whole.costs.tolist())) == ((), {sum(family.costs)})


@pytest.mark.parametrize(
    ("draws", "repetitions", "engine"),
    [(2, 4, "interpreted"), pytest.param(8, 200, "compiled", marks=pytest.mark.full)],
)
def test_one_tight_metric_of_four_costs_less_than_half(draws, repetitions, engine):
    """The kind that the bar is about; `python -m benchmarks.groups` has all."""
    rng = np.random.default_rng(3)
    ratios = [spent_on(instance_of(TIGHT, rng), repetitions, engine, 4000).ratio for _ in range(draws)]
    assert average(ratios) <= BAR


def test_lines_tell_the_average_and_the_worst():
    rows = [Spent("x", 10.0, 100.0), Spent("x", 40.0, 100.0)]
    assert line("x", rows) == ("x", "25", "100", "0.20", "0.40")
