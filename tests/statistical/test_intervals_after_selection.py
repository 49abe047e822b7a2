"""What intervals promise: for one configuration picked beforehand, and for those that were found."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from scipy.stats import binomtest

from satisfice.noise.intervals import interval_normal
from satisfice.problem.goal import Goal
from satisfice.problem.problem import problem_of
from satisfice.search.search import Search
from satisfice.search.verdict import ArmStatus
from satisfice.stopping.decision import ACCEPT

RATE = 0.2
"""High enough that a hundred studies see what goes wrong."""

Draw = Callable[[np.random.Generator], object]


def searches(
    limit: str, arms: int, draw: Draw, *, studies: int, most: int, rate: float = RATE, goal: Goal | int = Goal.ANY
) -> Iterator[Search]:
    """Studies of configurations that are all alike, until their verdict or `most` evaluations."""
    for seed in range(studies):
        problem, rng = problem_of([limit], rate, goal=goal), np.random.default_rng([31, seed])
        search = Search(problem, [f"c{place}" for place in range(arms)], seed=seed)
        while search.asks < most and (line := search.choose(search.asks)) is not None:
            search.fold(line, (draw(rng),))
        yield search


def accepted(search: Search) -> list[ArmStatus]:
    return [status for status in search.statuses() if status.decision == ACCEPT]


def misses(status: ArmStatus, mean: float) -> bool:
    low, high = status.intervals[0]
    return not low - 1e-12 <= mean <= high + 1e-12


def at_most(count: int, studies: int, rate: float = RATE) -> bool:
    return bool(binomtest(count, studies).proportion_ci(0.999).low <= rate)


def missed_and_would(studies: int, rate: float) -> tuple[int, int]:
    """Studies in which the found configuration's interval misses, and in which one for a single one would.

    A hundred configurations lie at their limit.
    """
    missed = would = 0
    draw: Draw = lambda rng: rng.normal()  # noqa: E731  # one line for one law
    for search in searches("x >= 0 ~ 0.1 : normal(1)", 100, draw, studies=studies, most=2500, rate=rate):
        found = accepted(search)
        assert all(status.chosen_from == 100 for status in found)
        missed += any(misses(status, 0.0) for status in found)
        alone = [interval_normal(one.pulls, one.pulls * one.means[0], 0.0, 1.0, rate) for one in found]
        would += any(not low <= 0.0 <= high for low, high in alone)
    return missed, would


def test_the_interval_of_the_one_that_was_found_misses_less_often_than_one_for_a_single_one() -> None:
    missed, would = missed_and_would(25, RATE)
    assert at_most(missed, 25)
    assert would > missed


@pytest.mark.full
def test_the_interval_of_the_one_that_was_found_holds() -> None:
    """The luckiest of a hundred at their limit is found, and an interval for a single one would miss more often."""
    missed, would = missed_and_would(300, 0.1)
    assert at_most(missed, 300, 0.1)
    assert would > missed


def test_of_one_picked_beforehand_the_interval_holds_at_all_times() -> None:
    studies, missed = 100, 0
    for search in searches("x >= 0 : normal(1)", 5, lambda rng: rng.normal(), studies=studies, most=120):
        missed += misses(search.status(2), 0.0)
    assert at_most(missed, studies)


def test_an_open_or_rejected_configuration_keeps_the_interval_for_one() -> None:
    search = Search(problem_of(["x >= 0 ~ 0.1 : normal(1)"], 0.05), ["good", "bad", "open"])
    for _ in range(200):
        search.tell("bad", {"x": -1.0})
    assert [status.chosen_from for status in search.statuses()] == [1, 1, 1]
    before = search.status(0)
    while search.status(0).decision != ACCEPT:
        search.tell("good", {"x": 1.0})
    after = search.status(0)
    assert (before.chosen_from, after.chosen_from) == (1, 3)
    assert tuple(after.intervals[0]) == tuple(interval_normal(after.pulls, after.pulls * 1.0, 0.0, 1.0, 0.05 / 3))


@pytest.mark.parametrize(
    ("limit", "raw"),
    [
        ("median(x) >= 0 ~ 0.1", lambda number: [float(place) for place in range(1, 30)]),
        ("x >= 0.5 : bernoulli of 40", lambda number: 1.0),
        ("x >= 0.5 ~ 0.1 : bounded(0, 1)", lambda number: 0.9 + 0.01 * (number % 3)),
    ],
)
def test_whatever_is_measured_the_found_one_has_the_wider_interval(limit: str, raw: Callable[[int], object]) -> None:
    """That of one configuration is what a search among it alone says after the same results."""
    many, alone = (Search(problem_of([limit], 0.05), names) for names in (["a", "b", "c", "d"], ["a"]))
    number = 0
    while many.status(0).decision != ACCEPT:
        for search in (many, alone):
            search.tell("a", {"x": raw(number)})
        number += 1
    one, chosen = alone.status(0), many.status(0)
    assert (one.chosen_from, chosen.chosen_from) == (1, 4)
    assert chosen.intervals[0].low < one.intervals[0].low
    assert chosen.means == one.means


KINDS: dict[str, tuple[str, float, Draw]] = {
    "normal": ("x >= 0 ~ 0.1 : normal", 0.0, lambda rng: rng.normal()),
    "undeclared": ("x >= 0 ~ 0.1", 0.0, lambda rng: rng.normal()),
    "bernoulli": ("x >= 0.5 ~ 0.05 : bernoulli", 0.5, lambda rng: float(rng.random() < 0.5)),
    "bounded": ("x >= 0.5 ~ 0.03 : bounded(0, 1)", 0.5, lambda rng: float(rng.random())),
    "median": ("median(x) >= 0 ~ 0.1", 0.0, lambda rng: rng.normal(size=5).tolist()),
}


@pytest.mark.full
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("goal", [Goal.ANY, 3])
def test_found_configurations_are_covered_whatever_they_are_measured_by(kind: str, goal: Goal | int) -> None:
    limit, mean, draw = KINDS[kind]
    studies, missed = 60, 0
    for search in searches(limit, 40, draw, studies=studies, most=2500, goal=goal):
        missed += any(misses(status, mean) for status in accepted(search))
    assert at_most(missed, studies)


@pytest.mark.full
@pytest.mark.parametrize("arms", [1, 9, 50])
def test_at_the_very_end_of_the_tolerance_few_are_found_and_few_intervals_miss(arms: int) -> None:
    """What is found there is found by chance alone: all of these miss, and there are few of them."""
    studies, missed, rate = 400, 0, 0.05
    draw: Draw = lambda rng: rng.normal()  # noqa: E731  # one line for one law
    for search in searches("x >= 0.1 ~ 0.1 : normal(1)", arms, draw, studies=studies, most=600, rate=rate):
        missed += any(misses(status, 0.0) for status in accepted(search))
    assert at_most(missed, studies, rate)
