"""Threshold strings: `statistic (<=|>=) limit [~ tolerance] [: noise] [@ group]`.

A statistic is a metric, whose mean is meant, or one of `p95(metric)`, `median(metric)`, `share(metric <= number)`,
`geomean(metric)` and `clip(metric, most)`. A limit is a number, or `baseline + 3%`, `0.98 * baseline`. A group is the
name of what is measured together, where not every evaluation measures everything. `name == value` is about results
that must be one number, text or truth value.

Errors point at the piece of the text that is wrong.
"""

import json
import re
from math import isfinite
from typing import NamedTuple, NoReturn

from satisfice.errors import InvalidProblem, InvalidThreshold, UnknownName
from satisfice.given import shown
from satisfice.layout.escape import visible
from satisfice.layout.numbers import to_digits, written
from satisfice.noise import NOISE_MODELS
from satisfice.noise.checked import UNDECLARED
from satisfice.noise.process import NoiseModel, is_range_model, process_of
from satisfice.noise.sets import of_set
from satisfice.problem.quantities import (
    NUMBER,
    UNIT,
    UNSIGNED,
    NotANumber,
    Scale,
    number_in,
    scale_of_limit,
    scale_of_noise,
)
from satisfice.statistics import MEAN, ClippedMean, GeometricMean, Match, Percentile, Share, Statistic

GRAMMAR = "statistic (<=|>=) limit [~ tolerance] [: noise] [@ group]"
EXAMPLES = (
    "'p95(latency_ms) <= 100 ~ 5', 'loss <= 0.01 ~ 0.005 : bernoulli', 'wall_time <= baseline + 3%' or 'exit_code == 0'"
)


class Part(NamedTuple):
    """A piece of a threshold string."""

    whole: str
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.whole[self.start : self.end].strip()

    def of(self, match: re.Match[str], group: int) -> "Part":
        """A group of a match in this piece."""
        return Part(self.whole, self.start + match.start(group), self.start + match.end(group))

    def fail(self, message: str) -> NoReturn:
        """An error that points at this piece."""
        piece = self.whole[self.start : self.end]
        start = self.start + len(piece) - len(piece.lstrip())
        end = max(start + 1, self.end - (len(piece) - len(piece.rstrip())))
        before, marked = len(visible(self.whole[:start])), len(visible(self.whole[start:end].ljust(end - start)))
        raise InvalidThreshold(
            f"Cannot read the threshold: {message}.\n  {visible(self.whole)}\n  {' ' * before}{'^' * marked}\n"
            f"Write it as {GRAMMAR}, for example {EXAMPLES}."
        )


def outside(part: Part, sign: str) -> int:
    """Where the sign first stands outside parentheses and quotes, or the end."""
    depth, quoted = 0, False
    for place in range(part.start, part.end):
        quoted ^= part.whole[place] == '"'
        depth += {"(": 1, ")": -1}.get(part.whole[place], 0)
        if part.whole[place] == sign and depth == 0 and not quoted:
            return place
    return part.end


def number_of(part: Part, text: str, what: str, scale: Scale) -> float:
    """The number that a text says, in the unit of a metric; an error points at the piece where it says none."""
    try:
        value = number_in(text, scale)
    except NotANumber as error:
        reason = str(error)
        part.fail(f"expected a {'plain ' * bool(reason)}number for {what}, got {text!r}{reason and f': {reason}'}")
    if not isfinite(value):
        part.fail(f"expected a finite number for {what}, got {text!r}")
    return value


def noise_of(part: Part, statistic: Statistic, metric: str) -> NoiseModel:
    """The noise model that a piece names."""
    of = set_in(part)
    if of is None:
        return _one_noise(part, statistic, metric)
    if not of.group(2).isdecimal() or len(of.group(2)) > 20:
        part.of(of, 2).fail(f"expected how many items the set has, got {shown(of.group(2), 60)}")
    one = _one_noise(part.of(of, 1), statistic, metric)
    try:
        noise = of_set(one, int(of.group(2)), sampled=of.group(3) is not None)
        kept: NoiseModel = noise.process.checked(noise)
    except InvalidProblem as error:
        part.fail(str(error).rstrip("."))
    return kept


def set_in(part: Part) -> re.Match[str] | None:
    """A model, the size of a set, and perhaps the word 'sampled', as in 'bernoulli of 500 sampled'."""
    return re.fullmatch(r"(.*\S)\s+of\s+(\S+)(\s+sampled)?\s*", part.whole[part.start : part.end])


def call_in(part: Part) -> re.Match[str] | None:
    """A name and perhaps arguments, as in 'bounded(0, 1)'."""
    return re.fullmatch(r"\s*([\w.:]+)\s*(?:\((.*)\))?\s*", part.whole[part.start : part.end])


