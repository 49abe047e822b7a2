"""How far results may vary more than was declared before that is said: exactly what the room for chance allows."""

from collections.abc import Callable
from math import log, sqrt

import pytest

import satisfice as sf

ARMS, PULLS = 3, 40
FALSE_ALARM = 1e-3
"""How often, at most, a search whose noise is as declared says otherwise."""

ROOM = log(ARMS * 2 * PULLS * (PULLS + 1) / FALSE_ALARM)
"""x: e^-x is left for one arm, one of two metrics and one number of results (the sum of 1/(n (n + 1)) is 1)."""

CHI_SQUARE = PULLS - 1 + 2.0 * sqrt((PULLS - 1) * ROOM) + 2.0 * ROOM
"""Above it a chi-square variable of n - 1 degrees of freedom is with a chance of e^-x at most (Laurent, Massart)."""


def warned(threshold: str, low: float, high: float) -> bool:
    """Whether something is said when the second arm's results are `low` and `high` in turn."""
    search = sf.Search(sf.problem_of([threshold, "other <= 1 : bernoulli"]), [f"c{arm}" for arm in range(ARMS)])
    for number in range(PULLS):
        search.fold(1, (high if number % 2 else low, 0.0))
    said = [words for words in search.warnings() if "was declared, but" in words]
    assert all(words.startswith("x of c1: ") for words in said)
    return bool(said)


def least(is_said: Callable[[float], bool], most: float) -> float:
    low, high = 0.0, most
    for _ in range(30):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if is_said(middle) else (middle, high)
    return high


@pytest.mark.parametrize(("declared", "sd"), [("normal(2)", 2.0), ("subgaussian(0.5)", 0.5), ("normal(9, 3, 1)", 3.0)])
def test_a_sample_variance_above_the_declared_one(declared: str, sd: float) -> None:
    """Results of 5 - s and 5 + s in turn have n s^2 as the sum of squares around their mean."""
    found = least(lambda s: warned(f"x <= 7 : {declared}", 5.0 - s, 5.0 + s), 50.0)
    assert found == pytest.approx(sd * sqrt(CHI_SQUARE / PULLS), rel=1e-6)


def test_pairs_that_are_too_far_apart() -> None:
    """Evidence of a spread above 3: half of 1 + (x - x')^2/(2 * 9) of each pair of results, multiplied."""
    found = least(lambda s: warned("x <= 7 : spread(3)", 5.0 - s, 5.0 + s), 50.0)
    factor = 0.5 * (1.0 + (2.0 * found) ** 2 / (2.0 * 3.0**2))
    assert factor ** (PULLS // 2) == pytest.approx(ARMS * 2 * PULLS * (PULLS + 1) / FALSE_ALARM, rel=1e-3)


def test_counts_whose_variance_is_far_above_their_mean() -> None:
    """Twice what a chi-square variable may be: counts have a longer tail. Of fewer than 30 events nothing is said."""
    steps = [step for step in range(1, 400) if warned("x <= 900 : poisson", 400.0 - step, 400.0 + step)]
    bound = sqrt(2.0 * 400.0 * CHI_SQUARE / PULLS)
    assert steps == [step for step in range(1, 400) if step > bound]
    assert not warned("x <= 900 : poisson", 0.0, 1.0)


def test_one_result_contradicts_nothing() -> None:
    search = sf.Search(sf.problem_of(["x <= 7 : normal(1)"]), ["a"])
    search.fold(0, (1e9,))
    assert search.warnings() == ()
    search.fold(0, (-1e9,))
    assert len(search.warnings()) == 1
