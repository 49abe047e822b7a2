"""Metrics from what a program printed: its last JSON object, regular expressions, wall time and exit code."""

import json
import re
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, NamedTuple

from satisfice.errors import EvaluationFailed, InvalidCommand, unknown_name

WALL_TIME, EXIT_CODE = "wall_time", "exit_code"
READING = "NAME=/REGULAR EXPRESSION/ or NAME=key.of.the.json"


class Output(NamedTuple):
    """What a program left behind; the wall time is in seconds."""

    stdout: str
    stderr: str
    exit_code: int
    wall_time: float


class Pattern(NamedTuple):
    """The last match in standard output, or in standard error if there is none: its first group, or all of it."""

    expression: re.Pattern[str]

    def value(self, output: Output, _: Mapping[str, Any] | None) -> Any:
        for text in (output.stdout, output.stderr):
            found = list(self.expression.finditer(text))
            if found:
                return _as_number(found[-1][min(1, self.expression.groups)])
        raise EvaluationFailed(f"nothing in the output matches /{self.expression.pattern}/.")


class Key(NamedTuple):
    """A value inside the JSON object: keys of objects and places in lists."""

    path: tuple[str, ...]

    def value(self, output: Output, document: Mapping[str, Any] | None) -> Any:
        value: Any = _needed(document, output)
        for depth, key in enumerate(self.path):
            inside = {str(place): one for place, one in enumerate(value)} if isinstance(value, list) else value
            if not isinstance(inside, dict) or key not in inside:
                known = list(inside) if isinstance(inside, dict) else []
                raise EvaluationFailed(f"{'.'.join(self.path[: depth + 1])}: {unknown_name('key', key, known)}")
            value = inside[key]
        return value


def parse_reading(text: str) -> tuple[str, Pattern | Key]:
    """Where a metric is in the output, from `NAME=/REGULAR EXPRESSION/` or `NAME=key.of.the.json`."""
    name, equals, where = text.partition("=")
    name, where = name.strip(), where.strip()
    if not equals or not re.fullmatch(r"[A-Za-z_][\w.\-/]*", name) or not where:
        raise InvalidCommand(f"Expected {READING} for a metric, got {text!r}.")
    if not where.startswith("/"):
        return name, Key(tuple(where.split(".")))
    if len(where) < 3 or not where.endswith("/"):
        raise InvalidCommand(f"Expected a regular expression between two slashes, got {where!r} in {text!r}.")
    try:
        return name, Pattern(re.compile(where[1:-1], re.MULTILINE))
    except re.error as error:
        raise InvalidCommand(f"{where!r} is not a regular expression: {error}.") from None


def read_metrics(
    wanted: Sequence[str], readings: Mapping[str, Pattern | Key], output: Output
) -> tuple[dict[str, Any], set[str]]:
    """A value for each wanted metric, and the names of the numbers in the JSON object that nobody wants.

    Whether a value is a number that the metric allows is checked where results are recorded.
    """
    document = last_object(output.stdout)
    measured = {WALL_TIME: output.wall_time, EXIT_CODE: output.exit_code}
    results = {}
    for name in wanted:
        if name in readings:
            value = _reading(name, readings[name], output, document)
        elif document is not None and name in document:
            value = document[name]
        elif name in measured:
            value = measured[name]
        else:
            value = _missing(name, wanted, _needed(document, output))
        results[name] = int(value) if isinstance(value, bool) else value
    unwanted = {name for name, value in (document or {}).items() if _is_number(value)} - set(wanted)
    return results, unwanted if any(name not in readings and name not in measured for name in wanted) else set()


def last_object(text: str) -> dict[str, Any] | None:
    """The last JSON object in a text, over one line or several."""
    decoder, found, start = json.JSONDecoder(), None, text.find("{")
    while start >= 0:
        try:
            found, end = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            end = start + 1
        start = text.find("{", end)
    return found


def tail(text: str, lines: int = 3, width: int = 300) -> str:
    """The last lines of a text, as one line."""
    return " / ".join(line.strip() for line in text.strip().splitlines()[-lines:])[-width:]


def _reading(name: str, reading: Pattern | Key, output: Output, document: Mapping[str, Any] | None) -> Any:
    try:
        return reading.value(output, document)
    except EvaluationFailed as error:
        raise EvaluationFailed(f"No value for {name!r}: {error}") from None


def _needed(document: Mapping[str, Any] | None, output: Output) -> Mapping[str, Any]:
    if document is None:
        printed = f"got {tail(output.stdout)!r}" if output.stdout.strip() else "got nothing"
        raise EvaluationFailed(
            f"Expected a JSON object of metrics on standard output, {printed}. Let the program print one, such as "
            f"""{{"latency_ms": 12.5}}, or name a pattern with --metric {READING}."""
        )
    return document


def _missing(name: str, wanted: Sequence[str], document: Mapping[str, Any]) -> Any:
    raise EvaluationFailed(
        f"Expected a number for each of {', '.join(wanted)}: {unknown_name('value in the JSON object', name, document)}"
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, Real)


def _as_number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text
