"""What evaluations report: results, those beside them that no limit is about, and what they have cost."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from satisfice.errors import InvalidProblem, InvalidResult
from satisfice.given import is_number, why_unwritable
from satisfice.problem.cost import reported
from satisfice.search.search import Results, Search
from satisfice.study.pull import Measured
from satisfice.study.spec import Spec


def measured_of(
    spec: Spec, search: Search, results: Results, baseline: Results | None, group: int = 0, arm_number: int = 0
) -> Measured:
    """Results as they will be recorded; InvalidResult says in a sentence why they cannot be, and has their cost."""
    try:
        values = search.checked(results, baseline, group, arm_number)
    except InvalidResult as error:
        with suppress(InvalidResult):
            error.cost = reported_cost(spec, results, baseline)
        raise
    also = beside_of(spec, results) if len(results) > len(values[0]) else {}
    return Measured(*values, reported_cost(spec, results, baseline), also)


LONGEST_NAME, LONGEST_TEXT, MOST_NAMES = 100, 200, 500
"""Of results that no limit is about."""


def beside_of(spec: Spec, results: Mapping[str, Any]) -> dict[str, Any]:
    """The results that no limit is about and that can be kept."""
    known = {*spec.problem().measured, *spec.reported}
    return kept_beside({name: value for name, value in results.items() if name not in known})


def kept_beside(results: Mapping[str, Any]) -> dict[str, Any]:
    """Of all these the numbers, and short texts, under short names: 500 at most."""
    found: dict[str, Any] = {}
    for name, value in results.items():
        plain = int(value) if isinstance(value, bool | np.bool_) else value
        is_name = isinstance(name, str) and 0 < len(name) <= LONGEST_NAME and not why_unwritable(name)
        is_text = isinstance(plain, str) and len(plain) <= LONGEST_TEXT and not why_unwritable(plain)
        if is_name and len(found) < MOST_NAMES and (is_text or is_number(plain)):
            found[name] = plain if is_text or (type(plain) is int and abs(plain) < 2**53) else float(plain)
    return found


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
