"""Texts with places for parameters: `--codec {codec}`. Each word is filled in by itself; no shell reads the result."""

import re
from collections.abc import Iterable, Mapping, Sequence

from satisfice.errors import InvalidCommand, unknown_name

PLACE = re.compile(r"\{\{([A-Za-z_][\w.-]*)\}\}|\{([A-Za-z_][\w.-]*)\}")
"""`{name}` is a place; `{{name}}` is the text {name}; any other brace is itself, so JSON may stand in a command."""


ITEM = "item"


def filled(text: str, values: Mapping[str, object]) -> str:
    """The text with a value in each place."""
    return PLACE.sub(lambda found: f"{{{found[1]}}}" if found[1] else written_value(values[found[2]]), text)


def places_of(texts: Iterable[str]) -> list[str]:
    """The names of all places, in order, each once."""
    return list(dict.fromkeys(found[2] for text in texts for found in PLACE.finditer(text) if found[2]))


def check_places(texts: Iterable[str], known: Iterable[str]) -> None:
    """Raise unless every place is filled by something."""
    names = list(known)
    for name in places_of(texts):
        if name not in names:
            raise InvalidCommand(
                f"The command has a place for {{{name}}}: {unknown_name('parameter', name, names)} "
                f"Write {{{{{name}}}}} if the program should get the text {{{name}}} itself."
            )


def check_item_place(texts: Sequence[str], words: Sequence[str]) -> None:
    """Raise unless a program is told its item, in a place or by the variable that a shell's text names."""
    if ITEM not in places_of(texts) and not any("SATISFICE_ITEM" in text for text in texts):
        raise InvalidCommand(
            "A limit is on a set of items, and the program is not told which item to evaluate. Write {item} where it "
            f"is to stand, such as: -- {' '.join(words)} --item {{item}}; for a program that reads SATISFICE_ITEM from "
            f"its environment: -- env SATISFICE_ITEM={{item}} {' '.join(words)}"
        )


def written_value(value: object) -> str:
    """A parameter as a program's argument: true and false in small letters, everything else as Python writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def read_value(text: str) -> int | float | str:
    """A number if it is written as Python writes that number, so that nothing is lost; otherwise the text."""
    for kind in (int, float):
        try:
            value = kind(text)
        except ValueError:
            continue
        if str(value) == text:
            return value
    return text
