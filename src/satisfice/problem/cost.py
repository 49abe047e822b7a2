"""What an evaluation costs: a number, one for each configuration, an expression of parameters, or a reported metric.

An expression has numbers, names, + - * / **, brackets, min and max. It is read, never run as code.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from operator import add, mul, sub, truediv
from typing import Any

from satisfice.errors import InvalidProblem, unknown_name
from satisfice.given import is_number, shown, why_unwritable
from satisfice.layout.numbers import written

LONGEST, DEEPEST = 500, 40
"""Characters of an expression, and brackets inside of each other."""

TOKEN = re.compile(r"\s*(?:((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|([^\W\d][\w.]*)|(\*\*|[-+*/(),]))")
WANTED = "numbers, names of parameters, + - * / **, brackets, min(...) and max(...)"

Values = Mapping[str, float]
Value = Callable[[Values], float]
Operator = Callable[[float, float], float]

SUMS: Mapping[str, Operator] = {"+": add, "-": sub}
PRODUCTS: Mapping[str, Operator] = {"*": mul, "/": truediv}
FUNCTIONS: Mapping[str, Callable[[list[float]], float]] = {"min": min, "max": max}


@dataclass(frozen=True)
class Expression:
    """A text that was read: the names in it, in the order in which they come, and its value for values of these."""

    text: str
    names: tuple[str, ...]
    value: Value = field(compare=False)


def expression_of(text: str) -> Expression:
    """The expression that a text is; InvalidProblem says what in it cannot be read."""
    if len(text) > LONGEST:
        raise InvalidProblem(f"Expected an expression of at most {LONGEST} characters, got {len(text):,}.")
    reader = _Reader(text)
    value = reader.sum(0)
    if reader.next:
        raise reader.unexpected()
    return Expression(text.strip(), tuple(dict.fromkeys(reader.names)), value)


class _Reader:
    """Reads one token after the other; `next` is the one to come, empty at the end."""

    def __init__(self, text: str) -> None:
        self._text, self._end = text, 0
        self.names: list[str] = []
        self._advance()

    def sum(self, depth: int) -> Value:
        return self._chain(SUMS, self._product, depth)

    def unexpected(self) -> InvalidProblem:
        came = repr(self.next) if self.next else "its end"
        return InvalidProblem(f"{shown(self._text, 80)} cannot be read at {came}. Expected {WANTED}.")

    def _product(self, depth: int) -> Value:
        return self._chain(PRODUCTS, self._signed, depth)

    def _chain(self, operators: Mapping[str, Operator], operand: Callable[[int], Value], depth: int) -> Value:
        value = operand(depth)
        while self.next in operators:
            value = _joined(operators[self._taken()], value, operand(depth))
        return value

    def _signed(self, depth: int) -> Value:
        negative = False
        while self.next in SUMS:
            negative ^= self._taken() == "-"
        base = self._atom(depth)
        if self.next == "**":
            self._taken()
            base = _joined(_power, base, self._signed(self._deeper(depth)))
        return (lambda values: -base(values)) if negative else base

    def _atom(self, depth: int) -> Value:
        token, kind = self.next, self._kind
        if kind == "number":
            number = float(self._taken())
            return lambda values: number
        if kind == "name":
            self._taken()
            if self.next == "(" and token in FUNCTIONS:
                return self._function(token, self._deeper(depth))
            self.names.append(token)
            return lambda values: values[token]
        if token != "(":
            raise self.unexpected()
        self._taken()
        value = self.sum(self._deeper(depth))
        self._take(")")
        return value

    def _function(self, name: str, depth: int) -> Value:
        self._take("(")
        values = [self.sum(depth)]
        while self.next == ",":
            self._taken()
            values.append(self.sum(depth))
        self._take(")")
        return lambda given: FUNCTIONS[name]([each(given) for each in values])

    def _deeper(self, depth: int) -> int:
        if depth == DEEPEST:
            raise InvalidProblem(f"{shown(self._text, 80)} has more than {DEEPEST} brackets inside of each other.")
        return depth + 1

    def _take(self, token: str) -> None:
        if self.next != token:
            raise self.unexpected()
        self._advance()

    def _taken(self) -> str:
        token = self.next
        self._advance()
        return token

    def _advance(self) -> None:
        found = TOKEN.match(self._text, self._end)
        if found is not None:
            self.next, self._end = str(found[found.lastindex or 0]), found.end()
            self._kind = ("number", "name", "sign")[(found.lastindex or 1) - 1]
            return
        rest = self._text[self._end :].strip()
        self.next, self._kind = "", "end"
        if rest:
            self.next = rest[0]
            raise self.unexpected()


def _joined(operator: Operator, one: Value, other: Value) -> Value:
    return lambda values: operator(one(values), other(values))


def _power(base: float, exponent: float) -> float:
    result: float | complex = base**exponent
    if isinstance(result, complex):
        raise ArithmeticError(f"{written(base)} ** {written(exponent)} is no real number")
    return result


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
