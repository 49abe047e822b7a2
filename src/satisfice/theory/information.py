"""How much one evaluation says: the information number of one metric of one arm, in nats.

An answer is safe once every instance on which it would be wrong has been told from the true one. What one evaluation
contributes to that is the relative entropy between the true distribution P of the metric and the nearest one under
which the answer is wrong: inf KL(P, Q) over the distributions Q of the declared noise model whose mean is `edge` or
worse. The edge is the end of the tolerance for accepting an arm and the threshold itself for rejecting it. With gap =
|mean - edge|:

    noise                     information number
    normal(sd)                gap^2 / (2 sd^2)
    subgaussian(scale)        gap^2 / (2 scale^2), that of normal P; other P have no less (Donsker and Varadhan 1975)
    bernoulli                 d(p, edge), the relative entropy of two coins
    normal, sd unknown        1/2 ln(1 + gap^2/sd^2), Q being normal with mean `edge` and variance sd^2 + gap^2
                              (Cowan, Honda and Katehakis 2018)
    poisson                   mean ln(mean/edge) - mean + edge
    bounded(low, high)        max over l of E ln(1 + l (x - edge)), results taken to [0, 1] and 0 <= l <= 1/edge
                              (Honda and Takemura 2010)

An oracle that knows the arm's distribution attains it with a fixed bet on every evaluation: `best_bet`. Each of these
bets has expectation 1 or less under every distribution of the model whose mean is the edge or worse, so its product is
evidence. For unknown sd it is the ratio of the normal densities of P and of the Q above: under normal ones of mean
`edge` and any variance its expectation is largest, 1, for that of Q, and means beyond the edge only lower it.
"""

from enum import Enum
from math import inf

from satisfice.errors import InvalidInstance
from satisfice.layout.numbers import written
from satisfice.noise.process import Bet, Distribution
from satisfice.problem.metric import Direction, Metric
from satisfice.theory.gaps import ROUNDING


class Side(Enum):
    """What is to be shown of a mean: that it is within tolerance, or that it misses its threshold."""

    ACCEPT = "accept"
    REJECT = "reject"


def information(metric: Metric, mean: float, side: Side, known: Distribution | None = None) -> float:
    """Nats that one evaluation gives on average towards that side; 0 where the mean is not on it, possibly infinite.

    The distribution is needed where the noise model leaves the spread open: normal of unknown scale, and bounded.
    """
    edge, above = edge_of(metric, side)
    if not metric.is_plain:
        raise InvalidInstance(
            f"What is known in advance is about means, and {metric.limited!r} is about something else."
        )
    if metric.process.open_spread and known is None:
        raise InvalidInstance(
            f"Metric {metric.name!r} is declared {metric.noise}, which leaves open how much its results vary, and "
            "so how many evaluations it takes. Give `spread`, the standard deviation of one evaluation of each metric."
        )
    if metric.process.information is None:
        raise InvalidInstance(f"Nothing is known about how much results of {metric.name!r} ({metric.noise}) say.")
    scale = (
        known.sd if known is not None and metric.process.open_spread else metric.process.scale_at(metric.noise, edge)
    )
    gap = mean - edge if above else edge - mean
    if metric.process.certain:
        return inf if gap > 0.0 or (gap == 0.0 and side is Side.ACCEPT) else 0.0
    if gap <= ROUNDING * scale:  # what floating point cannot tell from nothing is nothing
        return 0.0
    try:
        return metric.process.information(metric.noise, mean, edge, known)
    except InvalidInstance as error:
        raise InvalidInstance(
            f"Metric {metric.name!r} is declared {metric.noise}, so {error}, got {written(mean)}."
        ) from None


def best_bet(metric: Metric, mean: float, side: Side, known: Distribution | None = None) -> Bet:
    """The fixed bet whose ln grows by `information` an evaluation on average."""
    edge, _ = edge_of(metric, side)
    if metric.process.best_bet is None:
        raise InvalidInstance(f"No best bet is known for {metric.name!r} ({metric.noise}).")
    return metric.process.best_bet(metric.noise, mean, edge, known)


def edge_of(metric: Metric, side: Side) -> tuple[float, bool]:
    """The mean that must be told from the true one, and whether the true one is to be above it."""
    at_least = metric.direction is Direction.AT_LEAST
    if side is Side.REJECT:
        return metric.threshold, not at_least
    return metric.threshold + (-metric.tolerance if at_least else metric.tolerance), at_least
