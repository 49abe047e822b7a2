"""What requests look like: schemas as JSON Schema writes them, which check what comes and are published as they are."""

from typing import Any

from satisfice.errors import InvalidCommand
from satisfice.given import shown

Shape = dict[str, Any]

MOST_AT_ONCE = 1000
"""Pulls or results in one request."""

LONGEST_WAIT_SECONDS = 60


def text(says: str, most: int = 200, **more: Any) -> Shape:
    return {"type": "string", "maxLength": most, "description": says, **more}


def number(says: str, **more: Any) -> Shape:
    return {"type": "number", "description": says, **more}


def whole(says: str, least: int = 0, most: int = 2**53, **more: Any) -> Shape:
    return {"type": "integer", "minimum": least, "maximum": most, "description": says, **more}


def anything(says: str) -> Shape:
    return {"description": says}


def some(of: Shape, says: str, most: int = MOST_AT_ONCE, least: int = 0) -> Shape:
    return {"type": "array", "items": of, "minItems": least, "maxItems": most, "description": says}


def record(says: str, needed: tuple[str, ...] = (), *, closed: bool = True, **properties: Shape) -> Shape:
    shape: Shape = {"type": "object", "description": says, "properties": properties}
    shape |= {"required": list(needed)} if needed else {}
    return shape | ({"additionalProperties": False} if closed else {})


KINDS: dict[str, tuple[str, tuple[type, ...]]] = {
    "string": ("a text", (str,)),
    "number": ("a number", (int, float)),
    "integer": ("a whole number", (int,)),
    "boolean": ("true or false", (bool,)),
    "array": ("a list", (list,)),
    "object": ("an object", (dict,)),
    "null": ("null", (type(None),)),
}


def check(shape: Shape, value: Any, what: str = "the request") -> None:
    """InvalidCommand, in a sentence, unless the value is of that shape."""
    kinds = shape.get("type", [])
    if isinstance(kinds, str) and type(value) in KINDS[kinds][1]:
        names: list[str] = []  # as most often
    else:
        names = [kinds] if isinstance(kinds, str) else kinds
    if names and not any(_is(value, name) for name in names):
        expected = " or ".join(KINDS[name][0] for name in names)
        raise InvalidCommand(f"Expected {expected} for {what}, got {shown(value, 60)}.")
    if "enum" in shape and value not in shape["enum"]:
        known = ", ".join(map(repr, shape["enum"]))
        raise InvalidCommand(f"Expected one of {known} for {what}, got {shown(value, 60)}.")
    if isinstance(value, str):
        _check_length(shape, len(value), "Length", "characters", what)
    elif isinstance(value, list):
        _check_length(shape, len(value), "Items", "entries", what)
        for place, one in enumerate(value):
            check(shape.get("items", {}), one, f"entry {place} of {what}")
    elif isinstance(value, dict):
        _check_record(shape, value, what)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        low, high = shape.get("minimum"), shape.get("maximum")
        if (low is not None and value < low) or (high is not None and value > high):
            limits = f"at least {low}" if high is None else f"from {low} to {high}"
            raise InvalidCommand(f"Expected {limits} for {what}, got {shown(value, 60)}.")


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, KINDS[name][1])


def _check_length(shape: Shape, length: int, of: str, unit: str, what: str) -> None:
    low, high = shape.get(f"min{of}", 0), shape.get(f"max{of}")
    if length < low or (high is not None and length > high):
        limits = f"at least {low}" if length < low else f"at most {high:,}"
        raise InvalidCommand(f"Expected {limits} {unit} for {what}, got {length:,}.")


def _check_record(shape: Shape, value: dict[str, Any], what: str) -> None:
    properties = shape.get("properties", {})
    for name in shape.get("required", ()):
        if name not in value:
            raise InvalidCommand(f"Expected {name!r} in {what}: {properties[name].get('description', 'it is needed')}")
    for name, one in value.items():
        if name in properties:
            check(properties[name], one, f"{name!r}")
        elif shape.get("additionalProperties") is False:
            known = ", ".join(map(repr, properties)) or "nothing"
            raise InvalidCommand(f"{shown(name, 60)} is not expected in {what}. Known: {known}.")
