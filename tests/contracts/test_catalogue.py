"""Every rule, boundary and family of arms of the package keeps the published contracts; what breaks them is caught."""

from math import inf, log, nan
from typing import NamedTuple

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import BrokenContract, IncompleteRule
from satisfice.rules import RULES
from satisfice.stopping import STOPPING_RULES
from satisfice.testing import check_arms, check_rule, check_stopping
from tests.helpers import cases

QUICK = ("multitucb", "pandora")
"""Of the kinds that most are of; other tests compile the rest as well."""
HEAVY = ("transfer", "evidence")
"""What they decide is tested in tests/stopping and tests/statistical, on what is compiled there anyway."""


@pytest.mark.parametrize(
    "rule", [pytest.param(rule, marks=() if rule in QUICK else pytest.mark.full) for rule in RULES]
)
def test_rules(rule):
    check_rule(rule)


@pytest.mark.parametrize(
    "boundary", [pytest.param(one, marks=[pytest.mark.full] * (one in HEAVY)) for one in STOPPING_RULES]
)
def test_boundaries(boundary):
    check_stopping(boundary)


@pytest.mark.parametrize(
    "instance", [cases.unequal, cases.ties, cases.correlated, cases.mixed, cases.coins, cases.recorded]
)
def test_arms(instance):
    check_arms(instance().arms)
    check_arms(instance().deficits())


class Rule(NamedTuple):
    """A sound rule to be spoilt below."""

    size: float = 1.0

    def bonus(self, pulls, setting):
        return self.size / pulls

    def priority(self, shortfall, excess, bonus):
        return bonus - shortfall


class Spoilt(Rule):
    """Not all shortfalls give a number."""

    def priority(self, shortfall, excess, bonus):
        return nan if shortfall > 1 else -shortfall


class Unbounded(Rule):
    def bonus(self, pulls, setting):
        return inf if pulls > 1000 else 1.0


class Raising(Rule):
    def bonus(self, pulls, setting):
        return log(pulls - 1)


class Moody(Rule):
    calls = 0

    def bonus(self, pulls, setting):
        type(self).calls += 1
        return float(self.calls)


class Wordy(Rule):
    def bonus(self, pulls, setting):
        return "a lot"


class Tiring(NamedTuple):
    size: float = 1.0

    def bonus(self, pulls, setting):
        return self.size

    def priority_at(self, shortfall, excess, bonus, total_pulls):
        return -shortfall - bonus * log(total_pulls)


class Empty(NamedTuple):
    def bonus(self, pulls, setting):
        return 1.0

    def priority(self, shortfall, excess, bonus):
        return -shortfall


class Unsound:
    def bonus(self, pulls, setting):
        return 1.0

    def priority(self, shortfall, excess, bonus):
        return -shortfall


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (Spoilt(), r"Spoilt: priority\(10.0, .*must be finite, got nan"),
        (Unbounded(), r"Unbounded: bonus\(4095, .*must be finite, got inf"),
        (Raising(), r"Raising: bonus\(1, .* raised ValueError"),
        (Moody(), r"Moody: bonus\(1, .* must always return the same, got 1.0 and then 2.0"),
        (Wordy(), r"Wordy: bonus\(1, .* must return a number, got 'a lot'"),
        (Tiring(), r"Tiring: priority_at.* must not fall as total_pulls grows"),
    ],
)
def test_broken_rules_are_caught(rule, sentence):
    with pytest.raises(BrokenContract, match=sentence):
        check_rule(rule)


@pytest.mark.parametrize("rule", [Empty(), Unsound()])
def test_what_is_no_rule_is_caught(rule):
    with pytest.raises(IncompleteRule, match=f"{type(rule).__name__} is not a NamedTuple with at least one field"):
        check_rule(rule)


class Overflowing(Rule):
    """Whole numbers are bounded in compiled code."""

    def bonus(self, pulls, setting):
        return float((pulls << 62) % 1009)


@pytest.mark.full
def test_a_rule_that_differs_when_compiled_is_caught():
    with pytest.raises(BrokenContract, match="Overflowing: a run must be the same interpreted and compiled"):
        check_rule(Overflowing())


class Width(NamedTuple):
    """The width is size * noise_scale, with one thing spoilt at a time."""

    size: float = 1.0
    sharper_when_stricter: float = 0.0
    unit: float = 0.0

    def width(self, pulls, setting):
        return (
            self.size * setting.noise_scale * (1 - self.sharper_when_stricter * log(1 / setting.error_rate)) + self.unit
        )


@pytest.mark.parametrize(
    ("boundary", "sentence"),
    [
        (Width(size=nan), r"width\(1, .* must be zero or more .*got nan"),
        (Width(size=-1.0), r"width\(1, .* must be zero or more .*got -0.001"),
        (Width(sharper_when_stricter=0.01), "half the error rate must not make the width smaller"),
        (Width(unit=0.5), "twice the noise scale must make the width twice as large"),
    ],
)
def test_broken_boundaries_are_caught(boundary, sentence):
    with pytest.raises(BrokenContract, match=f"Width: {sentence}"):
        check_stopping(boundary)


class Arms(NamedTuple):
    """Noise without much to it, with one thing spoilt at a time."""

    means: np.ndarray
    lost: float = 0.0
    bias: float = 0.0
    stiff: bool = False

    def draw(self, rng, arm, results):
        for metric in range(results.shape[0]):
            results[metric] = self.means[arm, metric] + self.bias + rng.random() - 0.5
        if rng.random() < self.lost:
            results[0] = nan

    def rescaled(self, offset, slope):
        return self if self.stiff else self._replace(means=offset + slope * self.means)


class Forgetful(Arms):
    """Draws from a generator of its own."""

    def draw(self, rng, arm, results):
        results[:] = self.means[arm] + np.random.default_rng().random(results.shape[0]) - 0.5


class NoArms(NamedTuple):
    size: float = 1.0


MEANS = np.array([[0.0, 1.0], [2.0, 3.0]])


@pytest.mark.parametrize(
    ("arms", "sentence"),
    [
        (Arms(MEANS, lost=0.01), "every result must be a finite number"),
        (Arms(MEANS, bias=0.2), "results must average to means, but metric 0 of arm 0 averages 0.19"),
        (Arms(MEANS, stiff=True), r"rescaled\(offset, slope\) must have the means"),
        (Arms(MEANS), r"rescaled\(offset, slope\) must have the results"),
        (Arms(MEANS[0]), r"means must have shape \(K, M\) .*got shape \(2,\)"),
        (Forgetful(MEANS), "a generator with the same seed must give the same results"),
        (NoArms(), "must be a NamedTuple of arrays, one of them called means"),
        (MEANS, "must be a NamedTuple of arrays, one of them called means"),
    ],
)
def test_broken_arms_are_caught(arms, sentence):
    with pytest.raises(BrokenContract, match=sentence):
        check_arms(arms)


def test_a_broken_contract_is_an_assertion_and_ours():
    assert issubclass(BrokenContract, AssertionError)
    assert issubclass(BrokenContract, sf.SatisficeError)
