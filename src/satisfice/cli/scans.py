"""Values of a parameter from one number to another, and configurations in an order that is drawn."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal, InvalidOperation
from random import Random
from typing import Any, TypeVar

from satisfice.errors import InvalidCommand, unknown_name
from satisfice.given import shown
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
