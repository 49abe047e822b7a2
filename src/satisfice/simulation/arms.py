"""Simulated arms: what an evaluation returns.

Arms are an immutable value, a NamedTuple of arrays, with two methods: `draw(rng, arm, results)` writes one evaluation's
M results, and `rescaled(offset, slope)` is the same arms measured as offset + slope * result in each metric.
"""

from typing import NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from satisfice.arrays import Floats, Integers
from satisfice.errors import InvalidInstance
from satisfice.noise.models import Bernoulli, Bounded
from satisfice.problem.means import checked_means
from satisfice.problem.problem import Problem, known_scale


class Arms(Protocol):
    """K simulated arms with M metrics each."""

    @property
    def means(self) -> Floats:
        """The true means, of shape (K, M)."""

    def draw(self, rng: np.random.Generator, arm: int, results: Floats, /) -> None: ...

    def rescaled(self, offset: Floats, slope: Floats, /) -> Self: ...


class GaussianArms(NamedTuple):
    """Independent normal metrics; means have shape (K, M), and so have sds, or (1, M) if all arms have the same."""

    means: Floats
    sds: Floats

    def draw(self, rng: np.random.Generator, arm: int, results: Floats) -> None:
        row = min(arm, self.sds.shape[0] - 1)
        for metric in range(results.shape[0]):
            results[metric] = self.means[arm, metric] + self.sds[row, metric] * rng.standard_normal()

    def rescaled(self, offset: Floats, slope: Floats) -> "GaussianArms":
        same = bool((self.sds == self.sds[0]).all())
        return GaussianArms(offset + slope * self.means, slope * (self.sds[:1] if same else self.sds))


class CorrelatedArms(NamedTuple):
    """Normal metrics with one correlation matrix, given by its lower Cholesky factor of shape (M, M)."""

    means: Floats
    sds: Floats
    factor: Floats

    def draw(self, rng: np.random.Generator, arm: int, results: Floats) -> None:
        for metric in range(results.shape[0]):
            results[metric] = rng.standard_normal()
        for metric in range(results.shape[0] - 1, -1, -1):  # backwards: only earlier draws are still needed
            mixed = 0.0
            for source in range(metric + 1):
                mixed += self.factor[metric, source] * results[source]
            results[metric] = self.means[arm, metric] + self.sds[arm, metric] * mixed

    def rescaled(self, offset: Floats, slope: Floats) -> "CorrelatedArms":
        return CorrelatedArms(offset + slope * self.means, slope * self.sds, self.factor)


NORMAL, BERNOULLI, BETA = 0, 1, 2


class MixedArms(NamedTuple):
    """Independent metrics of several kinds: result = low + spread * Z.

    `kinds` of shape (M,) says what Z is: NORMAL standard normal, BERNOULLI 1 with probability `first`, BETA
    Beta(`first`, `second`). The other arrays have shape (K, M).
    """

    means: Floats
    kinds: Integers
    low: Floats
    spread: Floats
    first: Floats
    second: Floats

    def draw(self, rng: np.random.Generator, arm: int, results: Floats) -> None:
        for metric in range(results.shape[0]):
            if self.kinds[metric] == NORMAL:
                unit = rng.standard_normal()
            elif self.kinds[metric] == BERNOULLI:
                unit = 1.0 if rng.random() < self.first[arm, metric] else 0.0
            else:
                unit = rng.beta(self.first[arm, metric], self.second[arm, metric])
            results[metric] = self.low[arm, metric] + self.spread[arm, metric] * unit

    def rescaled(self, offset: Floats, slope: Floats) -> "MixedArms":
        return self._replace(
            means=offset + slope * self.means, low=offset + slope * self.low, spread=slope * self.spread
        )


class RecordedArms(NamedTuple):
    """Past evaluations, drawn again with replacement, whole rows at a time.

    Arm i owns the rows starts[i] to starts[i + 1] of `rows`, which has shape (N, M).
    """

    means: Floats
    rows: Floats
    starts: Integers

    def draw(self, rng: np.random.Generator, arm: int, results: Floats) -> None:
        first = self.starts[arm]
        row = first + int(rng.random() * (self.starts[arm + 1] - first))
        for metric in range(results.shape[0]):
            results[metric] = self.rows[row, metric]

    def rescaled(self, offset: Floats, slope: Floats) -> "RecordedArms":
        return RecordedArms(offset + slope * self.means, offset + slope * self.rows, self.starts)


def gaussian_arms(
    means: ArrayLike, sds: ArrayLike, correlation: ArrayLike | None = None
) -> GaussianArms | CorrelatedArms:
    """Normal arms: means of shape (K, M); sds a number, one for each metric (M,), or (K, M).

    `correlation` between the metrics is one number for all pairs or a matrix of shape (M, M).
    """
    table = checked_means(means)
    spread = _spread(sds, table.shape)
    if correlation is None:
        return GaussianArms(table, spread)
    return CorrelatedArms(table, spread, _cholesky(correlation, table.shape[1]))


