"""What stands behind the options of `satisfice run`: lists, pairs and durations."""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from satisfice.cli.scans import scanned
from satisfice.command.output import WALL_TIME
from satisfice.command.template import read_value
from satisfice.errors import InvalidCommand
from satisfice.given import shown
from satisfice.noise import Bounded
from satisfice.noise.checked import is_undeclared
from satisfice.problem.metric import Direction, as_metric
from satisfice.problem.quantities import NotANumber, Scale, number_in, seconds_in
from satisfice.statistics import MEAN

BEYOND_LIMIT = 1.05
"""How far the range of a duration that is surely within its limit goes: an obvious case takes two evaluations."""


def grid_of(texts: Sequence[str]) -> dict[str, list[Any]]:
    """Values by parameter, from NAME=VALUE,VALUE,...; a comma inside a value is written \\,."""
    found: dict[str, list[Any]] = {}
    for text in texts:
        name, values = pair_of(text, "-L", "NAME=VALUE,VALUE,...")
        if name in found:
            raise InvalidCommand(f"-L names the parameter {name!r} twice. Give all its values in one: {name}=...,...")
        each = [scanned(value, "-L") or [read_value(value)] for value in _split(values)]
        found[name] = [one for some in each for one in some]
    return found


def configs_of(texts: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Parameters by name, from NAME or NAME:KEY=VALUE,KEY=VALUE."""
    found: dict[str, dict[str, Any]] = {}
    for text in texts:
        name, _, rest = text.partition(":")
        if not name.strip() or name in found:
            raise InvalidCommand(f"--config expects different names, NAME or NAME:KEY=VALUE,..., got {text!r}.")
        pairs = [pair_of(part, "--config", "NAME:KEY=VALUE,KEY=VALUE") for part in _split(rest)] if rest else []
        found[name] = {key: read_value(value) for key, value in pairs}
    return found


def baseline_of(text: str) -> str | dict[str, Any]:
    """Parameters, from KEY=VALUE,KEY=VALUE, or a name."""
    if "=" not in text:
        return text
    pairs = [pair_of(part, "--baseline", "NAME or KEY=VALUE,KEY=VALUE") for part in _split(text)]
    return {key: read_value(value) for key, value in pairs}


def goal_of(text: str) -> str | int:
    """A number of configurations, or a word."""
    return int(text) if re.fullmatch(r"[+-]?[0-9]{1,9}", text) else text


def cost_of_text(text: str) -> str | dict[str, float]:
    """Costs by configuration, from NAME=NUMBER,NAME=NUMBER; else the text itself, which may be an expression."""
    return numbers_of(_split(text), "--cost", "NAME=NUMBER,NAME=NUMBER") if "=" in text else text


def pairs_of(texts: Sequence[str], option: str, form: str) -> dict[str, str]:
    """Texts by name, from NAME=TEXT."""
    return dict(pair_of(text, option, form) for text in texts)


def numbers_of(texts: Sequence[str], option: str, form: str = "METRIC=NUMBER") -> dict[str, float]:
    """Numbers by name, from NAME=NUMBER, in the units of metrics of these names."""
    found = {}
    for name, text in pairs_of(texts, option, form).items():
        try:
            found[name] = number_in(text.strip(), Scale(name))
        except NotANumber as error:
            why = f": {error}" if str(error) else ""
            raise InvalidCommand(f"{option} expects {form}, got {name}={text}{why}.") from None
    return found


def pair_of(text: str, option: str, form: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip():
        raise InvalidCommand(f"{option} expects {form}, got {text!r}.")
    return name.strip(), value


def seconds_of(given: str | float, what: str) -> float:
    """A time in seconds, from a number or a text such as 90, 500ms, 90s, 10m or 2h."""
    seconds = seconds_in(str(given))
    if seconds is None or not seconds > 0 or not isfinite(seconds):
        raise InvalidCommand(f"{what} expects a time of more than 0 such as 500ms, 90s, 10m or 2h, got {shown(given)}.")
    return seconds


def with_time_limit(thresholds: Sequence[Any], timeout: str | float | None) -> list[Any]:
    """The thresholds, `wall_time ... : bounded` with its range: no evaluation takes longer than its time limit."""
    return [_with_time_limit(one, timeout) for one in thresholds]


def decided_by_time_limit(threshold: Any, timeout: str | float | None) -> Any:
    """An undeclared `wall_time <= LIMIT` that no evaluation within its time limit can miss, with that range.

    The range goes a little beyond the limit, so that it stays the same question whatever the time limit is.
    """
    metric = as_metric(threshold)
    plain = metric.statistic == MEAN and not metric.beside_baseline and is_undeclared(metric.noise)
    if timeout is None or metric.name != WALL_TIME or metric.direction is not Direction.AT_MOST or not plain:
        return threshold
    if seconds_of(timeout, "timeout") > metric.threshold:
        return threshold
    return str(replace(metric, noise=Bounded(0.0, BEYOND_LIMIT * (metric.threshold + metric.tolerance))))


def _with_time_limit(threshold: Any, timeout: str | float | None) -> Any:
    found = re.fullmatch(r"([^:]*):\s*bounded\s*", threshold) if isinstance(threshold, str) else None
    if found is None:
        return threshold
    name = re.split("[<>=!]", found[1])[0].strip()
    if name != WALL_TIME:
        raise InvalidCommand(
            f"{threshold!r}: expected the range of {name!r}, as in bounded(0, 200). It may be left out for {WALL_TIME} "
            "alone, which is between 0 and the time limit."
        )
    if timeout is None:
        raise InvalidCommand(
            f"{threshold!r}: expected a time limit, since no range is given: --timeout 60s, or timeout = 60 in a study "
            "file. Or write the range, as in bounded(0, 60)."
        )
    return f"{found[1]}: bounded(0, {seconds_of(timeout, 'timeout')!r})"


def _split(text: str) -> list[str]:
    return [part.replace("\\,", ",") for part in re.split(r"(?<!\\),", text)]
