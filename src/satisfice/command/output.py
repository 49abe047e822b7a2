"""Metrics from what a program printed: its last JSON object, a user's expressions, what a reader of its tool finds."""

import json
import re
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple

from satisfice.command.child import KEPT_BYTES, Usage
from satisfice.command.reasons import tail
from satisfice.errors import EvaluationFailed, InvalidCommand, NotMeasured, SatisficeError, unknown_name
from satisfice.layout.numbers import written
from satisfice.readers import Printed, Reader, recognised
from satisfice.study.storage.passwords import environment_without_secrets

MATCHER = Path(__file__).with_name("match_process.py")
SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 10.0
"""Of processor time: at least so much, whatever the time limit of an evaluation, and at most so much."""


def last_matches(expressions: Mapping[str, str], texts: Sequence[str], timeout: float | None) -> dict[str, str | None]:
    """By metric the last match in the first text that has one.

    Looking takes at most as long as the evaluation may: `(a+)+b` takes years to find nothing in a line of 60 letters,
    and lets no other thread of its process run meanwhile.
    """
    if not expressions:
        return {}
    seconds = max(SHORTEST_SECONDS, min(timeout or LONGEST_SECONDS, LONGEST_SECONDS))
    given = json.dumps([seconds, list(expressions.values()), list(texts)])
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(MATCHER)],
        input=given,
        env=environment_without_secrets(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="ascii",
        check=False,
    )
    found = dict(zip(expressions, map(json.loads, done.stdout.split("\n")[:-1]), strict=False))
    if done.returncode == -signal.SIGPROF:
        name = list(expressions)[len(found)]
        raise EvaluationFailed(
            f"No value for {name!r}: to look for /{expressions[name]}/ took longer than {written(seconds)} s. Repeat "
            "nothing that repeats, as (a+)+ does."
        )
    if done.returncode:
        raise NotMeasured(f"The process that looks for matches ended with exit code {done.returncode}.")
    return found


WALL_TIME, EXIT_CODE, MAX_RSS = "wall_time", "exit_code", "max_rss_mb"
SELF_MEASURED = (WALL_TIME, "user_time", "system_time", "cpu_time", MAX_RSS, EXIT_CODE)
"""Metrics that need no output: what is known of a program whose end one waits for."""
READING = "NAME=/REGULAR EXPRESSION/ or NAME=key.of.the.json"


NAME = re.compile(r"[A-Za-z_][\w.\-/]*")
BEGIN = re.compile(r"\{\s*[\"}]")
"""What every object begins with."""
INSIDE = (",", "]", "}")
"""What follows an object inside of another one or of a list."""
OPENING = re.compile(r"[{\[]")
FEWEST_NESTED = 200
"""Fewer than any interpreter reads one inside of the other."""
TOO_LONG = (
    f"Standard output is longer than the last {KEPT_BYTES >> 20} MiB of whole lines that are read: let the program "
    "print its metrics last, in less than that."
)


class Output(NamedTuple):
    """What a program left behind; the wall time is in seconds.

    `cut` says whether standard output was longer than what is kept of it, `masks` what nobody may read in a sentence.
    `end_left` ends what the program started and was allowed to leave running.
    """

    stdout: str
    stderr: str
    exit_code: int
    wall_time: float
    cut: bool = False
    masks: Mapping[str, str] = {}
    usage: Usage = Usage()
    end_left: Callable[[], None] = lambda: None

    @property
    def measured(self) -> dict[str, float]:
        """A value for each of `SELF_MEASURED`."""
        user, system, peak = self.usage
        values = (self.wall_time, user, system, user + system, peak, self.exit_code)
        return dict(zip(SELF_MEASURED, values, strict=True))

    @property
    def said(self) -> str:
        """The last lines of standard error, for a sentence."""
        return tail(self.stderr, self.masks)

    @property
    def printed(self) -> str:
        """The same of standard output."""
        return tail(self.stdout, self.masks)


class Pattern(NamedTuple):
    """The last match in standard output, or in standard error if there is none: its first group, or all of it."""

    expression: re.Pattern[str]


class Key(NamedTuple):
    """A value inside the JSON object: keys of objects and places in lists."""

    path: tuple[str, ...]

    def value(self, output: Output, document: Mapping[str, Any] | None) -> Any:
        value: Any = _needed(".".join(self.path), document, output)
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
    if not equals or not NAME.fullmatch(name) or not where:
        raise InvalidCommand(f"Expected {READING} for a metric, got {text!r}.")
    if not where.startswith("/"):
        return name, Key(tuple(where.split(".")))
    if len(where) < 3 or not where.endswith("/"):
        raise InvalidCommand(f"Expected a regular expression between two slashes, got {where!r} in {text!r}.")
    try:
        return name, Pattern(re.compile(where[1:-1], re.MULTILINE))
    except re.error as error:
        raise InvalidCommand(f"{where!r} is not a regular expression: {error}.") from None


class Found(NamedTuple):
    """What was read: a value for each wanted metric, numbers beside them that nobody wants, and by which reader."""

    results: dict[str, Any]
    beside: dict[str, Any]
    reader: str | None = None