def arms_for(
    problem: Problem,
    means: ArrayLike,
    *,
    sds: ArrayLike | None = None,
    concentration: ArrayLike = 10.0,
    correlation: ArrayLike | None = None,
) -> Arms:
    """Arms with these means, of shape (K, M), and noise as the problem's metrics declare it.

    `sds` replaces the declared scales of normal metrics; `concentration` is the sum of a Beta's two parameters, for
    bounded metrics: a number, or one for each metric. Correlated metrics must all be normal.
    """
    table = checked_means(means, metrics=problem.metric_names)
    models = [metric.noise for metric in problem.metrics]
    normal = [not isinstance(model, (Bernoulli, Bounded)) for model in models]
    if sds is None:
        scales = [
            known_scale(metric) if is_normal else 1.0 for metric, is_normal in zip(problem.metrics, normal, strict=True)
        ]
        ratios = problem.noise_ratios(len(table))
        spread = _spread(np.array(scales) * (ratios if ratios.size else 1.0), table.shape)
    else:
        spread = _spread(sds, table.shape)
    if all(normal):
        return gaussian_arms(table, spread, correlation)
    if correlation is not None:
        other = next(metric.name for metric, is_normal in zip(problem.metrics, normal, strict=True) if not is_normal)
        raise InvalidInstance(
            f"A correlation needs normal noise in every metric, but {other!r} has another. Drop the correlation, or "
            "declare normal(SD), or use recorded arms, which keep whatever dependence the data have."
        )
    return _mixed_arms(problem, table, spread, concentration)


def _mixed_arms(problem: Problem, means: Floats, spread: Floats, concentration: ArrayLike) -> MixedArms:
    strengths = np.broadcast_to(np.asarray(concentration, dtype=np.float64), means.shape[1:])
    if not ((strengths > 0) & (strengths < np.inf)).all():
        raise InvalidInstance(f"The concentration of a Beta must be positive and finite, got {concentration!r}.")
    kinds = np.zeros(means.shape[1], np.int64)
    low, stretch = means.copy(), spread.copy()
    first, second = np.ones_like(means), np.ones_like(means)
    for index, metric in enumerate(problem.metrics):
        model = metric.noise
        bounds = (
            (0.0, 1.0)
            if isinstance(model, Bernoulli)
            else (model.low, model.high)
            if isinstance(model, Bounded)
            else None
        )
        if bounds is None:
            continue
        bottom, top = bounds
        share = (means[:, index] - bottom) / (top - bottom)
        edge_allowed = isinstance(model, Bernoulli)
        inside = (share >= 0) & (share <= 1) if edge_allowed else (share > 0) & (share < 1)
        if not inside.all():
            arm = int(np.argmin(inside))
            raise InvalidInstance(
                f"Metric {metric.name!r} is declared {model}, so its means must lie "
                f"{'in' if edge_allowed else 'strictly inside'} [{bottom:g}, {top:g}], "
                f"but arm {arm + 1} has {means[arm, index]:g}."
            )
        kinds[index] = BERNOULLI if edge_allowed else BETA
        low[:, index], stretch[:, index] = bottom, top - bottom
        first[:, index] = share if edge_allowed else share * strengths[index]
        second[:, index] = 1.0 if edge_allowed else (1 - share) * strengths[index]
    return MixedArms(means, kinds, low, stretch, first, second)


def _spread(sds: ArrayLike, shape: tuple[int, ...]) -> Floats:
    try:
        spread = np.broadcast_to(np.asarray(sds, dtype=np.float64), shape).copy()
    except (TypeError, ValueError):
        raise InvalidInstance(
            f"Expected the standard deviations as one number, {shape[1]} numbers (one a metric) or {shape[0]} rows of "
            f"{shape[1]} numbers (one an arm), got {sds!r:.60}."
        ) from None
    if not (np.isfinite(spread).all() and (spread >= 0).all()):
        raise InvalidInstance("Every standard deviation must be zero or more and finite.")
    return spread


def _cholesky(correlation: ArrayLike, metrics: int) -> Floats:
    try:
        matrix = np.asarray(correlation, dtype=np.float64)
    except (TypeError, ValueError):
        matrix = np.empty(0)
    if matrix.ndim == 0:
        matrix = np.where(np.eye(metrics, dtype=bool), 1.0, matrix)
    if matrix.shape != (metrics, metrics) or not np.array_equal(matrix, matrix.T) or not (np.diag(matrix) == 1).all():
        raise InvalidInstance(
            f"Expected the correlation as one number or a symmetric {metrics} x {metrics} matrix with ones on its "
            "diagonal."
        )
    try:
        return np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise InvalidInstance(
            "The correlation matrix is not positive definite: no metrics can be correlated like that. "
            "Bring the numbers nearer to 0."
        ) from None
