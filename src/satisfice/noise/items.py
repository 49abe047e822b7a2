"""The models of a set of items: each item is evaluated once, or its answers are sampled."""

from satisfice.errors import InvalidProblem
from satisfice.noise.bernoulli import Bernoulli
from satisfice.noise.bounded import Bounded
from satisfice.noise.finite import FiniteSet
from satisfice.noise.protocol import NoiseModel
from satisfice.noise.sampled import SampledSet


def of_set(model: NoiseModel, size: int, *, sampled: bool) -> FiniteSet | SampledSet:
    """Results of that model for a set of `size` items."""
    kind = SampledSet if sampled else FiniteSet
    if isinstance(model, Bernoulli):
        return kind(0.0, 1.0, size, coins=True)
    if isinstance(model, Bounded):
        return kind(*model, size)
    raise InvalidProblem(f"only bernoulli and bounded(LOW, HIGH) can be of a set of items, not {model}")
