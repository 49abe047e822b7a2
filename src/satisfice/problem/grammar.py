"""Threshold strings: `metric (<=|>=) value [~ tolerance] [: noise]`."""

import re
from math import isfinite
from typing import NamedTuple, NoReturn

from satisfice.errors import InvalidProblem, InvalidThreshold, UnknownName
from satisfice.noise import NOISE_MODELS, Checked
from satisfice.noise.protocol import NoiseModel, process_of

GRAMMAR = "metric (<=|>=) value [~ tolerance] [: noise]"
EXAMPLE = "latency_ms <= 100 ~ 1 : normal(12)"


class ParsedThreshold(NamedTuple):
    name: str
    direction: str
    value: float
    tolerance: float
    noise: NoiseModel


def parse_threshold(text: str) -> ParsedThreshold:
    """Read one threshold string; errors point at the part that cannot be read."""
    comparison = re.search(r"[<>=!]+", text)
    if comparison is None:
        _fail(text, 0, len(text), "expected a comparison, '<=' or '>='")
    if comparison.group() not in ("<=", ">="):
        _fail(text, *comparison.span(), f"expected '<=' or '>=', got {comparison.group()!r}")
    name = text[: comparison.start()].strip()
    if not re.fullmatch(r"[A-Za-z_][\w.\-/]*", name):
        _fail(text, 0, comparison.start(), f"expected the name of a metric before the comparison, got {name!r}")
    colon = text.find(":", comparison.end())
    numbers_end = len(text) if colon < 0 else colon
    tilde = text.find("~", comparison.end(), numbers_end)
    value_end = numbers_end if tilde < 0 else tilde
    return ParsedThreshold(
        name=name,
        direction=comparison.group(),
        value=_number(text, comparison.end(), value_end, "the threshold"),
        tolerance=0.0 if tilde < 0 else _tolerance(text, tilde + 1, numbers_end),
        noise=Checked() if colon < 0 else _noise(text, colon + 1),
    )


def _number(text: str, start: int, end: int, what: str) -> float:
    try:
        value = float(text[start:end])
    except ValueError:
        _fail(text, start, end, f"expected a number for {what}, got {text[start:end].strip()!r}")
    if not isfinite(value):
        _fail(text, start, end, f"expected a finite number for {what}, got {text[start:end].strip()!r}")
    return value


def _tolerance(text: str, start: int, end: int) -> float:
    value = _number(text, start, end, "the tolerance")
    if value < 0:
        _fail(text, start, end, f"expected a tolerance of zero or more, got {value:g}")
    return value


def _noise(text: str, start: int) -> NoiseModel:
    call = re.fullmatch(r"\s*([\w.:]+)\s*(?:\((.*)\))?\s*", text[start:])
    if call is None:
        _fail(text, start, len(text), f"expected a noise model ({', '.join(NOISE_MODELS)})")
    name = call.group(1)
    try:
        model = NOISE_MODELS.find(name)
    except UnknownName as error:
        _fail(text, start, len(text), str(error).rstrip("."))
    arguments = _arguments(text, start + call.start(2), call.group(2), name) if call.group(2) is not None else []
    most = len(model._fields)
    least = most - len(model._field_defaults)
    by_arm = most == 1 < len(arguments) and bool(process_of(model(tuple(arguments))).by_arm(model(tuple(arguments))))
    if not (by_arm or least <= len(arguments) <= most):
        wanted = " or ".join(map(str, range(least, most + 1)))
        _fail(text, start, len(text), f"{name} takes {wanted} number(s), got {len(arguments)}")
    noise: NoiseModel = model(tuple(arguments)) if by_arm else model(*arguments)
    try:
        kept: NoiseModel = process_of(noise).checked(noise)
    except InvalidProblem as error:
        _fail(text, start, len(text), str(error).rstrip("."))
    return kept


def _arguments(text: str, position: int, given: str, name: str) -> list[float]:
    arguments = []
    for part in given.split(","):
        arguments.append(_number(text, position, position + len(part), f"an argument of {name}"))
        position += len(part) + 1
    return arguments


def _fail(text: str, start: int, end: int, message: str) -> NoReturn:
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    end = max(start + 1, end - (len(part) - len(part.rstrip())))
    raise InvalidThreshold(
        f"Cannot read the threshold: {message}.\n  {text}\n  {' ' * start}{'^' * (end - start)}\n"
        f"Write it as {GRAMMAR}, for example {EXAMPLE!r}."
    )
