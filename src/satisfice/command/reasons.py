"""Words of a program that go into a sentence, and so into the log: short, fit for a terminal, without passwords."""

import re
from collections.abc import Mapping
from typing import Any

from satisfice.study.storage.passwords import masked

LONGEST_REASON = 2_000
"""Characters of a sentence that are kept."""
LONGEST_TAIL = 300
DEEPEST = 3
"""Lists in lists that are kept of a value; no result has more than one."""

SEQUENCE = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?"  # titles, links and other strings
    r"|\x1b[ -/]*[0-~]?"
)
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What a terminal obeys, or what changes the order of letters; line breaks and tabs are left."""


def cleaned(text: str, masks: Mapping[str, str]) -> str:
    """The text without control sequences, and with a mask for each secret."""
    return masked(UNSEEN.sub("", SEQUENCE.sub("", text)).encode(errors="replace").decode(), masks)


def kept_reason(text: str, masks: Mapping[str, str]) -> str:
    """A sentence as it may be kept."""
    text = cleaned(text, masks)
    return text if len(text) <= LONGEST_REASON else f"{text[: LONGEST_REASON - 1]}…"


def kept_value(value: Any, masks: Mapping[str, str], depth: int = DEEPEST) -> Any:
    """A value with its texts as they may be kept: a result, or what the sentence that refuses it will quote."""
    if isinstance(value, str):
        return kept_reason(value, masks)
    if not isinstance(value, list | dict):
        return value
    if not depth:
        return "..."
    if isinstance(value, dict):
        return {cleaned(name, masks): kept_value(one, masks, depth - 1) for name, one in value.items()}
    return [one if type(one) is float else kept_value(one, masks, depth - 1) for one in value]


def tail(text: str, masks: Mapping[str, str], lines: int = 3) -> str:
    """The last lines of a text, as one line."""
    last = cleaned(text, masks).strip().splitlines()[-lines:]
    return " / ".join(line.strip() for line in last)[-LONGEST_TAIL:]
