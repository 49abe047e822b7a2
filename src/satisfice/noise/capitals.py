"""Running capitals: one for each bet of a grid, multiplied result by result, whose sum is the evidence.

Each capital starts as its bet's weight and is multiplied by a number whose mean is at most 1, given the whole past, if
the contrary is true. So their sum starts at 1 and is evidence given the whole past (Ville 1939): averages over metrics
are evidence too, and capital may be moved by it (`stopping.transfer`).

The capitals of one side of one metric are kept in a block of `more`: their sum, how often all were halved 256 times,
and the capitals. Nothing overflows, since all are halved or doubled together when the sum gets large or small, which is
exact. A capital that is nothing beside the sum is taken for 0, which only makes the evidence smaller.
"""

from collections.abc import Sequence
from functools import cache
from math import log
from struct import Struct
from typing import Any

import numpy as np

from satisfice.arrays import Floats
from satisfice.noise.process import UNLIMITED, Gain

TOTAL, SHIFTS, HELD = 0, 1, 2
"""The places in a block; a block that is all zero has seen no result."""

SHIFT = 2.0**256
LARGE, SMALL = 2.0**300, 2.0**-300
"""Between these the sum stays; more than SHIFT apart, so that nothing is shifted to and fro."""
NOTHING = 1e-250
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
    """Add the capitals up, and keep their sum in reach."""
    total = added(more, place + HELD, count)
    while total > LARGE:
        scale(more, place + HELD, count, 1.0 / SHIFT)
        more[place + SHIFTS] += 1.0
        total = added(more, place + HELD, count)
    while total < SMALL:
        scale(more, place + HELD, count, SHIFT)
        more[place + SHIFTS] -= 1.0
        total = added(more, place + HELD, count)
    more[place + TOTAL] = total


def added(more: Floats, first: int, count: int) -> float:
    total = 0.0
    for j in range(first, first + count, 4):  # short chains of sums: a processor adds several at a time
        total += (more[j] + more[j + 1]) + (more[j + 2] + more[j + 3])
    return total


def multiply(more: Any, place: int, stakes: Sequence[float], beyond: float, weights: list[float]) -> None:
    """What interpreted code does for `start`, a factor 1 + stake * beyond for each capital and `settle`.

    To the same bits, and sooner.
    """
    written, at = _packed(len(weights)), ITEM * (place + HELD)
    before = weights if more[place + TOTAL] == 0.0 else written.unpack_from(more, at)
    held = [
        kept if (kept := one * (1.0 + stake * beyond)) > NOTHING else 0.0
        for one, stake in zip(before, stakes, strict=True)
    ]
    written.pack_into(more, at, *held)
    total = _added(held)
    if SMALL <= total <= LARGE:
        more[place + TOTAL] = total
    else:
        settle(more, place, len(weights))


def multiply_often(more: Any, stakes: Floats, beyond: Floats, weights: list[float]) -> None:
    """`multiply` for results in their order, to the same bits: of the blocks from place 1 on, which have seen some.

    `stakes` are those of each block and bet, (B, J), and `beyond` (N, B) is by how much each result is so.
    """
    count, (blocks, bets) = len(beyond), stakes.shape
    kept = np.frombuffer(more)[1 : 1 + blocks * (HELD + bets)].reshape(blocks, HELD + bets)
    with np.errstate(all="ignore"):
        run = 1.0 + stakes * beyond.reshape(count, blocks, 1)
        run[0] *= kept[:, HELD:]
        run = np.multiply.accumulate(run)
        if bets * run.max() > LARGE or (run.min() < SMALL and _shifted_or_lost(run)):
            for row in beyond.tolist():
                for block, one in enumerate(row):
                    multiply(more, 1 + block * (HELD + bets), stakes[block].tolist(), one, weights)
            return
    kept[:, HELD:] = run[-1]
    kept[:, TOTAL] = [_added(held) for held in run[-1].tolist()]


def _shifted_or_lost(run: Floats) -> bool:
    """Whether some sum becomes too small on the way, or some capital nothing."""
    return bool(run.max(axis=2).min() < SMALL or ((run <= NOTHING) & (run != 0.0)).any())


def _added(held: list[float]) -> float:
    """As `added` does it."""
    total, rest = 0.0, iter(held)
    for one, two, three, four in zip(rest, rest, rest, rest, strict=True):
        total += (one + two) + (three + four)
    return total


ITEM = 8
"""Bytes of a number."""


@cache
def _packed(count: int) -> Struct:
    """How `count` numbers lie in an array."""
    return Struct(f"{count}d")


def scale(more: Floats, first: int, count: int, factor: float) -> None:
    for j in range(first, first + count):
        more[j] *= factor


def log_capital(more: Floats, place: int, pulls: int) -> float:
    """ln of the sum of the capitals after `pulls` results, rounded down."""
    return float(log(more[place + TOTAL]) + LOG_SHIFT * more[place + SHIFTS] - ROUNDING * pulls)


def gain_of_capital(more: Floats, place: int, pulls: int, largest: float, level: float) -> Gain:
    """A result x multiplies a capital by 1 + stake * (x - theta), with the largest stake by most.

    `largest` is that stake for a deficit of one.
    """
    lacks = level - log_capital(more, place, pulls)
    return (0.0, largest / lacks) if lacks > 0.0 else UNLIMITED


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
