"""Noise models: what may be declared about how a metric scatters, and what follows from it. One file for each model."""

from satisfice.catalogue import Catalogue
from satisfice.noise.bernoulli import ZERO_OR_ONE, Bernoulli
from satisfice.noise.bounded import BOUNDED, Bounded
from satisfice.noise.checked import CHECKED, Checked
from satisfice.noise.exact import THE_SAME, Exact
from satisfice.noise.independent import TRIALS_AT_ONCE, Independent
from satisfice.noise.normal import KNOWN_SCALE, UNKNOWN_SCALE, Normal, SubGaussian
from satisfice.noise.poisson import COUNTS, Poisson
from satisfice.noise.process import NoiseModel, Process
from satisfice.noise.sets import SAMPLED_COINS, SAMPLED_RANGE, WITHOUT_REPLACEMENT, FiniteSet, SampledSet
from satisfice.noise.spread import ANY_SHAPE, Spread

NOISE_MODELS: Catalogue[NoiseModel] = Catalogue(
    "noise model",
    "satisfice.noise",
    {
        "normal": Normal,
        "subgaussian": SubGaussian,
        "bernoulli": Bernoulli,
        "bounded": Bounded,
        "poisson": Poisson,
        "independent": Independent,
        "spread": Spread,
        "checked": Checked,
        "exact": Exact,
    },
)
"""The noise models by the names used in threshold strings."""

PROCESSES: tuple[Process, ...] = (
    *(KNOWN_SCALE, UNKNOWN_SCALE, ZERO_OR_ONE, BOUNDED, COUNTS),
    *(CHECKED, TRIALS_AT_ONCE, ANY_SHAPE, WITHOUT_REPLACEMENT, SAMPLED_COINS, SAMPLED_RANGE, THE_SAME),
)
"""What the models above lead to; compiled code tells them apart by their place here."""


def is_in_units(model: type[NoiseModel]) -> bool:
    """Whether the numbers of the models of a class are in the unit of what is limited."""
    return model in (Bounded, Normal, Spread, SubGaussian)


def is_in_shares(model: type[NoiseModel]) -> bool:
    """Whether they are shares of all evaluations."""
    return model is Checked


__all__ = [
    "NOISE_MODELS",
    "PROCESSES",
    "Bernoulli",
    "Bounded",
    "Checked",
    "Exact",
    "FiniteSet",
    "Independent",
    "NoiseModel",
    "Normal",
    "Poisson",
    "SampledSet",
    "Spread",
    "SubGaussian",
]
