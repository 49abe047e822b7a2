"""Threshold strings: `metric (<=|>=) value [~ tolerance] [: noise]`."""

import re
from collections.abc import Callable
from math import isfinite
from typing import NamedTuple, NoReturn

from satisfice.errors import InvalidThreshold, unknown_name
from satisfice.noise.models import Bernoulli, Bounded, NoiseModel, Normal, SubGaussian

GRAMMAR = "metric (<=|>=) value [~ tolerance] [: noise]"
EXAMPLE = "latency_ms <= 100 ~ 1 : normal(12)"

SEVERAL = 2
"""So many arguments or more are one for each arm."""

NOISE_MODELS: dict[str, tuple[tuple[int, ...], Callable[..., NoiseModel]]] = {
    "normal": ((0, 1, SEVERAL), Normal),
    "subgaussian": ((1, SEVERAL), SubGaussian),
    "bernoulli": ((0,), Bernoulli),
    "bounded": ((2,), Bounded),
}
"""Each noise model with the numbers of arguments it takes."""


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
        noise=Normal() if colon < 0 else _noise(text, colon + 1),
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
    call = re.fullmatch(r"\s*(\w+)\s*(?:\((.*)\))?\s*", text[start:])
    if call is None:
        _fail(text, start, len(text), f"expected a noise model ({', '.join(NOISE_MODELS)})")
    name = call.group(1)
    if name not in NOISE_MODELS:
        _fail(text, start, len(text), str(unknown_name("noise model", name, NOISE_MODELS)).rstrip("."))
    counts, model = NOISE_MODELS[name]
    if call.group(2) is None:
        arguments: list[float] = []
    else:
        position = start + call.start(2)
        arguments = []
        for part in call.group(2).split(","):
            arguments.append(_number(text, position, position + len(part), f"an argument of {name}"))
            position += len(part) + 1
    by_arm = model in (Normal, SubGaussian) and len(arguments) >= SEVERAL
    if len(arguments) not in counts and not by_arm:
        wanted = " or ".join(map(str, counts))
        _fail(text, start, len(text), f"{name} takes {wanted} number(s), got {len(arguments)}")
    if by_arm and min(arguments) <= 0:
        _fail(text, start, len(text), f"expected positive noise scales, one for each arm, got {min(arguments):g}")
    noise = model(tuple(arguments)) if by_arm else model(*arguments)
    if isinstance(noise, Bounded) and not noise.low < noise.high:
        _fail(
            text,
            start,
            len(text),
            f"bounded(low, high) expects low < high, got {noise.low:g} and {noise.high:g}",
        )
    if noise.scale is not None and noise.scale <= 0:
        _fail(text, start, len(text), f"expected a positive noise scale, got {noise.scale:g}")
    return noise


def _fail(text: str, start: int, end: int, message: str) -> NoReturn:
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    end = max(start + 1, end - (len(part) - len(part.rstrip())))
    raise InvalidThreshold(
        f"Cannot read the threshold: {message}.\n  {text}\n  {' ' * start}{'^' * (end - start)}\n"
        f"Write it as {GRAMMAR}, for example {EXAMPLE!r}."
    )
