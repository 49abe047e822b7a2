"""A set of N items whose answers are sampled, such as those of a language model at a temperature above 0.

The limit is on the mean over the items of their expected results. Items are drawn uniformly with replacement, each draw
independent of all others (`search.items`), so that results are independent and have exactly that mean: what is evidence
of results that are 0 or 1, or lie in a range, is evidence here, at any time. Without replacement it would not be: the
mean of the items that are left is unknown when only sampled results of the others were seen.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from satisfice.noise.bernoulli import ZERO_OR_ONE, Bernoulli
from satisfice.noise.bounded import BOUNDED, Bounded
from satisfice.noise.finite import checked_size
from satisfice.noise.process import Process

ABOUT_ONE = (
    *("expected", "fits", "bounds", "constants", "interval", "information", "best_bet"),
    *("distribution", "simulated", "mean_beyond"),
)
"""Functions of a process that get the model first: here that of one result."""


class SampledSet(NamedTuple):
    """Results in [low, high] of `size` items, drawn with replacement; `coins` if they are 0 or 1."""

    low: float
    high: float
    size: int
    coins: bool = False

    @property
    def scale(self) -> float:
        return (self.high - self.low) / 2

    @property
    def process(self) -> Process:
        return SAMPLED_COINS if self.coins else SAMPLED_RANGE

    @property
    def one(self) -> Bernoulli | Bounded:
        """The model of one result."""
        return Bernoulli() if self.coins else Bounded(self.low, self.high)

    def __eq__(self, other: object) -> bool:  # tuples of the same numbers are equal whatever they are called
        return isinstance(other, SampledSet) and tuple(self) == tuple(other)

    def __hash__(self) -> int:
        return hash(("sampled", *self))

    def __str__(self) -> str:
        return f"{self.one} of {self.size} sampled"


def with_replacement(process: Process) -> Process:
    """The process of results that are drawn from a set with replacement."""
    own: dict[str, Any] = {name: _about_one(getattr(process, name)) for name in ABOUT_ONE}
    return process._replace(
        **own,
        name=f"{process.name} of sampled items",
        checked=lambda model: model._replace(size=checked_size(*model[:3])),
        assumption=lambda model: (
            f"the claim is about the mean over these {model.size} items of their expected results; items are drawn "
            "with replacement"
        ),
        by_budget=None,
        items=lambda model: model.size,
        one_item=lambda model: model.one,
        redrawn=True,
    )


def _about_one(function: Callable[..., Any] | None) -> Callable[..., Any] | None:
    return None if function is None else lambda model, *rest: function(model.one, *rest)


SAMPLED_COINS = with_replacement(ZERO_OR_ONE)
SAMPLED_RANGE = with_replacement(BOUNDED)
