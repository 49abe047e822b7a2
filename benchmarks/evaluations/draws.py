"""How results are drawn, beside what is declared about them: arms to simulate, and means of many results at once."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

import satisfice as sf
from satisfice.arrays import Floats
from satisfice.simulation.protocol import Arms

MANY = 1000
"""From this many Beta results on, their mean is drawn as normal, which it is to within a part in a thousand."""


class Draws(NamedTuple):
    """The true standard deviations of normal metrics and their correlation, and the sum of a Beta's two parameters.

    Without standard deviations those that are declared are the true ones.
    """

    sds: ArrayLike | None = None
    correlation: float | None = None
    concentration: float = 10.0

    def arms(self, problem: sf.Problem, means: ArrayLike) -> Arms:
        """Arms to simulate, with means of shape (K, M)."""
        return sf.arms_for(problem, means, **self._asdict())

    def sample_means(self, instance: sf.Instance, count: int, rng: np.random.Generator) -> Floats:
        """The means of `count` evaluations of each arm of such an instance, of shape (K, M)."""
        means, metrics = instance.arms.means, instance.problem.metrics
        normals = rng.standard_normal(means.shape)
        if self.correlation is not None:
            matrix = np.where(np.eye(len(metrics), dtype=bool), 1.0, self.correlation)
            normals = normals @ np.linalg.cholesky(matrix).T
        sds = np.array([metric.noise.scale or np.nan for metric in metrics]) if self.sds is None else np.array(self.sds)
        drawn = means + sds * normals / count**0.5
        for index, metric in enumerate(metrics):
            match metric.noise:
                case sf.Bernoulli():
                    drawn[:, index] = rng.binomial(count, means[:, index]) / count
                case sf.Bounded(low, high):
                    shares = (means[:, index] - low) / (high - low)
                    drawn[:, index] = low + (high - low) * self._beta_means(shares, count, rng)
        return np.asarray(drawn)

    def _beta_means(self, shares: Floats, count: int, rng: np.random.Generator) -> Floats:
        first, second = shares * self.concentration, (1 - shares) * self.concentration
        if count < MANY:
            return np.asarray(rng.beta(first, second, (count, len(shares))).mean(axis=0))
        sds = np.sqrt(shares * (1 - shares) / (self.concentration + 1))
        return np.asarray(shares + sds * rng.standard_normal(len(shares)) / count**0.5)


AS_DECLARED = Draws()
"""Results as the problem declares them."""
