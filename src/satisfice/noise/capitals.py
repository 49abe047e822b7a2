"""Running capitals: one for each bet of a grid, multiplied result by result, whose sum is the evidence.

Each capital starts as its bet's weight and is multiplied by a number whose mean is at most 1, given the whole past, if
the contrary is true. So their sum starts at 1 and is evidence given the whole past (Ville 1939): averages over metrics
are evidence too, and capital may be moved by it (`stopping.transfer`).

The capitals of one side of one metric are kept in a block of `more`: their sum, how often all were halved 256 times,
and the capitals. Nothing overflows, since all are halved or doubled together when the sum gets large or small, which is
exact. A capital that is nothing beside the sum is taken for 0, which only makes the evidence smaller.
"""

from math import inf, log

import numpy as np

from satisfice.arrays import Floats

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