def _one_noise(part: Part, statistic: Statistic, metric: str) -> NoiseModel:
    call = call_in(part)
    if call is None:
        part.fail(f"expected a noise model ({', '.join(NOISE_MODELS)})")
    name = call.group(1)
    try:
        model = NOISE_MODELS.find(name)
    except UnknownName as error:
        part.fail(str(error).rstrip("."))
    in_range = statistic.observed_range
    if in_range is not None and call.group(2) is None and is_range_model(model):
        return model.of_range(*in_range)
    scale = scale_of_noise(metric, statistic, model)
    arguments = [] if call.group(2) is None else _arguments(part.of(call, 2), name, scale)
    most = len(model._fields)
    least = most - len(model._field_defaults)
    by_arm = most == 1 < len(arguments) and bool(process_of(model(tuple(arguments))).by_arm(model(tuple(arguments))))
    if not (by_arm or least <= len(arguments) <= most):
        wanted = " or ".join(map(str, range(least, most + 1)))
        part.fail(f"{name} takes {wanted} {'number' if most == 1 else 'numbers'}, got {len(arguments)}")
    noise: NoiseModel = model(tuple(arguments)) if by_arm else model(*arguments)
    process = process_of(noise)
    if in_range is not None and process.checks_shape:
        part.fail("percentiles and shares hold for any distribution, so there is no shape to check: write nothing here")
    try:
        kept: NoiseModel = process.checked(noise)
    except InvalidProblem as error:
        part.fail(str(error).rstrip("."))
    return kept


def _arguments(part: Part, name: str, scale: Scale) -> list[float]:
    position, arguments = part.start, []
    for each in part.whole[part.start : part.end].split(","):
        own = Part(part.whole, position, position + len(each))
        arguments.append(number_of(own, own.text, f"an argument of {name}", scale))
        position += len(each) + 1
    return arguments


NAME = r"[A-Za-z_][\w.\-/]*"
GROUP = r"[A-Za-z_][\w.\-]*"
"""What a group may be called."""
STATISTICS = "p95(metric), median(metric), share(metric <= number), geomean(metric), clip(metric, most)"


class Amount(NamedTuple):
    """A number, and a part of the baseline's, with the words in which that was written."""

    number: float
    ratio: float = 0.0
    words: str = ""


class ParsedThreshold(NamedTuple):
    name: str
    direction: str
    limit: Amount
    tolerance: Amount
    noise: NoiseModel
    statistic: Statistic
    group: str = ""


def parse_threshold(text: str) -> ParsedThreshold:
    """Read one threshold string; errors point at the part that cannot be read."""
    head, comparison, rest = _divided(text)
    at = outside(rest, "@")
    group = "" if at == len(text) else _group(Part(text, at + 1, len(text)))
    rest = Part(text, rest.start, at)
    colon = outside(rest, ":")
    numbers = Part(text, rest.start, colon)
    tilde = outside(numbers, "~")
    name, statistic = _statistic(head)
    if comparison == "==":
        statistic = _match(head, statistic, numbers)
    noise = UNDECLARED if colon == at else noise_of(Part(text, colon + 1, at), statistic, name)
    if comparison == "==":
        return ParsedThreshold(name, "<=", Amount(0.0), Amount(0.0), noise, statistic, group)
    scale = scale_of_limit(name, statistic, noise)
    stated = Part(text, numbers.start, tilde)
    limit = _amount(stated, "the threshold", scale)
    tolerance = (
        Amount(0.0) if tilde == numbers.end else _tolerance(Part(text, tilde + 1, numbers.end), limit, stated, scale)
    )
    return ParsedThreshold(name, comparison[0] + "=", limit, tolerance, noise, statistic, group)


def _match(head: Part, statistic: Statistic, value: Part) -> Match:
    """What a result must be: a number, true or false, or a text, in quotes unless it is one word."""
    if statistic != MEAN:
        head.fail("'==' is about a result itself: write the name of a metric before it")
    text = value.text
    if text.startswith("baseline"):
        value.fail("'==' compares with a value, not with the baseline: write '<=' or '>='")
    if text in ("true", "false"):
        return Match(text == "true")
    if re.fullmatch(NUMBER, text):
        return Match(float(text))
    try:
        found = json.loads(text) if text.startswith('"') else text
    except ValueError:
        found = ""
    if not isinstance(found, str) or not (found and (found is not text or re.fullmatch(NAME, text))):
        value.fail(f'expected a number, true, false or a text ("in quotes" unless it is one word), got {text!r}')
    return Match(found)


def noise_name(text: str) -> str | None:
    """What the noise model of a threshold string is called, without looking for it; None where none is."""
    rest = _divided(text)[2]
    at = outside(rest, "@")
    colon = outside(Part(text, rest.start, at), ":")
    part = Part(text, min(colon + 1, at), at)
    of = set_in(part)
    call = call_in(part if of is None else part.of(of, 1))
    return None if call is None else call.group(1)


