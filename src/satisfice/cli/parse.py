"""The values of options: lists, pairs, durations, ranges of a parameter, and configurations in a drawn order."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from math import isfinite
from random import Random
from typing import Any, TypeVar

from satisfice.command.output import WALL_TIME
from satisfice.command.template import read_value
from satisfice.errors import InvalidCommand, unknown_name
from satisfice.given import shown
from satisfice.noise import Bounded
from satisfice.noise.checked import is_undeclared
from satisfice.problem.metric import Direction, as_metric
from satisfice.problem.quantities import NotANumber, Scale, number_in, seconds_in
from satisfice.statistics import MEAN
from satisfice.study.configs import check_count

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
SCAN = re.compile(rf"\s*({NUMBER})\.\.({NUMBER})(?:\.\.({NUMBER}))?\s*")
ORDERS = ("given", "random")
T = TypeVar("T")


def scanned(text: str, where: str) -> list[Any] | None:
    """The values of FROM..TO or FROM..TO..STEP; None if the text is something else."""
    found = SCAN.fullmatch(text)
    return None if found is None else values_between(found[1], found[2], found[3] or "1", f"{where} {text.strip()}")


def values_between(first: str, last: str, step: str, where: str) -> list[Any]:
    """Numbers from the first to the last, which is among them if steps lead there; as exact as they are written."""
    try:
        low, high, width = Decimal(first), Decimal(last), Decimal(step)
        if not (low.is_finite() and high.is_finite() and width.is_finite()):
            raise InvalidOperation
    except InvalidOperation:
        raise InvalidCommand(
            f"{where}: expected numbers, as in level 1 9, got {shown(first)}, {shown(last)} and the step {shown(step)}."
        ) from None
    if width <= 0 or high < low:
        raise InvalidCommand(
            f"{where}: expected a step of more than 0, and a first value that is at most the last; got {first} to "
            f"{last} with the step {step}."
        )
    check_count(int((high - low) / width) + 1)
    values = [low + width * place for place in range(int((high - low) / width) + 1)]
    return [int(value) if _is_whole(low, width) else float(value) for value in values]


def with_scans(grid: Mapping[str, list[Any]], scans: Sequence[str], step: str | None) -> dict[str, list[Any]]:
    """The values of -L and of -P together; each parameter has one of them."""
    if step is not None and not scans:
        raise InvalidCommand(f"-D {step} is the step of a scan, and there is none: give -P NAME FROM TO.")
    found = dict(grid)
    for text in scans:
        where, words = f"-P {text}", text.split()
        if len(words) != 3:
            raise InvalidCommand(f"-P expects NAME FROM TO, as in -P level 1 9, got {text!r}.")
        name, first, last = words
        if name in found:
            other = "-L lists its values" if name in grid else "another -P does so"
            raise InvalidCommand(f"{where} scans the parameter {name!r}, and {other} too. Give one of them.")
        found[name] = values_between(first, last, step or "1", where)
    return found


def expanded(grid: Mapping[str, Any]) -> dict[str, list[Any]]:
    """A grid whose scans, such as "1..9", are lists."""
    return {
        name: (scanned(some, f"{name} =") or [some]) if isinstance(some, str) else some for name, some in grid.items()
    }


def ordered(configs: Mapping[str, T], order: Any, seed: Any) -> dict[str, T]:
    """The configurations as they were given, or in an order that the seed draws."""
    if order not in ORDERS:
        raise unknown_name("order", str(order), ORDERS)
    names = list(configs)
    if order == "random":
        Random(f"order {seed}").shuffle(names)
    return {name: configs[name] for name in names}


def _is_whole(*numbers: Decimal) -> bool:
    return all(number == number.to_integral_value() and "." not in str(number) for number in numbers)


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
