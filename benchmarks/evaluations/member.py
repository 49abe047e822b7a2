"""A member of the family: an instance, why it is there, and how many evaluations a run may take."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from numpy.typing import ArrayLike

from benchmarks.evaluations.draws import AS_DECLARED, Draws
from satisfice import Instance, Metric, Normal, Problem, problem_of


class Group(StrEnum):
    """Which part of the family: the paper's instances, its sweeps, further ones, or those drawn to judge by."""

    PAPER = "paper"
    SWEEPS = "sweeps"
    FURTHER = "further"
    DRAWN = "drawn"


@dataclass(frozen=True, eq=False)
class Member:
    """One instance of the family, and how many times as often as the others it is run."""

    instance: Instance
    why: str
    group: Group = Group.FURTHER
    max_evaluations: int = 5_000_000
    draws: Draws = AS_DECLARED
    times: int = 1

    @property
    def name(self) -> str:
        return self.instance.name


def normal_member(
    name: str,
    why: str,
    margins: ArrayLike,
    *,
    tolerance: float,
    error_rate: float = 0.05,
    sd: float = 1.0,
    correlation: float | None = None,
    group: Group = Group.FURTHER,
) -> Member:
    """Metrics with normal noise of one known sd that must be at least 0: `margins` of shape (K, M) are their means."""
    metrics = len(margins[0])  # type: ignore[index, arg-type]  # a table
    problem = Problem(
        tuple(Metric(f"metric_{index + 1}", 0.0, tolerance=tolerance, noise=Normal(sd)) for index in range(metrics)),
        error_rate,
    )
    return _member(name, why, problem, margins, Draws(correlation=correlation), group)


def member_of(
    name: str,
    why: str,
    thresholds: Sequence[str],
    means: ArrayLike,
    *,
    error_rate: float = 0.05,
    sds: ArrayLike | None = None,
) -> Member:
    """Any metrics, as threshold strings; `means` has shape (K, M)."""
    problem = problem_of(thresholds, error_rate)
    return _member(name, why, problem, means, Draws(sds))


def _member(
    name: str, why: str, problem: Problem, means: ArrayLike, draws: Draws, group: Group = Group.FURTHER
) -> Member:
    return Member(Instance.of(problem, draws.arms(problem, means), name=name), why, group, draws=draws)
