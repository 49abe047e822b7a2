"""A rule and a boundary from outside the package: by value, by `module:Class`, by entry point, and compiled."""

from math import log, pi, sqrt
from typing import NamedTuple

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import UnknownName
from satisfice.rules import RULES
from satisfice.simulation.cell import run_once
from satisfice.stopping import STOPPING_RULES
from satisfice.testing import check_arms, check_rule, check_stopping
from tests.helpers import cases
from tests.helpers.installed import install


def bonus_of(pulls, variance, union):
    """A helper of the user's own; nobody told the package about it."""
    return sqrt(2.0 * variance * log(union * pulls) / pulls)


class OwnTUCB(NamedTuple):
    """MultiTUCB in the words of a user, one of which is a method of a judge of the package."""

    start: float = 1.0

    def bonus(self, pulls, setting):
        return self.start * bonus_of(pulls, setting.noise_scale**2, setting.arms * setting.metrics)

    def priority(self, shortfall, excess, bonus):
        return bonus - shortfall


class OwnAlpha(NamedTuple):
    """Proposition 3 in the words of a user."""

    given: int = 2

    def width(self, pulls, setting):
        if pulls < self.given:
            return float("inf")
        union = pi**2 * setting.arms * setting.metrics * pulls**2 / (3 * setting.error_rate)
        return sqrt(2 * setting.noise_scale**2 * log(union) / pulls)


def runs(**parts):
    instance = cases.medical()
    return sf.simulate(instance.problem, instance.arms, repetitions=50, max_evaluations=2000, seed=3, **parts).cells[0]


@pytest.mark.full
def test_own_parts_by_value_and_by_path_equal_the_packages_own():
    """Written anew from the paper, they decide the same: the same runs, compiled, from name, value, class and path."""
    expected = runs(rules=["multitucb"], stopping="alpha")
    for rule, boundary in (
        (OwnTUCB(), OwnAlpha()),
        (OwnTUCB, OwnAlpha),
        (f"{__name__}:OwnTUCB", f"{__name__}:OwnAlpha"),
    ):
        got = runs(rules=[rule], stopping=boundary)
        assert np.array_equal(got.pulls, expected.pulls)
        assert np.array_equal(got.found, expected.found)
    assert not np.array_equal(runs(rules=[OwnTUCB(0.1)], stopping=OwnAlpha()).pulls, expected.pulls)


@pytest.mark.full
def test_own_rule_keeps_the_contract():
    check_rule(OwnTUCB())


@pytest.mark.full
def test_own_boundary_keeps_the_contract():
    check_stopping(OwnAlpha())


@pytest.mark.full
def test_own_arms_keep_the_contract():
    check_arms(cases.CoinArms(np.array([[0.0, 1.0], [1.0, 2.0]]), np.array([1.0, 2.0])))


def test_a_class_defined_again_is_compiled_again():
    """As in a notebook, where the cell with a rule is edited and run once more: same name, same fields, other code."""

    def defined_again():
        class OwnTUCB(NamedTuple):
            start: float = 1.0

            def bonus(self, pulls, setting):
                return 0.1 / pulls

            def priority(self, shortfall, excess, bonus):
                return bonus - shortfall

        return OwnTUCB()

    orders = []
    for rule in (OwnTUCB(), defined_again()):
        cell = cases.cell(cases.medical(), rule, budget=200)
        orders.append(run_once(cell, engine="compiled")[2].tolist())
        assert orders[-1] == run_once(cell, engine="interpreted")[2].tolist()
    assert orders[0] != orders[1]


def test_entry_points(tmp_path, monkeypatch):
    """An installed package may bring rules and boundaries under names of its own."""
    source = """
        from typing import NamedTuple

        class Lucky(NamedTuple):
            number: float = 7.0

            def bonus(self, pulls, setting):
                return self.number / pulls

            def priority(self, shortfall, excess, bonus):
                return bonus - shortfall

        class Sure(NamedTuple):
            size: float = 1.0

            def width(self, pulls, setting):
                return self.size * setting.noise_scale
    """
    install(tmp_path, "lucky_rules", source, {"rules": {"lucky": "Lucky"}, "stopping": {"sure": "Sure"}})
    with pytest.raises(UnknownName, match="No sampling rule is called 'lucky'"):
        RULES.resolve("lucky")
    monkeypatch.syspath_prepend(tmp_path)
    rule, boundary = RULES.resolve("lucky"), STOPPING_RULES.resolve("sure")
    assert (type(rule).__name__, rule.number) == ("Lucky", 7.0)
    assert (type(boundary).__name__, boundary.size) == ("Sure", 1.0)
    with pytest.raises(UnknownName, match=r"'luky'. Did you mean 'lucky'\? Known: lucky, multiapt"):
        RULES.resolve("luky")
    instance = cases.medical()
    result = sf.simulate(
        instance.problem,
        instance.arms,
        rules=["lucky"],
        stopping="sure",
        repetitions=3,
        max_evaluations=50,
        engine="interpreted",
    )
    assert result.summaries[0].rule == "Lucky"