def _divided(text: str) -> tuple[Part, str, Part]:
    """What stands before the comparison, the comparison, and what stands behind it."""
    depth = 0
    for comparison in re.finditer(r"[()]|[<>=!]+", text):
        sign = comparison.group()
        depth += {"(": 1, ")": -1}.get(sign, 0)
        if depth or sign in "()":
            continue
        if sign not in ("<=", ">=", "<", ">", "=="):
            Part(text, *comparison.span()).fail(f"expected '<=', '>=' or '==', got {sign!r}")
        return Part(text, 0, comparison.start()), sign, Part(text, comparison.end(), len(text))
    return Part(text, 0, len(text)).fail("expected a comparison, '<=', '>=' or '=='")


def _statistic(head: Part) -> tuple[str, Statistic]:
    if re.fullmatch(NAME, head.text):
        return head.text, MEAN
    call = re.fullmatch(r"\s*([A-Za-z_][\w.]*)\s*\((.*)\)\s*", head.whole[head.start : head.end])
    if call is None:
        head.fail(f"expected a metric or a statistic of one ({STATISTICS}) before the comparison, got {head.text!r}")
    kind, inside = call.group(1), head.of(call, 2)
    if "(" in inside.text:
        inside.fail("expected a metric inside the statistic: statistics cannot be nested")
    if kind == "share":
        return _share(inside)
    if kind == "clip":
        name, _, most = inside.text.rpartition(",")
        own = _name(inside, name.strip())
        return own, ClippedMean(number_of(inside, most.strip(), "where to clip", Scale(own)))
    if kind in ("median", "geomean"):
        return _name(inside, inside.text), Percentile(50.0) if kind == "median" else GeometricMean()
    percent = re.fullmatch(r"p(\d+(?:\.\d+)?)", kind)
    if percent is None:
        head.of(call, 1).fail(f"unknown statistic {kind!r}: expected one of {STATISTICS}")
    return _name(inside, inside.text), Percentile(float(percent.group(1)))


def _group(part: Part) -> str:
    if not re.fullmatch(GROUP, part.text):
        part.fail(f"expected the name of a group behind '@', letters, digits, '_', '-' or '.', got {part.text!r}")
    return part.text


def _share(inside: Part) -> tuple[str, Statistic]:
    comparison = re.search(r"[<>=!]+", inside.whole[inside.start : inside.end])
    if comparison is None or comparison.group() not in ("<=", ">=", "<", ">"):
        inside.fail(f"expected share(metric <= number), got {inside.text!r}")
    sign = inside.of(comparison, 0)
    name = _name(inside, inside.whole[inside.start : sign.start].strip())
    bound = _amount(Part(inside.whole, sign.end, inside.end), "the number inside share", Scale(name))
    return name, Share(bound.number, comparison.group()[0] == "<", bound.ratio)


def _name(part: Part, name: str) -> str:
    if not re.fullmatch(NAME, name):
        part.fail(f"expected the name of a metric, got {name!r}")
    return name


def _amount(part: Part, what: str, scale: Scale) -> Amount:
    """A number, or one relative to the baseline."""
    text = part.text
    if "baseline" not in text:
        return Amount(number_of(part, text, what, scale))
    times = re.fullmatch(rf"({NUMBER})\s*\*\s*baseline|baseline\s*\*\s*({NUMBER})|baseline", text)
    if times is not None:
        return Amount(0.0, float(times.group(1) or times.group(2) or 1.0), text)
    plus = re.fullmatch(rf"(?:({NUMBER})\s*\*\s*)?baseline\s*([+-])\s*({UNSIGNED}(?:\s*(?:{UNIT}))?)", text)
    if plus is None:
        part.fail(f"expected {what} as 'baseline + 3%', 'baseline + 3' or '0.98 * baseline', got {text!r}")
    ratio, by = float(plus.group(1) or 1.0), plus.group(2) + plus.group(3)
    if by.endswith("%"):
        return Amount(0.0, ratio * (100.0 + float(by[:-1])) / 100.0, text)
    return Amount(number_of(part, by, what, scale), ratio, text if re.fullmatch(NUMBER, by) else "")


def amount_of(words: str) -> tuple[float, float]:
    """The number and the part of the baseline's that a limit in these words is."""
    return _amount(Part(words, 0, len(words)), "the threshold", Scale())[:2]


def _tolerance(part: Part, limit: Amount, stated: Part, scale: Scale) -> Amount:
    text = part.text
    value = number_of(part, text.removesuffix("%").rstrip(), "the tolerance", Scale() if "%" in text else scale)
    if value < 0:
        part.fail(f"expected a tolerance of zero or more, got {written(value)}")
    if not text.endswith("%"):
        return Amount(value)
    if limit.ratio:
        return Amount(0.0, value / 100.0)
    if limit.number == 0.0:
        part.fail("a tolerance in percent of a limit of 0 is none: give it in the metric's unit")
    if stated.text.endswith("%"):
        own, part_of = number_of(part, text, "the tolerance", scale), to_digits(value * abs(limit.number) / 100.0, 12)
        meant = f"{written(part_of)} for {text} of the limit, {written(own)} for {text} more or less"
        part.fail(f"a tolerance in percent of a limit in percent may mean two things: write {meant}")
    return Amount(value * abs(limit.number) / 100.0)
