"""How our functions become machine code: once, and by the passes that serve them.

numba optimises every function and makes machine code of it before it is linked into its callers, which are optimised
and made into machine code as a whole once more. Of ours only the outermost function is called from outside, so that
three tenths of the time were for nothing. And our loops are over a handful of metrics: made to work on many numbers at
once they are slower (a pull of MultiTUCB by 7 in 100), and take longer to compile. There is no option for either: while
one of our functions is compiled, this takes the place of four methods of numba, in the versions with which it was
tried, and in no other.

What the compiler says about code that it cannot compile, in a sentence about the part that is to be mended.

Compiling once for all processes of a host: the first one compiles, the others wait and read what it kept on disk.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from threading import local
from typing import Any

import numba
from numba import _dynfunc
from numba.core import codegen, cpu, typed_passes
from numba.core.errors import NumbaError

import satisfice
from satisfice.errors import BrokenRule

TRIED = ("0.68.",)

DRAWING, COMPUTING = 1, 3
"""LLVM's levels for a loop that mostly draws, and for one that computes: by measurement each is better with its own."""

_here = local()
"""The level at which this thread compiles one of our functions, if it does."""


@contextmanager
def linking_only(level: int) -> Iterator[None]:
    """Inside, functions that cannot be called from outside are linked into their callers, and nothing else."""
    if not numba.__version__.startswith(TRIED):
        yield
        return
    _take_place()
    before, _here.level = _level(), level
    try:
        yield
    finally:
        _here.level = before


def _level() -> int | None:
    return getattr(_here, "level", None)


@cache
def _take_place() -> None:
    lower: Any = typed_passes.BaseNativeLowering.run_pass
    executable: Any = cpu.CPUContext.get_executable
    finalize: Any = codegen.CPUCodeLibrary.finalize
    builder: Any = codegen.CPUCodegen._pass_builder
    linked: Any = "_satisfice_links_only"

    def run_pass(self: Any, state: Any) -> Any:
        if _level() is not None and state.flags.no_cpython_wrapper and state.flags.no_cfunc_wrapper:
            if state.library is None:
                state.library = state.targetctx.codegen().create_library(state.func_id.func_qualname)
                state.library.enable_object_caching()
            setattr(state.library, linked, True)
        return lower(self, state)

    def get_executable(self: Any, library: Any, description: Any, environment: Any) -> Any:
        if not getattr(library, linked, False):
            return executable(self, library, description, environment)
        library._ensure_finalized()
        module, name = description.lookup_module(), description.qualname.split(".")[-1]
        return _dynfunc.make_function(module, name, "called from compiled code only", 0, environment, (library,))

    def link(self: Any) -> None:
        if not getattr(self, linked, False):
            finalize(self)
            return
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True

    def pass_builder(self: Any, **options: Any) -> Any:
        ours = {} if _level() is None else {"opt": _level(), "loop_vectorize": False}
        return builder(self, **(ours | options))

    typed_passes.BaseNativeLowering.run_pass = run_pass
    cpu.CPUContext.get_executable = get_executable
    codegen.CPUCodeLibrary.finalize = link
    codegen.CPUCodegen._pass_builder = pass_builder


@contextmanager
def explaining(parts: tuple[Any, ...]) -> Iterator[None]:
    try:
        yield
    except NumbaError as error:
        names = ", ".join(type(part).__name__ for part in parts)
        raise BrokenRule(
            f"One of {names} cannot be compiled. Its methods may use numbers, the math module and plain functions "
            f"of numbers, all without keyword arguments. The compiler says: {_cause(error)}"
        ) from error


def explained(compiled: Callable[..., int], parts: tuple[Any, ...], level: int) -> Callable[..., int]:
    def run(*arguments: Any) -> int:
        with explaining(parts), linking_only(level):
            return compiled(*arguments)

    return run


def _cause(error: NumbaError) -> str:
    """The innermost of the compiler's nested complaints, and the source line it points at."""
    lines = str(error).splitlines()
    complaints = [
        line for line in lines if line.strip().startswith(("No impl", "Unknown", "Untyped", "Cannot", "NameError"))
    ]
    innermost = max(complaints or lines[:1], key=lambda line: len(line) - len(line.lstrip()))
    pointed = next((above for above, line in pairwise(lines) if line.strip() == "^"), "")
    return f"{innermost.strip()} In: {pointed.strip()}"


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
