"""Words of a program in a sentence or a log: short, fit for a terminal, without passwords.

Why a program could not be started is said here too.
"""

import errno
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from satisfice.errors import InvalidCommand
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


LACKING = {
    errno.E2BIG: "its arguments and its environment are longer than the system allows. Hand long values over in a file",
    errno.EMFILE: "this process has too many open files. Give fewer evaluations at a time, -j, or a higher ulimit -n",
    errno.ENFILE: "the system has too many open files. Give fewer evaluations at a time, -j",
    errno.ENOMEM: "there is too little memory to start it. Give fewer evaluations at a time, -j",
    errno.EAGAIN: "the system starts no more processes. Give fewer evaluations at a time, -j, or a higher ulimit -u",
    errno.ENOSPC: "there is no space left on the device",
    errno.ENOEXEC: "it is no program of this machine. If it is a script, let it begin with a line such as #!/bin/sh",
    errno.ETXTBSY: "somebody is writing to its file at this moment",
}


def cannot_start(
    words: Sequence[str], environment: Mapping[str, str], folder: str | None, error: OSError | ValueError
) -> str:
    """What is lacking, for an error of starting these words in this folder."""
    program = words[0]
    if folder is not None and not os.path.isdir(folder):
        return f"There is no folder {folder!r} to run {program!r} in."
    if not isinstance(error, OSError):
        return f"{program!r} cannot be run: {error}. Check its parameters."
    why = LACKING.get(error.errno or 0)
    if error.errno == errno.ENOENT:
        place = os.path.join(folder or ".", program) if os.sep in program else program
        there = shutil.which(place, path=environment.get("PATH"))
        if there is None:
            why = "there is no such program. Check its name, its path and the variable PATH"
        else:
            why = f"it is there, but not the interpreter that {_first_line(there)!r} names. Check its first line"
    if error.errno == errno.EACCES:
        why = f"it may not be executed. Try: chmod +x {program}"
    if why is None:
        why = f"{error.strerror or error}. Check its name, its path and that it may be executed"
    return f"{program!r} cannot be run: {why}."


def _first_line(path: str) -> str:
    try:
        with open(path, "rb") as file:
            return file.readline(200).decode(errors="replace").strip()
    except OSError:
        return "its first line"


def check_program(program: str, folder: str | None, environment: Mapping[str, str]) -> None:
    """InvalidCommand unless the program is there and may be run."""
    is_path = os.sep in program
    place = os.path.join(folder or ".", program) if is_path else program
    if shutil.which(place, path=environment.get("PATH")) is None:
        if not is_path:
            hint = f"Check its name, or give its path, such as ./{program}."
        elif os.path.exists(place):
            hint = f"The file is there, but may not be executed. Try: chmod +x {os.path.normpath(place)}"
        else:
            hint = f"There is no file {os.path.normpath(place)}, seen from the folder {Path.cwd().name}."
        raise InvalidCommand(f"There is no program {program!r}. {hint}")
