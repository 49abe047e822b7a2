"""What is ours and secret, passwords of storages and tokens of servers: kept from programs and out of sentences."""

import os
import re
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import unquote, urlsplit

STORAGE = "SATISFICE_STORAGE"
"""The variable that names the storage where none is given, perhaps with its password."""
TOKEN = "SATISFICE_TOKEN"
"""The variable that has the token for a server."""
NARROWER = ("SATISFICE_READ_TOKEN", "SATISFICE_WORK_TOKEN")
"""The variables of tokens that allow less: to look, and to work for studies that are there."""
SECRETS = (STORAGE, TOKEN, *NARROWER)
"""The variables that no other program gets."""

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


def environment_without_secrets() -> dict[str, str]:
    """The variables that a program may have which we start."""
    return {name: text for name, text in os.environ.items() if name not in SECRETS}


def masks_of(address: str) -> dict[str, str]:
    """What to write instead of the address of a storage, of its password, and of what is secret in the environment."""
    tokens = (os.environ.get(name, "").strip() for name in SECRETS if name != STORAGE)
    found = {token: MASK for token in tokens if len(token) >= SHORTEST_SECRET}
    return found | _masks_of_address(os.environ.get(STORAGE, "")) | _masks_of_address(address)


def _masks_of_address(address: str) -> dict[str, str]:
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
    """The text with a mask for each secret, the longest first: one may be a part of another."""
    for secret in sorted(masks, key=len, reverse=True):
        text = text.replace(secret, masks[secret])
    return text


def keep_secret(address: str) -> None:
    """From now on nothing that fails in this process is recorded with this address, or its password."""
    _OPENED.update(masks_of(address))


def without_secrets(text: str) -> str:
    """The text with a mask for each storage that was opened, and for what is secret in the environment."""
    return masked(text, _OPENED | masks_of(""))
