"""Sampling rules: which arm to evaluate next. One small file a rule.

A rule is an immutable value (a NamedTuple with at least one field) with two methods:

* `bonus(pulls, setting)`: what depends on an arm's own number of pulls alone; computed once for each number.
* `priority(shortfall, excess, bonus)`: the arm with the largest priority is evaluated next, ties go to the first arm.
  A rule whose priorities rise with every evaluation made has `priority_at(shortfall, excess, bonus, total_pulls)`
  instead, which must not fall as `total_pulls` grows.

`shortfall` is max_m (threshold - mean) and `excess` is max_m (threshold - tolerance - mean), both standardised.
"""

from typing import Any

from satisfice.rules.multiapt import MultiAPT
from satisfice.rules.multihdoc import MultiHDoC
from satisfice.rules.multilucb import MultiLUCB
from satisfice.rules.multitucb import MultiTUCB
from satisfice.rules.murphy import Murphy
from satisfice.rules.pandora import Pandora
from satisfice.rules.protocol import SamplingRule
from satisfice.rules.thompson import Thompson
from satisfice.rules.uniform import Uniform

RULES: dict[str, type[Any]] = {
    "multitucb": MultiTUCB,
    "multihdoc": MultiHDoC,
    "multilucb": MultiLUCB,
    "multiapt": MultiAPT,
    "pandora": Pandora,
    "thompson": Thompson,
    "murphy": Murphy,
    "uniform": Uniform,
}
"""The rules by the names used in files and on the command line."""

DEFAULT_RULE = Pandora()

__all__ = [
    "DEFAULT_RULE",
    "RULES",
    "MultiAPT",
    "MultiHDoC",
    "MultiLUCB",
    "MultiTUCB",
    "Murphy",
    "Pandora",
    "SamplingRule",
    "Thompson",
    "Uniform",
]
