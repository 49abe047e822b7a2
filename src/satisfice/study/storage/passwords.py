"""Addresses without their passwords, for whatever people see."""

import re
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import unquote, urlsplit

IN_WORDS = re.compile(r"""(password\s*(?:=|%3D)\s*)('(?:[^'\\]|\\.)*'|[^\s&'"]+)""", re.IGNORECASE)
"""As in the query of a URL, or in libpq's form: host=h password=p."""

BEFORE_HOST = re.compile(r"(://[^:/?#@\s]*:)(.+)(?=@)", re.DOTALL)
"""As in scheme://user:password@host, up to the last @: rather too much than too little."""

SHORTEST_SECRET = 4
"""A shorter password is masked in its URL only: its letters are everywhere."""
MASK = "***"

_OPENED: dict[str, str] = {}
"""Masks of all storages that this process has opened: whatever fails here, its words are written without them."""


def hidden(text: str) -> str:
    """The text with stars in place of passwords that are called so."""
    return IN_WORDS.sub(r"\1***", text)


def starred(argument: str) -> str:
    """An argument of a command with a star for each character of a password in it, and as long as before."""
    for place in (IN_WORDS, BEFORE_HOST):
        argument = place.sub(lambda found: found[1] + "*" * len(found[2]), argument)
    return argument


def shown_address(given: object) -> str:
    """What was given as an address and is none, unless there may be a password in it."""
    text = str(given)
    return "something else with a password in it" if "@" in text or "password" in text.lower() else repr(given)


def masks_of(address: str) -> dict[str, str]:
    """What to write instead of the address of a storage that may have a password in it, and of the password."""
    scheme, found, _ = address.partition("://")
    if scheme.startswith("sqlite"):
        return {}
    passwords = [match[2].strip("'") for match in IN_WORDS.finditer(address)]
    if found:
        with suppress(ValueError):
            passwords.append(urlsplit(address).password or "")
    masks = {address: f"{scheme}://{MASK}"} if found else {}
    for password in passwords:
        masks |= {text: MASK for text in (password, unquote(password)) if len(text) >= SHORTEST_SECRET}
    return masks


def masked(text: str, masks: Mapping[str, str]) -> str:
    """The text with a mask for each secret."""
    for secret, mask in masks.items():
        text = text.replace(secret, mask)
    return text


def keep_secret(address: str) -> None:
    """From now on nothing that fails in this process is recorded with this address, or its password."""
    _OPENED.update(masks_of(address))


def without_secrets(text: str) -> str:
    """The text with a mask for each storage that was opened."""
    return masked(text, _OPENED)