def read_metrics(
    wanted: Sequence[str],
    readings: Mapping[str, Pattern | Key],
    output: Output,
    reader: tuple[str, Reader] | None = None,
    timeout: float | None = None,
) -> Found:
    """A value for each wanted metric: where a reading says, by the reader, or by its name in the last JSON object.

    Looking for patterns takes at most the `timeout`. Without a named reader, one that recognises the output is asked
    for what is not in the object. Whether a value is a number that the metric allows is checked where results are
    recorded.
    """
    patterns = {name: one for name in wanted if isinstance(one := readings.get(name), Pattern)}
    matched = _matched(patterns, output, timeout)
    document = last_object(output.stdout, cut=output.cut)
    measured = output.measured
    own = document or {} if reader is None else {}
    others = [name for name in wanted if name not in readings and name not in own]
    tool: dict[str, Any] = {}
    if reader is not None or any(name not in measured for name in others):
        reader, tool = _of_tool(reader, output, document)
    results = {}
    for name in wanted:
        if name in matched:
            results[name] = matched[name]
        elif isinstance(where := readings.get(name), Key):
            results[name] = _reading(name, where, output, document)
        elif name in own:
            results[name] = own[name]
        elif name in tool:
            results[name] = tool[name]
        elif name in measured:
            results[name] = measured[name]
        else:
            results[name] = _missing(name, wanted, reader, tool or _needed(name, document, output))
    beside = {name: value for name, value in (tool or own).items() if isinstance(value, Real) and name not in wanted}
    return Found(results, beside, None if reader is None else reader[0])


def _of_tool(
    reader: tuple[str, Reader] | None, output: Output, document: Mapping[str, Any] | None
) -> tuple[tuple[str, Reader] | None, dict[str, Any]]:
    """What a reader finds, and which reader that is: the named one, or one that recognises the output."""
    printed = Printed(output.stdout, document)
    found = reader or (None if output.cut else recognised(printed))
    if found is None:
        return None, {}
    name, by = found
    if output.cut:
        raise EvaluationFailed(f"The reader {name} has not all of the output. {TOO_LONG}")
    try:
        return found, dict(by.metrics(printed))
    except SatisficeError:
        raise
    except Exception as error:  # the output has another shape, or the reader is somebody's own
        said = f"got {output.printed!r}" if output.printed else "got nothing"
        raise EvaluationFailed(
            f"Expected output that the reader {name} can read, {said} ({type(error).__name__}: {error}). Leave out the "
            "reader, or name patterns with --metric."
        ) from None


class _Text(str):
    """A text in which an error of JSON is not looked up by line: counting lines for each took minutes of long logs."""

    __slots__ = ()

    def count(self, *_: Any) -> int:
        return 0

    def rfind(self, *_: Any) -> int:
        return -1


def last_object(text: str, *, cut: bool = False) -> dict[str, Any] | None:
    """The last JSON object in a text, over one line or several; every character is read once.

    What is inside an object that breaks off counts no more than the object does. If the text has lost its beginning, an
    object that may be a part of a larger one, by what follows it, does not count either.
    """
    decoder, found, after, end, text = json.JSONDecoder(), None, 0, 0, _Text(text)
    while begins := BEGIN.search(text, after):
        start = begins.start()
        try:
            found, after = decoder.raw_decode(text, start)
            end = after
        except json.JSONDecodeError as error:
            after = max(error.pos, start + 1)
        except (ValueError, RecursionError):  # numbers and nestings beyond all bounds
            after = _beyond(text, start)
    return None if cut and text[end:].lstrip().startswith(INSIDE) else found


def _beyond(text: str, start: int) -> int:
    """A place on a later line, within what is nested too deeply from a start on, so that it is not all read again."""
    openings = deque(islice(OPENING.finditer(text, start), FEWEST_NESTED), maxlen=1)
    line = text.find("\n", openings[0].end())
    return len(text) if line < 0 else line


def _matched(patterns: Mapping[str, Pattern], output: Output, timeout: float | None) -> dict[str, Any]:
    """What the patterns match, by metric."""
    expressions = {name: one.expression.pattern for name, one in patterns.items()}
    found = last_matches(expressions, (output.stdout, "" if output.cut else output.stderr), timeout)
    for name, last in found.items():
        if last is None:
            why = f" {TOO_LONG}" if output.cut else ""
            raise EvaluationFailed(f"No value for {name!r}: nothing in the output matches /{expressions[name]}/.{why}")
    return {name: _as_number(last) for name, last in found.items() if last is not None}


def _reading(name: str, reading: Key, output: Output, document: Mapping[str, Any] | None) -> Any:
    try:
        return reading.value(output, document)
    except EvaluationFailed as error:
        raise EvaluationFailed(f"No value for {name!r}: {error}") from None


def _needed(name: str, document: Mapping[str, Any] | None, output: Output) -> Mapping[str, Any]:
    if document is None:
        nearest = get_close_matches(name, SELF_MEASURED, n=1)
        meant = f" Did you mean {nearest[0]!r}, which needs no output, by {name!r}?" if nearest else ""
        printed = f"got {output.printed!r}" if output.printed else "got nothing"
        if output.cut:
            printed = f"{printed} at its end. {TOO_LONG.removesuffix('.')}"
        raise EvaluationFailed(
            f"Expected a JSON object of metrics on standard output, {printed}. Let the program print one, such as "
            f"""{{"latency_ms": 12.5}}, or name a pattern with --metric {READING}.{meant}"""
        )
    return document


def _missing(name: str, wanted: Sequence[str], reader: tuple[str, Reader] | None, known: Mapping[str, Any]) -> Any:
    where = "value in the JSON object" if reader is None else f"value in the output of {reader[0]}"
    raise EvaluationFailed(f"Expected a number for each of {', '.join(wanted)}: {unknown_name(where, name, known)}")


def _as_number(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return text
