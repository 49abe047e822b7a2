"""What evaluations report: results, and what they have cost."""

from contextlib import suppress

from satisfice.errors import InvalidProblem, InvalidResult
from satisfice.problem.cost import reported
from satisfice.search.search import Results, Search
from satisfice.study.pull import Measured
from satisfice.study.spec import Spec


def measured_of(spec: Spec, search: Search, results: Results, baseline: Results | None) -> Measured:
    """Results as they will be recorded; InvalidResult says in a sentence why they cannot be, and has their cost."""
    try:
        values = search.checked(results, baseline)
    except InvalidResult as error:
        with suppress(InvalidResult):
            error.cost = reported_cost(spec, results, baseline)
        raise
    return Measured(*values, reported_cost(spec, results, baseline))


def reported_cost(spec: Spec, results: object, baseline: object = None) -> float | None:
    """What an evaluation cost, with that of the baseline beside it; None where evaluations report no costs."""
    costs = []
    try:
        for metric in spec.reported:
            costs.append(reported(metric, results))
            if baseline is not None:
                costs.append(reported(metric, baseline, " of the baseline"))
    except InvalidProblem as error:
        raise InvalidResult(str(error), is_mistake=True) from None
    return sum(costs) if costs else None
