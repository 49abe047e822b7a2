"""The noise model in a threshold string, as in `bernoulli`, `bounded(0, 1)` or `bernoulli of 500 sampled`."""

import re

from satisfice.errors import InvalidProblem, UnknownName
from satisfice.given import shown
from satisfice.noise import NOISE_MODELS
from satisfice.noise.items import of_set
from satisfice.noise.protocol import NoiseModel, is_range_model, process_of
from satisfice.problem.grammar_parts import Part, number_of
from satisfice.problem.quantities import Scale, scale_of_noise
from satisfice.statistics import Statistic


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
