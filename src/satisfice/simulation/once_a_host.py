"""Compiling once for all processes of a host: the first one compiles, the others wait and read what it kept on disk."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import satisfice

ENDING = ".nbl"
"""Of the files that are locked. Those of old sources are removed together with the old code."""


@contextmanager
def alone_on_host(name: str) -> Iterator[None]:
    """Wait until no other process of this host is in here under that name; where that cannot be known, go ahead."""
    try:
        import fcntl  # noqa: PLC0415 - there is none on Windows

        folder = Path(satisfice.__file__).parent / "__pycache__"
        handle = os.open(folder / f"{name}{ENDING}", os.O_CREAT | os.O_RDWR, 0o666)
    except (ImportError, OSError):
        yield
        return
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)  # which ends the lock, as does the end of the process


class CompiledOnceAHost:
    """A function of numba whose code is kept on disk, and made by one process while the others wait for it."""

    def __init__(self, dispatcher: Any) -> None:
        self.dispatcher = dispatcher

    def __call__(self, *arguments: Any) -> Any:
        if not self.dispatcher.overloads:
            with alone_on_host(self.dispatcher.py_func.__qualname__):
                self.dispatcher.compile(tuple(map(self.dispatcher.typeof_pyval, arguments)))
        return self.dispatcher(*arguments)
