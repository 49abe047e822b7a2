"""Stopping rules: when is an arm accepted or rejected."""

from typing import Any

from satisfice.problem.problem import Problem, known_scale
from satisfice.rules.protocol import goes_by_beliefs
from satisfice.stopping.alpha import AlphaBoundary, alpha
from satisfice.stopping.boundary import boundary_judge
from satisfice.stopping.evidence import Evidence
from satisfice.stopping.protocol import Boundary, Judge
from satisfice.stopping.transfer import TransferredEvidence

STOPPING_RULES: dict[str, type[Any]] = {
    "alpha": AlphaBoundary,
    "evidence": Evidence,
    "transfer": TransferredEvidence,
}
"""The boundaries by the names used in files and on the command line."""


def check_fit(rule: Any, stopping: Any, problem: Problem, arms: int) -> None:
    """Raise unless the rule and the stopping rule can work on the problem: most need to know all noise scales."""
    judge_of(stopping, problem, arms)
    if not goes_by_beliefs(rule):
        for metric in problem.metrics:
            known_scale(metric)


DEFAULT_STOPPING = Evidence()


def judge_of(stopping: Any, problem: Problem, arms: int) -> Any:
    """A stopping rule made ready for a problem with so many arms."""
    if hasattr(stopping, "judge"):
        return stopping.judge(problem, arms)
    return boundary_judge(stopping, problem, arms)


__all__ = [
    "DEFAULT_STOPPING",
    "STOPPING_RULES",
    "AlphaBoundary",
    "Boundary",
    "Evidence",
    "Judge",
    "TransferredEvidence",
    "alpha",
    "check_fit",
    "judge_of",
]
