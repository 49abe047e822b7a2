"""Compiled, every function of scalars gives the very bits that it gives interpreted."""

from collections.abc import Callable, Iterator
from math import sqrt
from types import FunctionType
from typing import Any

import numba
import numpy as np
import pytest
from numba.extending import register_jitable

from satisfice.noise import bernoulli, intervals, poisson
from satisfice.noise import betting as bounded
from satisfice.noise import half_normal as normal
from satisfice.noise import half_student as student
from satisfice.noise.betting import BETS, LOG_WEIGHTS
from satisfice.noise.checked import LATE

_known: set[FunctionType] = set()


def teach(function: FunctionType) -> None:
    """Let compiled code call every plain function that this one names."""
    for name in function.__code__.co_names:
        callee = function.__globals__.get(name)
        if isinstance(callee, FunctionType) and callee not in _known:
            _known.add(callee)
            teach(callee)
            register_jitable(callee)


Cases = Iterator[tuple[Any, ...]]


def sums(rng: np.random.Generator, tries: int = 300) -> Cases:
    for _ in range(tries):
        pulls = int(10 ** rng.uniform(0, 9))
        yield pulls, float(rng.normal() * 10 ** rng.uniform(-1, 1.3) * sqrt(pulls))


def ratios(rng: np.random.Generator) -> Cases:
    for pulls, total in sums(rng):
        yield pulls, max(-sqrt(pulls), min(sqrt(pulls), total / sqrt(pulls)))


def levels(rng: np.random.Generator) -> Cases:
    for pulls, _ in sums(rng, 60):
        yield pulls, float(rng.uniform(0, 30))


def mixed(cases: Callable[[np.random.Generator], Cases]) -> Callable[[np.random.Generator], Cases]:
    """The same cases for either mixture of effect sizes."""
    return lambda rng: ((*case, mixture) for case in cases(rng) for mixture in (student.EARLY, LATE))


def counts(rng: np.random.Generator) -> Cases:
    for pulls, _ in sums(rng, 100):
        for theta in (-1.0, 0.0, float(rng.beta(0.3, 0.3)), 1.0):
            yield pulls, int(rng.integers(pulls + 1)), theta


def inverse_counts(rng: np.random.Generator) -> Cases:
    for pulls, level in levels(rng):
        yield pulls, level, float(rng.beta(0.3, 0.3))


def events(rng: np.random.Generator) -> Cases:
    for pulls, ones, share in counts(rng):
        for above in (True, False):
            yield pulls, 3.0 * ones, 9.0 * share, above


def moments(rng: np.random.Generator) -> Cases:
    for pulls, ones, theta in counts(rng):
        total = ones * rng.uniform(0.01, 1)
        yield pulls, total, total * rng.uniform(total / pulls, 1), theta, BETS, LOG_WEIGHTS


def moment_limits(rng: np.random.Generator) -> Cases:
    for pulls, total, squares, _, *grid in moments(rng):
        yield pulls, total, squares, float(rng.uniform(0, 30)), *grid


def normal_limits(rng: np.random.Generator) -> Cases:
    for (pulls, total), (_, level) in zip(sums(rng), levels(rng), strict=False):
        yield pulls, total, float(rng.normal()), float(rng.uniform(0.1, 9)), level


def student_limits(rng: np.random.Generator) -> Cases:
    for (pulls, total), (_, level) in zip(sums(rng), levels(rng), strict=False):
        yield pulls, total, total * total / pulls + pulls * float(rng.random()), float(rng.normal()), level


FUNCTIONS: list[tuple[Any, Callable[[np.random.Generator], Cases]]] = [
    (normal.log_evidence_normal, sums),
    (normal.total_needed_normal, levels),
    (student.log_evidence_student, mixed(ratios)),
    (student.ratio_needed_student, mixed(levels)),
    (student.scale_free_ratio, lambda rng: iter([(1.0, 2.0), (0.0, 0.0), (-3.0, 7.0)])),
    (bernoulli.log_evidence_bernoulli, counts),
    (bernoulli.ones_needed_bernoulli, inverse_counts),
    (poisson.log_evidence_poisson, events),
    (bounded.log_evidence_moments, moments),
    (intervals.lower_limit_normal, normal_limits),
    (intervals.lower_limit_student, mixed(student_limits)),
    (intervals.lower_limit_bounded, moment_limits),
]


@pytest.mark.parametrize(("function", "cases"), FUNCTIONS, ids=[function.__name__ for function, _ in FUNCTIONS])
def test_same_bits(function: Any, cases: Callable[[np.random.Generator], Cases]) -> None:
    teach(function)
    compiled = numba.njit(error_model="numpy")(function)
    for arguments in cases(np.random.default_rng(11)):
        assert compiled(*arguments) == function(*arguments), arguments
