"""What judges that go by evidence say of it, whether they move capital between arms or not.

A judge goes by evidence if it is an `EvidenceJudge`, or moves capital and has one as its `evidence`. Its memory of an
arm begins with M marks, whether a metric was within tolerance beyond doubt at some time; with capital M numbers follow,
ln of the weights of the metrics' evidence in the arm's accounts.
"""

from collections.abc import Callable, Sequence
from math import log
from typing import Protocol, TypeGuard

from satisfice.arrays import Floats
from satisfice.stopping.evidence import EvidenceJudge
from satisfice.stopping.protocol import Judge, entrusts

LEAST_LEVEL = 1e-9
"""What ln of the evidence must reach at least, however much capital an arm holds."""


class JudgeWithCapital(Judge, Protocol):
    """A judge that moves capital between arms by this evidence."""

    @property
    def evidence(self) -> EvidenceJudge: ...

    def _replace(self, *, evidence: EvidenceJudge) -> "JudgeWithCapital": ...


def goes_by_evidence_alone(judge: Judge) -> TypeGuard[EvidenceJudge]:
    """Whether each metric is judged by its own evidence and number of results, and nothing is moved."""
    return isinstance(judge, EvidenceJudge)


def has_capital(judge: Judge) -> TypeGuard[JudgeWithCapital]:
    """Whether the judge moves capital between arms, by evidence."""
    return entrusts(type(judge)) and isinstance(getattr(judge, "evidence", None), EvidenceJudge)


def evidence_of(judge: Judge) -> EvidenceJudge | None:
    """The evidence that a judge goes by, None if it goes by something else."""
    if has_capital(judge):
        return judge.evidence
    return judge if goes_by_evidence_alone(judge) else None


def with_evidence(judge: Judge, change: Callable[[EvidenceJudge], EvidenceJudge]) -> Judge:
    """The judge with its evidence changed, or as it is where it has none."""
    if has_capital(judge):
        return judge._replace(evidence=change(judge.evidence))
    return change(judge) if goes_by_evidence_alone(judge) else judge


def in_accounts(judge: Judge, evidence: Sequence[float], memory: Floats | None, arms: int) -> list[float]:
    """ln of each metric's evidence (M,), with capital that of its account times K.

    What is needed is then the same whatever was moved. `memory` (C,) is the judge's of the arm, if it has one.
    """
    if memory is None or not has_capital(judge):
        return list(evidence)
    return [each + weight + log(arms) for each, weight in zip(evidence, _weights(memory, len(evidence)), strict=True)]


def shares_to_accept(judge: Judge, evidence: Sequence[float], memory: Floats | None, arms: int) -> list[float]:
    """ln of each metric's evidence (M,) as a share of what it must be for the arm to be accepted."""
    levels = levels_to_accept(judge, len(evidence), memory)
    return [each / level for each, level in zip(evidence, levels, strict=True)]


def levels_to_accept(judge: Judge, metrics: int, memory: Floats | None) -> list[float]:
    """What ln of each metric's evidence must be for the arm to be accepted; an arm that holds capital needs less."""
    found = evidence_of(judge)
    levels = [found.accept_level] * metrics if found is not None else []
    if memory is not None and has_capital(judge):
        return [
            max(level - weight, LEAST_LEVEL) for level, weight in zip(levels, _weights(memory, metrics), strict=True)
        ]
    return levels


def _weights(memory: Floats, metrics: int) -> list[float]:
    weights: list[float] = memory[metrics : 2 * metrics].tolist()
    return weights
