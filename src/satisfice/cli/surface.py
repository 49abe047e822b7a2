"""Sentences in the language of the surface that somebody is on: options of a command line, or keys of a study file."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from satisfice.errors import SatisficeError

WORST = re.compile(r"worst=\{'([^']+)': value\}")
CHOICE = re.compile(r"\b(on_error|on_lost|goal)='(\w+)'( or '(\w+)')?")
NUMBER = re.compile(r"\b(?:Give|larger) (max_cost|max_evaluations|cost)\b")

REFUSED = re.compile(r"^(max_evaluations|max_cost|max_time|jobs|timeout|patience|retries)(?= (?:must|expects)\b)")


def as_options(text: str) -> str:
    """--worst p95=VALUE rather than worst={'p95': value}."""
    text = REFUSED.sub(lambda found: _option(found[1]), text)
    text = WORST.sub(r"--worst \1=VALUE", text)
    text = CHOICE.sub(lambda found: f"{_option(found[1])} {found[2]}{f' or {found[4]}' if found[4] else ''}", text)
    return NUMBER.sub(lambda found: found[0].replace(found[1], _option(found[1])), text)


def as_keys(text: str) -> str:
    """worst = { p95 = VALUE } rather than worst={'p95': value}."""
    text = WORST.sub(r"worst = { \1 = VALUE }", text)
    return CHOICE.sub(lambda found: f'{found[1]} = "{found[2]}"' + (f' or "{found[4]}"' if found[4] else ""), text)


@contextmanager
def speaking(from_file: bool) -> Iterator[Callable[[str], str]]:
    """What is refused inside says what to do in the words of a study file, or of the command line; they are given."""
    words: Callable[[str], str] = as_keys if from_file else as_options
    try:
        yield words
    except SatisficeError as error:
        if error.args and isinstance(error.args[0], str):
            error.args = (words(error.args[0]), *error.args[1:])
        raise


def _option(key: str) -> str:
    return f"--{key.replace('_', '-')}"
