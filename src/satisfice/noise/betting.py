"""Betting: evidence that the mean of results in [0, 1] is above theta, as an average of capitals.

A bet l in (0, 1/theta) multiplies the capital by 1 + l (x - theta) > 0, whose mean is at most 1, given the whole
past, if that of x is at most theta: the capital is evidence. (Waudby-Smith and Ramdas 2024; Shafer and Vovk.)

Bets are kept in units of 1/sqrt(theta (1 - theta)), the largest spread that results of mean theta can have, so that
one grid serves every theta; in these units the best bet against results of 0 and 1 is about the gap, as in `normal`.
At theta a bet is

    l(theta) = min(bet/sqrt(theta (1 - theta)), .99/theta).

Then 1 + l (x - theta) = x (1 + l (1 - theta)) + (1 - x) (1 - l theta), and both brackets fall as theta grows, the first
being 1 + min(bet sqrt((1 - theta)/theta), .99 (1 - theta)/theta), the second 1 - min(bet sqrt(theta/(1 - theta)), .99).
So **whatever the results in [0, 1], evidence against "at most theta" is the smaller the larger theta is**: a confidence
limit is one root (`intervals`).

Gaps of half the smallest bet are still ended, which is 1/2000 of the spread and takes some 10^8 pulls. The weights are
equal on the logarithmic scale from .01 to 1 and fall in proportion outside. Against the sequential test that knows the
mean, 0/1 results need 1.24 times the pulls at ln E >= ln 1000 (1.11 to 1.36 for theta from .001 to .985 and means from
1.01 theta to 300 theta) and 1.37 times at ln 20. More bets or other slopes change that by less than .05.

theta outside (0, 1), which a threshold minus its tolerance may be:

* theta < 0: no result in [0, 1] has such a mean, the evidence against it is infinite before the first pull. A theta
  between -1e-12 and 0 is taken for a rounded 0;
* theta = 0: only results that are always 0 have such a mean, one positive result is infinite evidence;
* theta >= 1: all means are at most theta, there is never evidence.

Every bet has a capital, and the evidence is their weighted average (Waudby-Smith and Ramdas 2024): it adapts to the
true variance, for whatever that is some bet is near the best one. What is kept of the results is two sums, from which
follows the least that the capitals can be. Results in [low, high] are mapped to (x - low)/(high - low), theta likewise;
evidence that the mean is below theta is that of 1 - x above 1 - theta.

Arrays have shape (J,): `BETS` and `LOG_WEIGHTS`.

Running capitals are one for each bet of a grid, multiplied result by result, whose sum is the evidence.

Each capital starts as its bet's weight and is multiplied by a number whose mean is at most 1, given the whole past, if
the contrary is true. So their sum starts at 1 and is evidence given the whole past (Ville 1939): averages over metrics
are evidence too, and capital may be moved by it (`stopping.transfer`).

The capitals of one side of one metric are kept in a block of `more`: their sum, how often all were halved 256 times,
and the capitals. Nothing overflows, since all are halved or doubled together when the sum gets large or small, which is
exact. A capital that is nothing beside the sum is taken for 0, which only makes the evidence smaller.
"""

from math import exp, inf, log, log1p, sqrt

import numpy as np

from satisfice.arrays import Floats

LARGEST_STAKE = 0.99
"""The part of the capital that a bet may lose in one pull."""
ROUNDED_ZERO = -1e-12


def _constant(values: Floats) -> Floats:
    values.setflags(write=False)
    return values


BETS: Floats = _constant(np.geomspace(0.001, 32.0, 20))
_WEIGHTS: Floats = np.minimum(1.0, BETS / 0.01) * np.minimum(1.0, 1.0 / BETS)
LOG_WEIGHTS: Floats = _constant(np.log(_WEIGHTS / _WEIGHTS.sum()))


def bet_at(theta: float, bet: float) -> float:
    """l(theta) for a bet in units of 1/sqrt(theta (1 - theta)); 0 outside (0, 1), where there is nothing to bet on."""
    if theta <= 0.0 or theta >= 1.0:
        return 0.0
    return min(bet / sqrt(theta * (1.0 - theta)), LARGEST_STAKE / theta)


def bets_at(theta: float) -> Floats:
    """All bets at theta, of shape (J,)."""
    return np.array([bet_at(theta, bet) for bet in BETS.tolist()])


