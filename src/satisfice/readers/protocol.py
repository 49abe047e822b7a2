"""What a reader of a tool's output is: it recognises what the tool prints, and names the numbers in it."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, NoReturn, Protocol

from satisfice.errors import EvaluationFailed
from satisfice.given import is_number
from satisfice.layout.numbers import counted

NO_NAME, BEGINNING = re.compile(r"[^\w./-]+"), re.compile("[A-Za-z_]")
Count = dict[str, int]
"""How many of how many, as {"count": 3, "of": 200}."""
Metrics = dict[str, float | list[float] | Count]
"""Numbers by name; a list where the tool gives every single value, and a count where it says how many of how many."""


class Printed:
    """What a tool printed to standard output: all of its `text`, and the last JSON object in it, if there is one."""

    def __init__(self, text: str, document: Mapping[str, Any] | None = None) -> None:
        self.text, self.document = text, document

    @cached_property
    def lines(self) -> Sequence[dict[str, Any]]:
        """The JSON objects that have a line of their own."""
        starts = (line for line in self.text.splitlines() if line.startswith('{"'))
        return [found for found in map(_object, starts) if found is not None]


class Reader(Protocol):
    """Recognises what a tool prints, and gives its numbers names."""

    def recognises(self, printed: Printed) -> bool:
        """Whether this is what the tool prints."""
        ...

    def metrics(self, printed: Printed) -> Metrics:
        """The numbers by name; EvaluationFailed where the tool says that it failed, or measured nothing."""
        ...


def numbers_in(table: Mapping[str, Any]) -> dict[str, float]:
    """The entries that are finite numbers; yes and no are none, and neither is nan."""
    return {str(name): value for name, value in table.items() if is_number(value)}


def on_lines(lines: Mapping[str, str]) -> dict[str, re.Pattern[str]]:
    """Expressions by name, compiled to look at each line by itself."""
    return {name: re.compile(line, re.MULTILINE) for name, line in lines.items()}


def numbers_on_lines(text: str, lines: Mapping[str, re.Pattern[str]]) -> dict[str, float]:
    """The number in the first line that an expression matches, by name; without those that none matches."""
    found = {name: line.search(text) for name, line in lines.items()}
    return {name: float(match[1]) for name, match in found.items() if match}


def as_name(text: str) -> str:
    """A text as the name of a metric: other signs than letters, digits and . / - become _."""
    name = NO_NAME.sub("_", text).strip("_")
    return name if BEGINNING.match(name) else f"_{name}"


def under_names(parts: Mapping[str, Metrics]) -> Metrics:
    """The metrics of several benchmarks as NAME.metric; where there is one, also without its name."""
    found: Metrics = {}
    for name, metrics in parts.items():
        found |= {f"{as_name(name)}.{metric}": value for metric, value in metrics.items()}
    return found | next(iter(parts.values())) if len(parts) == 1 else found


def failed(tool: str, reason: object) -> NoReturn:
    """The tool itself says that it failed."""
    raise EvaluationFailed(f"{tool} reports a failure: {str(reason).strip().removesuffix('.')}.")


def failed_requests(tool: str, failing: float, made: float) -> Count:
    """How many of the requests failed; EvaluationFailed where all did, since then there is nothing to measure."""
    if made < 1:
        failed(tool, "no request was answered, so there is nothing to measure")
    if failing >= made:
        failed(tool, f"of {counted(int(made), 'request')} all failed, so there is nothing to measure")
    return {"count": int(failing), "of": int(made)}


def _object(line: str) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
