"""Sampling rules: which arm to evaluate next. One small file for each rule; `protocol` says what a rule is."""

from satisfice.catalogue import Catalogue
from satisfice.rules.multiapt import MultiAPT
from satisfice.rules.multihdoc import MultiHDoC
from satisfice.rules.multilucb import MultiLUCB
from satisfice.rules.multitucb import MultiTUCB
from satisfice.rules.murphy import Murphy
from satisfice.rules.pandora import Pandora
from satisfice.rules.protocol import KINDS, SamplingRule
from satisfice.rules.thompson import Thompson
from satisfice.rules.uniform import Uniform

RULES: Catalogue[SamplingRule] = Catalogue(
    "sampling rule",
    "satisfice.rules",
    {
        "multitucb": MultiTUCB,
        "multihdoc": MultiHDoC,
        "multilucb": MultiLUCB,
        "multiapt": MultiAPT,
        "pandora": Pandora,
        "thompson": Thompson,
        "murphy": Murphy,
        "uniform": Uniform,
    },
    [kind.methods for kind in KINDS],
)
"""The rules by the names used in files and on the command line."""

DEFAULT_RULE = Pandora()

RuleLike = SamplingRule | type[SamplingRule] | str
"""A rule, its class, or its name."""

__all__ = [
    "DEFAULT_RULE",
    "RULES",
    "MultiAPT",
    "MultiHDoC",
    "MultiLUCB",
    "MultiTUCB",
    "Murphy",
    "Pandora",
    "RuleLike",
    "SamplingRule",
    "Thompson",
    "Uniform",
]
