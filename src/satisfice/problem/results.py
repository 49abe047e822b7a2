"""Results as they come in: checked once, at the edge."""

from collections.abc import Mapping

from satisfice.errors import InvalidResult
from satisfice.problem.metric import Metric
from satisfice.problem.problem import Problem

LARGEST = 1e150
"""Results beyond it are refused: their squares, summed, would not be numbers any more."""


def checked_results(problem: Problem, results: object) -> tuple[float, ...]:
    """The values in the order of the metrics, each of a kind that its noise allows; further ones are left out."""
    if not isinstance(results, Mapping):
        raise InvalidResult(f"Expected the results as a mapping from metric to number, got {results!r:.60}.")
    return tuple(_checked(results, metric, problem.metric_names) for metric in problem.metrics)


def _checked(results: Mapping[str, object], metric: Metric, names: tuple[str, ...]) -> float:
    if metric.name not in results:
        raise InvalidResult(f"Expected a number for each of {', '.join(names)}, but {metric.name!r} is missing.")
    value = results[metric.name]
    if not metric.process.fits(metric.noise, value):
        raise InvalidResult(
            f"Expected {metric.process.expected(metric.noise)} for {metric.name!r} ({metric.noise}), got {value!r}."
        )
    number = float(value)  # type: ignore[arg-type]  # it fits, so it is one
    if abs(number) > LARGEST:
        raise InvalidResult(
            f"Expected a number of at most {LARGEST:g} in size for {metric.name!r}, got {value!r}: too large to "
            "compute with. Use a larger unit."
        )
    return number
