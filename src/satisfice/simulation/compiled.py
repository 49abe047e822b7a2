"""The trial loop at compiled speed, from the very source that runs interpreted.

Nothing is decorated and nothing is registered by hand: every plain function that the loop reaches is made known to
numba when it is first needed, and so are the methods of whatever NamedTuples are passed in, a user's own included.

Compiled code is kept on disk only for rules, boundaries and arms of this package, under a key that contains a digest of
all its sources: an edited source never meets old code. A user's own classes are compiled anew in each process.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba import types
from numba.core.errors import NumbaError
from numba.extending import overload, overload_method, register_jitable

import satisfice
from satisfice.core.rules import protocol
from satisfice.errors import BrokenRule
from satisfice.simulation import trial

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
INLINED = OPTIONS | {"forceinline": True}


def compiled_run_block(*parts: Any) -> Callable[..., int]:
    """`trial.run_block`, compiled for these arms, rule and boundary."""
    _teach_numba()
    for part in parts:
        for method in _own_methods(type(part)):
            _register_callees(method)
    kinds = tuple(type(part) for part in parts)
    ours = all(kind.__module__.partition(".")[0] == "satisfice" for kind in kinds)
    return _explained(_kept_on_disk(kinds, sources_digest()) if ours else _in_this_process(kinds), parts)


@cache
def sources_digest() -> str:
    """A digest of all sources of the package and of the compiler's version, part of the key of code kept on disk."""
    digest = hashlib.sha256(numba.__version__.encode())
    root = Path(satisfice.__file__).parent
    for source in sorted(root.rglob("*.py")):
        digest.update(str(source.relative_to(root)).encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()


# One dispatcher for each choice of classes: a dispatcher takes two NamedTuple classes with one name and the same fields
# for the same, and would run the code of the first for both (a rule edited in a notebook, say).
@cache
def _kept_on_disk(kinds: tuple[type, ...], digest: str) -> Callable[..., int]:
    run_block = trial.run_block

    def run_block_of_these_sources(*arguments):  # type: ignore[no-untyped-def]  # numba reads no types here
        return run_block(*arguments) if len(digest) > 0 else -1  # captured, so that the digest is part of the key

    try:
        return numba.njit(cache=True, **OPTIONS)(run_block_of_these_sources)  # type: ignore[no-any-return]
    except RuntimeError:  # no folder to keep code in can be written
        return _in_this_process(kinds)


@cache
def _in_this_process(kinds: tuple[type, ...]) -> Callable[..., int]:
    return numba.njit(**OPTIONS)(trial.run_block)  # type: ignore[no-any-return]


def _explained(compiled: Callable[..., int], parts: tuple[Any, ...]) -> Callable[..., int]:
    def run(*arguments: Any) -> int:
        try:
            return compiled(*arguments)
        except NumbaError as error:
            names = ", ".join(type(part).__name__ for part in parts)
            raise BrokenRule(
                f"One of {names} cannot be compiled. Its methods may use numbers, the math module and plain functions "
                f"of numbers, all without keyword arguments. The compiler says: {_cause(error)}"
            ) from error

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


@cache
def _teach_numba() -> None:
    """Let compiled code call the loop's functions and the methods of any NamedTuple, once a process."""
    for name in ("draw", "bonus", "width"):
        overload_method(types.BaseNamedTuple, name, strict=False, jit_options=INLINED)(_calling(name))
    overload(protocol.follows_the_clock, strict=False, jit_options=INLINED)(_follows_the_clock)
    overload(protocol.priority_of, strict=False, jit_options=INLINED)(_priority_of)
    _register(trial.run_block)


def _calling(name: str) -> Callable[..., Any]:
    def choose(self: Any, *arguments: Any) -> Any:
        method = _compiled_method(self, name)
        return lambda self, *arguments: method(self, *arguments)  # noqa: PLW0108 - numba wants a function of its own

    return choose


def _follows_the_clock(rule: Any) -> Any:
    answer = hasattr(rule.instance_class, "priority_at")
    return lambda rule: answer


def _priority_of(rule: Any, shortfall: Any, excess: Any, bonus: Any, total_pulls: Any) -> Any:
    if hasattr(rule.instance_class, "priority_at"):
        at = _compiled_method(rule, "priority_at")
        return lambda rule, shortfall, excess, bonus, total_pulls: at(rule, shortfall, excess, bonus, total_pulls)  # noqa: PLW0108
    method = _compiled_method(rule, "priority")
    return lambda rule, shortfall, excess, bonus, total_pulls: method(rule, shortfall, excess, bonus)


def _compiled_method(value_type: Any, name: str) -> Any:
    return numba.njit(**INLINED)(getattr(value_type.instance_class, name))


_registered: set[Any] = {protocol.follows_the_clock, protocol.priority_of}


def _register(function: Any) -> None:
    """Make a plain function callable from compiled code, and every plain function that it names, and so on down."""
    if function not in _registered:
        _registered.add(function)
        register_jitable(**INLINED)(function)
        _register_callees(function)


def _register_callees(function: Any) -> None:
    for callee in _named_functions(function):
        _register(callee)


def _named_functions(function: Any) -> Iterator[FunctionType]:
    """The plain Python functions that a function calls by a global name or closes over."""
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    closed = [cell.cell_contents for cell in function.__closure__ or ()]
    for value in named + closed:
        if isinstance(value, FunctionType):
            yield value


def _own_methods(kind: type) -> Iterator[FunctionType]:
    for name in ("draw", "bonus", "priority", "priority_at", "width"):
        method = getattr(kind, name, None)
        if isinstance(method, FunctionType):
            yield method
