"""What no procedure gets much below: T* ln(1/delta), and an oracle that only has to prove what it knows."""

from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from benchmarks.evaluations.member import Member
from satisfice import oracle_floor
from satisfice.errors import InvalidInstance, InvalidProblem
from satisfice.simulation.distributions import distributions_of
from satisfice.theory import needs


@dataclass(frozen=True)
class Limit:
    """The limit of a member, and the oracle's mean number of evaluations with its standard error; None without one."""

    instance: str
    limit: float | None
    oracle: float | None
    oracle_error: float | None

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def limit_of(member: Member, *, repetitions: int, seed: int) -> Limit:
    """The limits of a member, for the noise that its arms really have."""
    instance, distributions = member.instance, distributions_of(member.instance)
    try:
        limit = needs(instance.problem, instance.arms.means, distributions=distributions).practical_limit()
        floor = oracle_floor(instance, repetitions=repetitions, seed=seed, distributions=distributions)
    except (InvalidInstance, InvalidProblem):
        return Limit(member.name, None, None, None)
    return Limit(member.name, limit if isfinite(limit) else None, floor.mean, floor.standard_error)