def log_evidence_moments(
    pulls: int, total: float, squares: float, theta: float, bets: Floats, log_weights: Floats
) -> float:
    """A lower bound of ln E_n at any theta from the sum S of the results and the sum Q of their squares alone.

    No capitals are needed, and it is the largest such bound: n - S^2/Q results of 0 and S^2/Q results of Q/S have
    these sums too, and give least capital of all. Take f(x) = ln(1 + l (x - theta)) and the parabola q through f at 0
    that touches f at Q/S. f - q = f'''(somewhere)/6 x (x - Q/S)^2 >= 0 for x >= 0 (Hermite's interpolation), f'''
    being positive, so sum f >= sum q, which is a function of n, S and Q and equals sum f for the results just named.
    """
    if total <= 0.0 or squares <= 0.0:
        return log_evidence_two_values(1.0 * pulls, 0.0, 1.0, theta, bets, log_weights)
    at_most_one = min(squares, total)  # x^2 <= x
    weight = min(total * total / at_most_one, 1.0 * pulls)  # Cauchy and Schwarz
    return log_evidence_two_values(pulls - weight, weight, total / weight, theta, bets, log_weights)


def log_evidence_two_values(
    zeros: float, others: float, value: float, theta: float, bets: Floats, log_weights: Floats
) -> float:
    """ln E of `zeros` results of 0 and `others` of `value` > 0; both numbers need not be whole."""
    if theta < ROUNDED_ZERO or (theta <= 0.0 and others > 0.0):
        return inf
    if theta <= 0.0 or theta >= 1.0:
        return 0.0
    largest = -inf
    total = 0.0
    for j in range(bets.shape[0]):
        bet = bet_at(theta, bets[j])
        capital = log_weights[j] + others * log1p(bet * (value - theta)) + zeros * log1p(-bet * theta)
        if capital > largest:
            total = total * exp(largest - capital) + 1.0
            largest = capital
        else:
            total += exp(capital - largest)
    return largest + log(total)


TOTAL, SHIFTS, HELD = 0, 1, 2
"""The places in a block; a block that is all zero has seen no result."""

SHIFT = 2.0**256
LARGE, SMALL = 2.0**300, 2.0**-300
"""Between these the sum stays; more than SHIFT apart, so that nothing is shifted to and fro."""
NOTHING = 1e-250
LEAST = 2.0**-1000
"""The sum of capitals that cannot be: next to nothing, and no block that has seen no result."""
LOG_SHIFT = 256.0 * log(2.0)

ROUNDING = 1e-13
"""What rounding may add to ln of the evidence with one result, generously: it is taken off for each."""

MOST = 1e60
"""A result counts as no further from theta than that many units: its square is finite, the evidence no larger."""


def doubled(first: float, count: int) -> Floats:
    """`count` bets, each twice the one before."""
    return constant(np.array([first * 2.0**j for j in range(count)]))


def constant(values: Floats) -> Floats:
    """The array, made read-only."""
    values.setflags(write=False)
    return values


def weighted(weights: Floats) -> Floats:
    """Weights as the first capitals; compiled code adds them up four at a time."""
    if weights.size % 4 != 0:
        raise ValueError(f"expected a multiple of four bets, got {weights.size}")
    return constant(np.ascontiguousarray(weights / weights.sum()))


def room(bets: Floats) -> int:
    """How many numbers the capitals of one side take."""
    return HELD + int(bets.size)


def start(more: Floats, place: int, weights: Floats) -> None:
    """Before the first result every capital is its bet's weight."""
    if more[place + TOTAL] == 0.0:
        for j in range(weights.shape[0]):
            more[place + HELD + j] = weights[j]


def settle(more: Floats, place: int, count: int) -> None:
    """Add the capitals up, and keep their sum in reach; it ends whatever they are."""
    total = added(more, place + HELD, count)
    while LARGE < total < inf:
        scale(more, place + HELD, count, 1.0 / SHIFT)
        more[place + SHIFTS] += 1.0
        total = added(more, place + HELD, count)
    while 0.0 < total < SMALL:
        scale(more, place + HELD, count, SHIFT)
        more[place + SHIFTS] -= 1.0
        total = added(more, place + HELD, count)
    more[place + TOTAL] = total if 0.0 < total < inf else LEAST


def added(more: Floats, first: int, count: int) -> float:
    total = 0.0
    for j in range(first, first + count, 4):  # short chains of sums: a processor adds several at a time
        total += (more[j] + more[j + 1]) + (more[j + 2] + more[j + 3])
    return total


def scale(more: Floats, first: int, count: int, factor: float) -> None:
    for j in range(first, first + count):
        more[j] *= factor


def log_capital(more: Floats, place: int, pulls: int) -> float:
    """ln of the sum of the capitals after `pulls` results, rounded down."""
    return float(log(more[place + TOTAL]) + LOG_SHIFT * more[place + SHIFTS] - ROUNDING * pulls)


def capital_reaches(more: Floats, place: int, pulls: int, level: float) -> bool:
    """Whether ln of the sum reaches the level; most often a few products say that it does not."""
    if more[place + SHIFTS] <= 0.0:
        root = 1.0 + max(level, 0.0) / 16.0  # e^level >= (1 + level/16)^16
        root *= root
        root *= root
        root *= root
        if more[place + TOTAL] < root * root:
            return False
    return log_capital(more, place, pulls) >= level
