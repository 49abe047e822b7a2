"""Running capitals end their work whatever number they are given, and what is no result is no evidence."""

import signal
import sys
from collections.abc import Iterator
from math import exp, inf, nan

import numpy as np
import pytest

from satisfice.noise.betting import HELD, log_capital, room, settle, start
from satisfice.noise.bounded import BETS, bet

WEIGHTS = np.full(4, 0.25)
ODD = [nan, inf, -inf, -1000.0, 1e12, 1e300, -1e300, 5e-324]


@pytest.fixture(autouse=True)
def ends() -> Iterator[None]:
    """Fail in place of never ending, where there are such signals."""
    if sys.platform == "win32":
        yield
        return

    def end(*_: object) -> None:
        raise AssertionError("it goes on for ever")

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, 20)
    with np.errstate(all="ignore"):  # as whoever folds a result has it
        yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def block() -> np.ndarray:
    more = np.zeros(1 + HELD + 4)
    start(more, 1, WEIGHTS)
    settle(more, 1, 4)
    return more


@pytest.mark.parametrize("odd", ODD)
def test_any_number_ends_and_is_followed_by_others(odd: float) -> None:
    """Before, what made all capitals nothing or infinite was halved and doubled for ever."""
    more = np.zeros(1 + room(BETS))
    for number in (0.1, odd, 0.5, odd, -0.5):
        bet(more, 1, number, 0.5, 0.01)
        assert np.isfinite(log_capital(more, 1, 1))


@pytest.mark.parametrize("held", [[nan] * 4, [0.0] * 4, [inf, 1.0, 1.0, 1.0], [-1.0] * 4, [-inf, inf, 0.0, 0.0]])
def test_capitals_that_cannot_be_are_next_to_nothing(held: list[float]) -> None:
    more = block()
    more[1 + HELD :] = held
    settle(more, 1, 4)
    assert log_capital(more, 1, 1) < -690
    assert exp(log_capital(block(), 1, 0)) == 1.0
