"""What a noise model knows: one value that holds every function that depends on the model.

A noise model is a small immutable value, such as `Normal(2.0)`, whose `process` says what follows from the declaration.
Two groups of functions make up a process. The first group works on the declaration, at the edge: what a result may be,
what is assumed, how one simulates. The second group works on numbers alone, and is compiled as it stands.

Numbers. A *deficit* is slope * (result - threshold): positive where a result misses its threshold, in a unit in which
the declared noise scales of all metrics are the same. Functions of the second group get

    pulls        how many results there are
    deficit      their sum, as a deficit
    more         further sums, of shape (extra,), kept by `fold`
    numbers      constants of the metric, of shape (6,): the tolerance and the noise scale as deficits, then four
                 numbers that the model chooses (`constants`)
    ratio        the arm's noise scale over the metric's largest: 1 unless every arm has its own
    level        ln(1/a), what ln of the evidence must reach

`within` is ln of the evidence that the mean is within tolerance, `below` that it misses its threshold. Both must be
increasing in how clear the matter is, and evidence in the sense of Ville (1939): P(it ever reaches 1/a) <= a if the
contrary is true, whatever the sampling rule.
"""

from typing import NamedTuple

from satisfice.arrays import Floats

TOLERANCE, SCALE, OWN = 0, 1, 2
"""The places of a metric's numbers; its model's own begin at OWN."""

NUMBERS = 6


class Interval(NamedTuple):
    """From `low` to `high`, infinite where nothing is known yet."""

    low: float
    high: float


class Sums(NamedTuple):
    """What is known of one metric of one arm, in the metric's own unit: sums of (result - origin)."""

    pulls: int
    total: float
    more: Floats
    origin: float


class Distribution(NamedTuple):
    """Mean, standard deviation, and the distribution as weighted points, of shape (N,), where its shape matters."""

    mean: float
    sd: float
    points: tuple[float, ...] = ()
    weights: tuple[float, ...] = ()


class Bet(NamedTuple):
    """What a result x adds to ln of the evidence of an oracle that knows the distribution.

    constant + linear * y + square * y^2 with y = x - edge, or where `multiplies` is 1 ln(1 + linear * y).
    """

    edge: float
    multiplies: float = 0.0
    constant: float = 0.0
    linear: float = 0.0
    square: float = 0.0
