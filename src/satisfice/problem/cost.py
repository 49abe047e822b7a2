"""What an evaluation costs: a number, one for each configuration, an expression of parameters, or a reported metric."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from satisfice.errors import InvalidProblem, unknown_name
from satisfice.given import is_number, shown, why_unwritable
from satisfice.layout.numbers import written
from satisfice.problem.arithmetic import Expression, expression_of

CostLike = float | str | Mapping[str, Any]
"""A number, a number for each config by name, an expression of parameters, or the name of a metric; or, where metrics
are measured in groups, one of the first three for each group by name."""

Named = Sequence[tuple[str, Mapping[str, Any]]]
"""Configs: names and parameters."""

LARGEST = 1e15
"""Costs are below it."""

WAYS = (
    "a number, a number for each configuration by its name, an expression of parameters such as '0.01 * tokens', or a "
    "metric that each evaluation reports, such as 'usd'"
)
NAME = re.compile(r"[^\W\d][\w.]*")


@dataclass(frozen=True)
class Cost:
    """What evaluations cost: `said` as JSON can write it, and either one number for each config or a `metric`.

    Where metrics are measured in G groups there are G numbers for each config.
    """

    said: float | str | dict[str, Any]
    by_config: tuple[float, ...] | None = None
    metric: str | None = None


def cost_of(given: CostLike, configs: Named, measured: Sequence[str] = (), groups: Sequence[str] = ()) -> Cost:
    """The cost of evaluations of these configs; `measured` are the metrics that there are limits on."""
    if groups:
        return _of_groups(given, configs, measured, groups)
    if isinstance(given, Mapping):
        return _by_name(given, configs)
    if isinstance(given, str):
        return _in_words(given.strip(), configs, measured)
    cost = positive(given, "The cost")
    return Cost(cost, (cost,) * len(configs))


def _of_groups(given: CostLike, configs: Named, measured: Sequence[str], groups: Sequence[str]) -> Cost:
    """By group if the names are those of groups, and else the same for all of them."""
    if not isinstance(given, Mapping) or not any(name in groups for name in given):
        whole = cost_of(given, configs, measured)
        each = whole.by_config
        return whole if each is None else Cost(whole.said, tuple(cost for cost in each for _ in groups))
    for name in given:
        if name not in groups:
            raise unknown_name("group", name, groups)
    missing = [name for name in groups if name not in given]
    if missing:
        raise InvalidProblem(f"Expected a cost for each group, and {missing[0]!r} has none.")
    found = [cost_of(given[name], configs, measured) for name in groups]
    for name, cost in zip(groups, found, strict=True):
        if cost.by_config is None:
            raise InvalidProblem(
                f"Expected the cost of the group {name!r} as a number, numbers by configuration or an expression of "
                f"parameters, got {shown(given[name], 60)}. A metric that evaluations report is the cost of all groups."
            )
    lines = zip(*(cost.by_config or () for cost in found), strict=True)
    said = {name: cost.said for name, cost in zip(groups, found, strict=True)}
    return Cost(said, tuple(cost for line in lines for cost in line))


def positive(value: object, what: str) -> float:
    """The number itself if it can be what something costs."""
    if not is_number(value) or not 0 < float(value) < LARGEST:
        raise InvalidProblem(
            f"{what} must be a number of more than 0 and less than {written(LARGEST)}, got {shown(value, 60)}. A cost "
            f"is {WAYS}."
        )
    return float(value)


def reported(metric: str, results: object, whose: str = "") -> float:
    """What an evaluation reported as its cost; InvalidProblem says why it is none. Nothing is a cost, too."""
    if not isinstance(results, Mapping) or metric not in results:
        raise InvalidProblem(
            f"Expected {metric!r} among the results{whose}, which is what an evaluation costs: missing."
        )
    value = results[metric]
    if not is_number(value) or not 0 <= float(value) < LARGEST:
        raise InvalidProblem(
            f"Expected {metric!r}{whose}, what the evaluation cost, as one number of 0 or more and less than "
            f"{written(LARGEST)}, got {shown(value, 60)}."
        )
    return float(value)


def _by_name(given: Mapping[str, float], configs: Named) -> Cost:
    names = dict.fromkeys(name for name, _ in configs)
    for name in given:
        if not isinstance(name, str) or name not in names:
            raise unknown_name("config", name, names)
    missing = [name for name in names if name not in given]
    if missing:
        raise InvalidProblem(f"Expected a cost for each configuration, and {missing[0]!r} has none. A cost is {WAYS}.")
    costs = {name: positive(given[name], f"The cost of {name!r}") for name in names}
    return Cost(costs, tuple(costs.values()))


def _in_words(text: str, configs: Named, measured: Sequence[str]) -> Cost:
    if reason := why_unwritable(text):
        raise InvalidProblem(f"The cost {shown(text, 60)} cannot be kept: {reason}.")
    if not text:
        raise InvalidProblem(f"The cost is an empty text. Expected {WAYS}.")
    is_parameter = any(text in parameters for _, parameters in configs)
    if not is_parameter and (text in measured or NAME.fullmatch(text)):
        return Cost(text, metric=text)
    expression = expression_of(text)
    return Cost(text, tuple(_value(expression, name, parameters) for name, parameters in configs))


def _value(expression: Expression, config: str, parameters: Mapping[str, Any]) -> float:
    values: dict[str, float] = {}
    for name in expression.names:
        if name not in parameters:
            raise unknown_name(f"parameter of {config!r}, for the cost {expression.text!r},", name, parameters)
        if not is_number(parameters[name]):
            raise InvalidProblem(
                f"The cost {expression.text!r} needs numbers, but {name!r} of {config!r} is "
                f"{shown(parameters[name], 60)}. Give the costs by configuration instead."
            )
        values[name] = float(parameters[name])
    try:
        cost = expression.value(values)
    except (ArithmeticError, ValueError) as error:
        raise InvalidProblem(
            f"The cost {expression.text!r} of {config!r} cannot be computed: {error}. Change the expression, or give "
            "the costs by configuration."
        ) from None
    return positive(cost, f"The cost {expression.text!r} of {config!r}")
