"""As long as further results can add no more to evidence than it lacks until a level, it stays below that."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import satisfice as sf
from satisfice.noise import PROCESSES, bernoulli, bounded
from satisfice.noise.bernoulli import ZERO_OR_ONE
from satisfice.noise.bounded import BOUNDED
from satisfice.noise.by_horizon import BernoulliBy
from satisfice.noise.checked import CHECKED
from satisfice.noise.exact import THE_SAME
from satisfice.noise.process import (
    SQUARES_ALONE,
    TOLERANCE,
    UNLIMITED,
    LiveFold,
    Process,
    gain_of,
    live_fold_of,
    unknown_gain,
)
from satisfice.noise.sampled import SAMPLED_COINS, SAMPLED_RANGE

DECLARED = ["", ": bernoulli", ": bounded(0, 1)"]
MOST = 80
"""Further results."""

Draw = Callable[[np.random.Generator, int], "np.ndarray[tuple[int], np.dtype[np.float64]]"]


def further_results(declared: str) -> list[Draw]:
    """Such as those before, and all the same: nothing says more."""
    if declared == ": bernoulli":
        return [lambda rng, n: 1.0 * (rng.random(n) < 0.5), lambda rng, n: np.ones(n), lambda rng, n: np.zeros(n)]
    low, high = (-2.0, 3.0) if declared == "" else (0.0, 1.0)
    return [
        lambda rng, n: rng.uniform(0.0, 1.0, n),
        lambda rng, n: np.full(n, high),
        lambda rng, n: np.full(n, low),
        lambda rng, n: np.full(n, rng.uniform(low, high)),
    ]


def over_time(problem: sf.Problem, results: list[float]) -> Iterator[tuple[int, float, "np.ndarray", float]]:
    """Pulls, the sum of deficits, further sums and the last deficit, after each result."""
    noise, total = problem.noise(1), 0.0
    more = np.zeros(max(1, noise.extra))
    for pulls, result in enumerate(results, start=1):
        deficit = problem.standardisation().slopes[0] * (result - problem.metrics[0].threshold)
        total += deficit
        more[0] += deficit * deficit
        if noise.own_sums:
            noise.fold(0, more, deficit, 1.0)
        yield pulls, total, more, deficit


@pytest.mark.parametrize("side", ["within", "below"])
@pytest.mark.parametrize("declared", DECLARED)
@pytest.mark.parametrize("limit", ["0.5 ~ 0.05", "0.96 ~ 0.01"])
def test_evidence_stays_below_a_level_as_long_as_is_said(declared: str, side: str, limit: str) -> None:
    """With a third of what results can add, more of them than may come would be let in."""
    problem, rng = sf.problem_of([f"m >= {limit} {declared}"]), np.random.default_rng(5)
    process, numbers = problem.metrics[0].process, problem.noise(1).numbers[0]
    evidence = getattr(process, side)
    most_gain = gain_of(evidence, getattr(process, f"gain_{side}"))
    let_in = too_many = 0
    for run in range(48):
        draws = further_results(declared)
        before = draws[0](rng, int(rng.integers(3, 60))).tolist()
        results, level, gain, spent = [*before, *draws[run % len(draws)](rng, MOST)], 0.0, (0.0, 0.0), 0.0
        for pulls, total, more, deficit in over_time(problem, results):
            now = float(evidence(pulls, total, more, numbers, 1.0))
            if pulls == len(before):
                level = now + float(rng.uniform(0.7, 8.0))
                gain = most_gain(pulls, total, more, numbers, 1.0, level)
            if pulls > len(before):
                beyond = numbers[TOLERANCE] - deficit if side == "within" else deficit
                spent += gain[0] + gain[1] * max(0.0, beyond)
                assert spent > 1.0 or now < level
                let_in += spent <= 1.0
                too_many += spent / 3.0 <= 1.0 and now >= level
    assert let_in > 48
    assert too_many or (side, limit) == ("within", "0.96 ~ 0.01")  # there is little that one result can say


ALL = (*PROCESSES, BernoulliBy(50, 0.05).process)
"""Some of which are made of others."""


def gains_of(process: Process) -> set[object]:
    return {gain_of(process.within, process.gain_within), gain_of(process.below, process.gain_below)}


def test_a_gain_is_that_of_its_own_evidence() -> None:
    """Where it is made of other sums, or of more than one result at a time, nobody has looked at what can come."""
    known = [process for process in ALL if gains_of(process) != {unknown_gain}]
    assert known == [ZERO_OR_ONE, BOUNDED, CHECKED, SAMPLED_COINS, SAMPLED_RANGE, THE_SAME]
    assert not any(unknown_gain in gains_of(process) for process in known)
    assert gains_of(BOUNDED._replace(within=CHECKED.within)) == {unknown_gain, BOUNDED.gain_below.gain}


def test_a_quicker_fold_is_that_of_its_own_sums() -> None:
    """A set of items, each evaluated once, is made of results in a range, and keeps other sums."""
    quick = {process.name: live_fold_of(process) for process in ALL if live_fold_of(process).many is not None}
    assert quick.pop("bounded") == BOUNDED.live_fold
    sampled = ["bernoulli of sampled items", "bounded of sampled items"]
    assert quick.pop("bounded of sampled items") == BOUNDED.live_fold
    squares = ["bernoulli", "bernoulli by 50", sampled[0], "exact", "known scale", "poisson", "unknown scale"]
    assert sorted(quick) == squares
    assert set(quick.values()) == {SQUARES_ALONE}
    slow = [process for process in ALL if process.name not in (*quick, "bounded", *sampled)]
    assert len(slow) == 4
    assert all(live_fold_of(process) == LiveFold(process.fold, process.fold) for process in slow)


def test_nothing_is_said_of_coins_whose_limit_is_sure() -> None:
    """At theta = 1 no result can be above it, and a bound on what one adds would be a division by nothing."""
    for theta in (0.0, 1.0):
        assert bernoulli.gain(10, -1.0, theta, 1.0, 3.0) == UNLIMITED
    assert bernoulli.gain(10, -1.0, 0.5, 1.0, 3.0) != UNLIMITED


def test_nothing_is_said_of_a_range_whose_limit_is_at_its_end() -> None:
    more = np.zeros(BOUNDED.extra)
    more[bounded.WITHIN] = 1.0  # the sum of the capitals
    for theta in (0.0, 1.0):
        assert bounded.gain(more, bounded.WITHIN, 10, theta, 1.0, 30.0) == UNLIMITED
    assert bounded.gain(more, bounded.WITHIN, 10, 0.5, 1.0, 30.0) != UNLIMITED
