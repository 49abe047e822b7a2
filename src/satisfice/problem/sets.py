"""Limits on sets of items: one set, whose items are drawn in one way."""

from collections.abc import Sequence

from satisfice.errors import InvalidProblem
from satisfice.problem.metric import Metric


def check_sets(metrics: Sequence[Metric]) -> None:
    """InvalidProblem unless all limits on a set are about the same one, and a metric of it has no other limits."""
    own = [metric for metric in metrics if metric.process.items(metric.noise)]
    sizes = sorted({metric.process.items(metric.noise) for metric in own})
    if len(sizes) > 1:
        raise InvalidProblem(
            f"All limits on a set of items must be about the same set, got sets of {' and '.join(map(str, sizes))}."
        )
    once = [metric for metric in own if metric.set_size]
    sampled = [metric for metric in own if not metric.set_size]
    if once and sampled:
        raise InvalidProblem(
            f"Items are drawn in one way for all limits on a set: each once for {once[0].label!r}, with replacement "
            f"for {sampled[0].label!r}. If any answer is sampled, write 'of {sizes[0]} sampled' for both."
        )
    names = {metric.name for metric in own}
    other = next((metric for metric in metrics if metric.name in names and metric not in own), None)
    if other is not None:
        raise InvalidProblem(
            f"{other.name!r} is measured of a set of {sizes[0]} items, so all limits on it are about the set. Write "
            f"'{other.limited} : {next(str(metric.noise) for metric in own if metric.name == other.name)}'."
        )
