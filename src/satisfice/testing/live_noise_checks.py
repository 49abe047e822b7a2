"""What is looked at of what a noise model says for live searches: what results can add, and how they are folded."""

from collections.abc import Sequence
from itertools import chain
from math import floor, isfinite
from typing import Any

import numpy as np

from satisfice.arrays import Floats
from satisfice.noise.process import TOLERANCE, Gain, LiveFold, MostGain, gain_of, live_fold_of, unknown_gain
from satisfice.noise.protocol import NoiseModel, process_of
from satisfice.problem.problem import Problem
from satisfice.testing.contract import fail

RUNS = 64
EARLIER, FURTHER = 60, 80
"""Results, at most: before it is asked what one can add, and after that."""
LACKS = (0.7, 12.0)
"""The least and the most that ln of the evidence lacks until a level."""
FOLDED = 24
"""How often FURTHER results are folded."""
MANY = 40
"""Results that are folded at a time, at most."""


def check_gains(noise: NoiseModel, problem: Problem, results: list[float], seed: int) -> None:
    """As long as what further results can add is no more than all that lacks, evidence must not reach the level."""
    process = process_of(noise)
    for side, evidence, known in (
        ("within", process.within, process.gain_within),
        ("below", process.below, process.gain_below),
    ):
        gain, rng = gain_of(evidence, known), np.random.default_rng(seed)
        for run in range(RUNS if gain is not unknown_gain else 0):
            earlier = rng.choice(results, int(rng.integers(3, EARLIER))).tolist()
            _check_gain(noise, problem, side, gain, earlier, _further(noise, results, rng, run), rng.uniform(*LACKS))


def _check_gain(
    noise: NoiseModel,
    problem: Problem,
    side: str,
    gain: MostGain,
    earlier: list[float],
    further: list[float],
    lacks: float,
) -> None:
    table = problem.noise(1)
    evidence, numbers, fold = getattr(table, side), table.numbers[0].tolist(), live_fold_of(process_of(noise)).one
    more, total, spent, level, parts = np.zeros(max(1, table.extra)), 0.0, 0.0, 0.0, (0.0, 0.0)
    for pulls, deficit in enumerate(_deficits(problem, earlier + further), start=1):
        total += deficit
        more[0] += deficit * deficit
        if table.own_sums:
            fold(_viewed(more), deficit, 1.0, numbers)
        now = float(evidence(0, pulls, total, more, 1.0)) if pulls >= len(earlier) else 0.0
        if pulls == len(earlier):
            level = now + lacks
            parts = _said(noise, f"gain_{side}", gain, pulls, total, _viewed(more), numbers, 1.0, level)
        elif pulls > len(earlier):
            spent += parts[0] + parts[1] * max(0.0, numbers[TOLERANCE] - deficit if side == "within" else deficit)
            if not spent <= 1.0:
                return
            if now > level + 1e-9 * (1.0 + abs(level)):
                fail(
                    noise,
                    f"what `gain_{side}` says that results can add must be no less than they do, but after "
                    f"{len(earlier)} results {pulls - len(earlier)} more, which add {spent} of what lacks, take ln E "
                    f"from {level - lacks} to {now}, above {level}",
                )


def _said(noise: NoiseModel, name: str, gain: MostGain, *known: Any) -> Gain:
    try:
        each, unit = gain(*known)
    except Exception as error:
        fail(noise, f"`{name}` must return two numbers, but raised {type(error).__name__}: {error}")
    if not (each >= 0.0 and unit >= 0.0 and min(each, unit) == 0.0):
        fail(noise, f"`{name}` must return two numbers, none below 0 and one of them 0, got {each} and {unit}")
    return each, unit


def check_live_fold(noise: NoiseModel, problem: Problem, results: list[float], seed: int) -> None:
    """What a live search does in place of `fold`, with one result and with many, must leave its sums to the bit."""
    process, table, rng = process_of(noise), problem.noise(1), np.random.default_rng(seed)
    own, numbers = live_fold_of(process), table.numbers[0].tolist()
    if own == LiveFold(process.fold, process.fold):
        return
    values = list(chain.from_iterable(_further(noise, results, rng, run) for run in range(FOLDED)))
    deficits, weights = _deficits(problem, values), rng.integers(1, 9, len(values)).astype(float).tolist()
    slow, ones, many = (np.zeros(max(1, table.extra)) for _ in range(3))
    done = 0
    while done < len(deficits):
        some = slice(done, done + int(rng.integers(1, MANY)))
        for value, weight in zip(deficits[some], weights[some], strict=True):
            slow[0] += value * value
            ones[0] = many[0] = slow[0]
            process.fold(slow, value, weight, table.numbers[0])
            own.one(_viewed(ones), value, weight, numbers)
        _same_sums(noise, "one", slow, ones)
        if own.many is not None:
            own.many(_viewed(many), deficits[some], weights[some], numbers)
            _same_sums(noise, "many", slow, many)
        done = some.stop


def _viewed(more: Any) -> Any:
    """Sums as a live search has them."""
    return memoryview(more)


def _same_sums(noise: NoiseModel, name: str, expected: Floats, found: Floats) -> None:
    if expected.tobytes() != found.tobytes():
        place = int((expected != found).argmax())
        fail(
            noise,
            f"`live_fold.{name}` must leave the sums that `fold` leaves, to the last bit, but the one at {place} is "
            f"{found[place]} in place of {expected[place]}",
        )


def _deficits(problem: Problem, results: Sequence[float]) -> list[float]:
    slope, threshold = float(problem.standardisation().slopes[0]), problem.metrics[0].threshold
    return [slope * (result - threshold) for result in results]


def _further(noise: NoiseModel, results: list[float], rng: np.random.Generator, run: int) -> list[float]:
    """Such as those before, or all the same, the best, the worst or any: nothing says more."""
    drawn: list[float] = rng.choice(results, FURTHER).tolist()
    return [drawn, *([one] * FURTHER for one in (*_ends(noise, results), drawn[0]))][run % 4]


def _ends(noise: NoiseModel, results: list[float]) -> list[float]:
    """The least and the largest result; where there is none, some that are far beyond those drawn."""
    process, low, high = process_of(noise), min(results), max(results)
    ends = []
    for bound, seen, step in zip(process.bounds(noise), (low, high), (low - high, high - low), strict=True):
        far = [bound] if isfinite(bound) else [seen + 2.0 * step, float(floor(seen + 2.0 * step))]
        ends.append(next((end for end in far if process.fits(noise, end)), seen))
    return ends
