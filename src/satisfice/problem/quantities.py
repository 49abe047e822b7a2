"""Numbers as people write them, 500ms, 1% or 10k, in the unit in which a metric is reported.

The unit is known where satisfice measures the metric itself, in seconds, and where the name of the metric says it, as
latency_p99_ms does. Where it is not known, a number with a unit is refused with the numbers that it may mean.
"""

import re
from decimal import Decimal
from math import inf, isfinite
from typing import NamedTuple, NoReturn

from satisfice.layout.numbers import written
from satisfice.noise import is_in_shares, is_in_units
from satisfice.noise.process import NoiseModel, process_of
from satisfice.statistics import MEAN, GeometricMean, Share, Statistic

MEASURED_SECONDS = ("wall_time", "user_time", "system_time", "cpu_time")
"""Metrics that a runner measures itself, in seconds."""

UNSIGNED = r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
NUMBER = rf"[+-]?{UNSIGNED}"
UNIT = r"[A-Za-zµμ][A-Za-zµμ/]*|%"

TIMES = {"ns": "1e-9", "us": "1e-6", "µs": "1e-6", "μs": "1e-6", "ms": "1e-3", "s": "1"}
TIMES |= {"sec": "1", "m": "60", "min": "60", "h": "3600", "d": "86400"}
"""Seconds."""
SIZES = {"B": "1", "kB": "1e3", "KB": "1e3", "MB": "1e6", "GB": "1e9", "TB": "1e12"}
SIZES |= {"KiB": "1024", "MiB": "1048576", "GiB": "1073741824", "TiB": "1099511627776"}
"""Bytes."""
MULTIPLES = {"k": "1e3", "K": "1e3", "M": "1e6", "G": "1e9"}

ANYWHERE = {"ns": "ns", "us": "us", "ms": "ms"}
"""Words that name a unit wherever they stand in a metric's name, as in read_lat_ns_mean."""
AT_END = {"s": "s", "sec": "s", "seconds": "s", "minutes": "min", "hours": "h", "bytes": "B", "kb": "kB", "mb": "MB"}
AT_END |= {"gb": "GB", "kib": "KiB", "mib": "MiB", "gib": "GiB", "percent": "%", "percentage": "%", "pct": "%"}
"""Words that name a unit at its end."""


class Scale(NamedTuple):
    """What a number is about: the metric of that name, a share, or neither."""

    metric: str = ""
    is_share: bool = False


class NotANumber(ValueError):
    """A text that cannot be read as a number; says why, after the text."""


def scale_of_limit(metric: str, statistic: Statistic, noise: NoiseModel) -> Scale:
    """What limit and tolerance are about: a share also where every result lies between 0 and 1."""
    in_0_1 = statistic == MEAN and process_of(noise).bounds(noise) == (0.0, 1.0)
    return Scale(metric, in_0_1 or isinstance(statistic, Share))


def scale_of_noise(metric: str, statistic: Statistic, model: type[NoiseModel]) -> Scale:
    """What the numbers of a noise model are about."""
    in_units = is_in_units(model) and not isinstance(statistic, GeometricMean)
    return Scale(metric if in_units else "", statistic.observed_range is not None or is_in_shares(model))


def number_in(text: str, scale: Scale) -> float:
    """The number in the metric's unit; NotANumber with what could be written instead."""
    found = re.fullmatch(rf"({NUMBER})\s*({UNIT})", text)
    if found is None:
        return _plain(text)
    try:
        number, unit = Decimal(found[1]), found[2]
        value = _in_percent(number, scale) if unit == "%" else _in_unit(number, unit, scale)
    except ArithmeticError:  # beyond what decimals hold, which is more than floats do
        value = inf
    if not isfinite(value):
        raise NotANumber("it is too large or too small a number")
    return value


def unit_of(metric: str) -> str | None:
    """The unit of a metric by its name; None where that does not say."""
    if metric in MEASURED_SECONDS:
        return "s"
    words = re.split(r"[^a-z0-9]+", metric.lower())
    if "per" in words:
        return None
    return next((ANYWHERE[word] for word in words if word in ANYWHERE), AT_END.get(words[-1]))


def seconds_in(text: str) -> float | None:
    """A time in seconds, from 90, 90s, 500ms, 10m or 2h; None if it is none."""
    found = re.fullmatch(rf"\s*({UNSIGNED})\s*({UNIT})?\s*", text)
    if found is None or (found[2] or "s") not in TIMES:
        return None
    try:
        return float(Decimal(found[1]) * Decimal(TIMES[found[2] or "s"]))
    except ArithmeticError:
        return None


def _plain(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise NotANumber("") from None


def _in_percent(number: Decimal, scale: Scale) -> float:
    share = float(number / 100)
    if scale.is_share:
        return share
    if unit_of(scale.metric) == "%":
        return float(number)
    name = scale.metric or "it"
    raise NotANumber(f"write {written(share)} if {name} is reported as a share, {written(float(number))} if in percent")


def _in_unit(number: Decimal, unit: str, scale: Scale) -> float:
    own = unit_of(scale.metric)
    if unit in MULTIPLES and own not in SIZES:
        return float(number * Decimal(MULTIPLES[unit]))
    if unit in MULTIPLES:
        raise NotANumber(f"{scale.metric} is in {own}: write the unit out, as in {number}{unit}B, or a plain number")
    if scale.is_share or not scale.metric:
        raise NotANumber("it has no unit")
    kind = next((kind for kind in (TIMES, SIZES) if unit in kind), None)
    if kind is None:
        raise NotANumber(f"satisfice does not know the unit {unit!r}: write the number in that of {scale.metric}")
    if own is not None and own not in kind:
        raise NotANumber(f"{scale.metric} is in {own}, which {unit} is no measure of")
    if own is None:
        _refuse_unknown(number, unit, kind, scale.metric)
    return float(number * Decimal(kind[unit]) / Decimal(kind[own]))


def _refuse_unknown(number: Decimal, unit: str, kind: dict[str, str], metric: str) -> NoReturn:
    """Say which numbers it may mean, and in which units known tools report."""
    usual = dict.fromkeys([unit, *(("s", "ms") if kind is TIMES else ("B",))])
    each = [f"{written(float(number * Decimal(kind[unit]) / Decimal(kind[one])))} if in {one}" for one in usual]
    tools = " (hyperfine and pytest-benchmark report s, k6 ms)" if kind is TIMES else ""
    raise NotANumber(f"the unit of {metric} is not known; write {', '.join(each)}{tools}")
