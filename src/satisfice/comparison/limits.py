"""What no procedure gets much below: T* ln(1/delta), where it is known."""

from math import isfinite

from satisfice.core.theory import practical_limit
from satisfice.errors import InvalidInstance, InvalidProblem
from satisfice.simulation.instance import Instance


def limit(instance: Instance) -> float | None:
    """The practical limit of an instance, None where it has none."""
    try:
        found = practical_limit(instance.problem, instance.arms.means)
    except (InvalidInstance, InvalidProblem):
        return None
    return found if isfinite(found) else None
