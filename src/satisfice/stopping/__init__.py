"""Stopping rules: when is an arm accepted or rejected."""

from satisfice.catalogue import Catalogue, offers
from satisfice.problem.problem import Problem
from satisfice.stopping.boundary import AlphaBoundary, alpha, boundary_judge
from satisfice.stopping.by_evidence import with_evidence
from satisfice.stopping.evidence import Evidence, EvidenceAtHand
from satisfice.stopping.protocol import WAYS, Boundary, Judge, StoppingRule
from satisfice.stopping.transfer import TransferredEvidence

STOPPING_RULES: Catalogue[StoppingRule] = Catalogue(
    "stopping rule",
    "satisfice.stopping",
    {"alpha": AlphaBoundary, "evidence": Evidence, "transfer": TransferredEvidence},
    WAYS,
)
"""The stopping rules by the names used in files and on the command line."""

DEFAULT_STOPPING = TransferredEvidence()

StoppingLike = StoppingRule | type[StoppingRule] | str
"""A stopping rule, its class, or its name."""


def judge_of(stopping: StoppingRule, problem: Problem, arms: int) -> Judge:
    """A stopping rule made ready for a problem with that many arms."""
    if offers(type(stopping), ("judge",)):
        return stopping.judge(problem, arms)  # type: ignore[union-attr]  # it has one
    return boundary_judge(stopping, problem, arms)  # type: ignore[arg-type]  # then it is a boundary


def at_hand(judge: Judge) -> Judge:
    """A judge for results that come one at a time, with the same decisions."""
    return with_evidence(judge, lambda evidence: EvidenceAtHand(*evidence))


__all__ = [
    "DEFAULT_STOPPING",
    "STOPPING_RULES",
    "AlphaBoundary",
    "Boundary",
    "Evidence",
    "Judge",
    "StoppingLike",
    "StoppingRule",
    "TransferredEvidence",
    "alpha",
    "at_hand",
    "judge_of",
]
