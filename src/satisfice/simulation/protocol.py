"""What simulated arms are: a NamedTuple of arrays that knows its means, and how to draw."""

from typing import Protocol, Self, runtime_checkable

import numpy as np

from satisfice.arrays import Floats


@runtime_checkable
class Arms(Protocol):
    """K simulated arms with M metrics each."""

    @property
    def means(self) -> Floats:
        """The true means, of shape (K, M)."""

    def draw(self, rng: np.random.Generator, arm: int, results: Floats, /) -> None:
        """Write the M results of one evaluation."""

    def rescaled(self, offset: Floats, slope: Floats, /) -> Self:
        """The same arms measured as offset + slope * result in each metric."""
