"""Arithmetic in a text: numbers, names, + - * / **, brackets, min and max. A text is read, never run as code."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import add, mul, sub, truediv

from satisfice.errors import InvalidProblem
from satisfice.given import shown
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
