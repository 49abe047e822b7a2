"""Why a program could not be started, in a sentence that says what is lacking."""

import errno
import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from satisfice.errors import InvalidCommand

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
