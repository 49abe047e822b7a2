"""Addresses without their passwords, for whatever people see."""

import re

IN_WORDS = re.compile(r"""(password\s*(?:=|%3D)\s*)('(?:[^'\\]|\\.)*'|[^\s&'"]+)""", re.IGNORECASE)
"""As in the query of a URL, or in libpq's form: host=h password=p."""


def hidden(text: str) -> str:
    """The text with stars in place of passwords that are called so."""
    return IN_WORDS.sub(r"\1***", text)


def shown_address(given: object) -> str:
    """What was given as an address and is none, unless there may be a password in it."""
    text = str(given)
    return "something else with a password in it" if "@" in text or "password" in text.lower() else repr(given)
