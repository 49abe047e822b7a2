"""Passwords that somebody typed do not stay in the list of processes, which everyone on a machine can read."""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

ARGUMENTS_START, ARGUMENTS_END = 45, 46
"""Of the fields of /proc/self/stat after the name of the program (proc_pid_stat(5): arg_start and arg_end)."""


def hide_passwords() -> None:
    """Write stars over the passwords among the arguments of this process, on Linux; they are read by now.

    Until it is called others can see them, and on other systems for as long as the process runs.
    """
    with suppress(OSError, ValueError, IndexError):
        line = Path("/proc/self/cmdline").read_bytes()
        if b"@" in line or b"password" in line.lower():
            _write_over(line, b"\0".join(_starred(line.split(b"\0"))))


def _starred(arguments: list[bytes]) -> Iterator[bytes]:
    from satisfice.study.storage.passwords import starred

    for argument in arguments:
        text = argument.decode("latin-1")  # a character for each byte: what is written over must be as long
        yield starred(text).encode("latin-1")


def _write_over(line: bytes, instead: bytes) -> None:
    """Where the system keeps the arguments, if that is what stands there."""
    import ctypes

    fields = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    start, end = int(fields[ARGUMENTS_START]), int(fields[ARGUMENTS_END])
    if instead != line and 0 < start < end and ctypes.string_at(start, end - start) == line:
        ctypes.memmove(start, instead, len(instead))
