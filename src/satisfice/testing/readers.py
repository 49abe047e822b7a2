"""The published contract of readers of what tools print."""

import re
from collections.abc import Mapping

from satisfice.command.output import last_object
from satisfice.errors import BrokenContract
from satisfice.readers import READERS, Printed, Reader, resolve_reader
from satisfice.statistics.raw import Unexpected, checked_raw

STRANGE = (
    "",
    "all is well",
    '{"latency_ms": 12.5}',
    '{"results": 1, "jobs": [], "benchmarks": [1], "metrics": 2}',
    "[1",
)
"""What no tool prints."""
NAME = re.compile(r"[A-Za-z_][\w.\-/]*")


def check_reader(reader: Reader | str, output: str) -> None:
    """A reader, and something that its tool printed: it recognises that and nothing strange, and names numbers.

    Names can stand in thresholds, values are finite numbers, lists of them or counts, and reading the same twice
    gives the same. No reader of ours may take the output for that of its own tool.
    """
    value = resolve_reader(reader) if isinstance(reader, str) else reader
    name = type(value).__name__
    for text in STRANGE:
        try:
            taken = value.recognises(_printed(text))
        except (AttributeError, KeyError, TypeError, ValueError):  # counts as no
            taken = False
        if taken:
            raise BrokenContract(f"{name} recognises {text!r}, which its tool does not print.")
    if value.recognises(_printed(output)) is not True:
        raise BrokenContract(f"{name} does not recognise the output that it was given: {output[:60]!r}.")
    for other in READERS:
        known = resolve_reader(other)
        if type(known) is not type(value) and _takes(known, output):
            raise BrokenContract(f"The output that {name} recognises is taken for that of {other} as well.")
    found = value.metrics(_printed(output))
    if not isinstance(found, Mapping) or not found:
        raise BrokenContract(f"{name} must give metrics by name, at least one, got {found!r:.60}.")
    for metric, one in found.items():
        if not NAME.fullmatch(metric):
            raise BrokenContract(f"{name} calls a metric {metric!r}, which cannot stand in a threshold.")
        try:
            checked_raw(one)
        except Unexpected as error:
            raise BrokenContract(f"{name} gives {one!r:.60} for {metric!r}: expected {error}.") from None
    if found != value.metrics(_printed(output)):
        raise BrokenContract(f"{name} reads the same output otherwise the second time.")


def _printed(text: str) -> Printed:
    return Printed(text, last_object(text))


def _takes(reader: Reader, output: str) -> bool:
    try:
        return reader.recognises(_printed(output))
    except (AttributeError, KeyError, TypeError, ValueError):
        return False
