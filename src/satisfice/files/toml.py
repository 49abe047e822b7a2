"""TOML files with known keys: a mistake in one is named with its place and what would be right."""

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from satisfice.errors import InvalidInstance, SatisficeError, unknown_name
from satisfice.given import shown, why_unwritable

Said = TypeVar("Said")

MOST_BYTES = 1 << 26
"""Room for a million configurations that are written out; what is larger, or never ends, is no such file."""


def read_toml(path: str | Path, kind: str, parse: Callable[[Mapping[str, Any], Path], Said]) -> Said:
    """What `parse` makes of the content of a file of that kind; every error starts with the file's path."""
    place = Path(path)
    try:
        content = tomllib.loads(_text_of(place, kind))
    except FileNotFoundError:
        raise InvalidInstance(f"There is no {kind} {place}. Give the path of a TOML file.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInstance(f"{place} cannot be read: {error}.") from None
    except tomllib.TOMLDecodeError as error:
        raise InvalidInstance(f"{place} is not valid TOML: {error}.") from None
    except RecursionError:
        raise InvalidInstance(f"{place} has lists or tables inside each other more deeply than can be read.") from None
    except ValueError as error:  # of a path with NUL, a number with too many digits, or too large a file
        raise InvalidInstance(f"{place} cannot be read: {error}.") from None
    try:
        return parse(content, place)
    except SatisficeError as error:
        raise type(error)(f"{place}: {error}") from None


def _text_of(place: Path, kind: str) -> str:
    with place.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError(f"it has more than {MOST_BYTES // 1_000_000} MB, too many for a {kind}")
    return content.decode("utf-8")


def table_of(content: Mapping[str, Any], key: str, known: Iterable[str] | None = None) -> Mapping[str, Any]:
    """A table of the file, empty if it is not there; with `known`, any other key in it is refused."""
    table = content.get(key, {})
    if not isinstance(table, dict):
        raise InvalidInstance(f"Expected [{key}] to be a table, got {shown(table, 60)}.")
    if known is not None:
        check_keys(table, known, f"[{key}]")
    return table


def check_keys(table: Mapping[str, Any], known: Iterable[str], where: str = "the file") -> None:
    """Refuse a key that means nothing, with the nearest one that does."""
    for key in table:
        if key not in known:
            raise unknown_name(f"key of {where}", key, known)


def thresholds_of(content: Mapping[str, Any], needs: str) -> list[Any]:
    """The list of threshold strings, which `needs` says the file must have."""
    if "thresholds" not in content:
        raise InvalidInstance(f"The key 'thresholds' is missing. {needs}")
    thresholds = content["thresholds"]
    if not isinstance(thresholds, list):
        raise InvalidInstance(f"Expected thresholds as a list of strings, got {shown(thresholds, 60)}.")
    return thresholds


def written_toml(value: Any) -> str:
    """A text, a number or a list of them as TOML has it."""
    if isinstance(value, str):
        if why := why_unwritable(value):
            raise InvalidInstance(f"{shown(value, 60)} cannot be written to a file: {why}.")
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"[{', '.join(map(written_toml, value))}]" if isinstance(value, list) else repr(value)
