"""The trial loop at compiled speed, from the very source that runs interpreted.

Nothing is decorated and nothing is registered by hand: every plain function that the loop reaches is made known to numba
when it is first needed, and so are the methods of whatever NamedTuples are passed in, a user's own included.

Compiled code is kept on disk only for rules, boundaries and arms of this package, under a key that contains a digest of
all its sources: an edited source never meets old code. A user's own classes are compiled anew in each process.
"""

import hashlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType
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
    ours = all(type(part).__module__.partition(".")[0] == "satisfice" for part in parts)
    return _explained(_kept_on_disk(sources_digest()) if ours else _in_this_process(), parts)


@cache
def sources_digest() -> str:
    """A digest of all sources of the package and of the compiler's version: part of the key of all code kept on disk."""
    digest = hashlib.sha256(numba.__version__.encode())
    root = Path(satisfice.__file__).parent
    for source in sorted(root.rglob("*.py")):
        digest.update(str(source.relative_to(root)).encode())
        digest.update(source.read_bytes())
    return digest.hexdigest()


@cache
def _kept_on_disk(digest: str) -> Callable[..., int]:
    run_block = trial.run_block

    def run_block_of_these_sources(*arguments):  # type: ignore[no-untyped-def]  # numba reads no types here
        return (
            run_block(*arguments) if len(digest) > 0 else -1
        )  # captured, so that the digest is part of the key

    try:
        return numba.njit(cache=True, **OPTIONS)(run_block_of_these_sources)  # type: ignore[no-any-return]
    except RuntimeError:  # no folder to keep code in can be written
        return _in_this_process()


@cache
def _in_this_process() -> Callable[..., int]:
    return numba.njit(**OPTIONS)(trial.run_block)  # type: ignore[no-any-return]


def _explained(compiled: Callable[..., int], parts: tuple[Any, ...]) -> Callable[..., int]:
    def run(*arguments: Any) -> int:
        try:
            return compiled(*arguments)
        except NumbaError as error:
            names = ", ".join(type(part).__name__ for part in parts)
            raise BrokenRule(
                f"One of {names} cannot be compiled. Its methods may use numbers, the math module and plain functions of "
                f"numbers, and it must be a NamedTuple with at least one field. What the compiler says:\n{error}"
            ) from error

    return run


@cache
def _teach_numba() -> None:
    """Let compiled code call the loop's functions and the methods of any NamedTuple, once a process."""

    @overload(protocol.follows_the_clock, strict=False, jit_options=INLINED)
    def follows_the_clock(rule: Any) -> Any:
        answer = hasattr(rule.instance_class, "priority_at")
        return lambda rule: answer

    @overload(protocol.priority_of, strict=False, jit_options=INLINED)
    def priority_of(rule: Any, shortfall: Any, excess: Any, bonus: Any, total_pulls: Any) -> Any:
        if hasattr(rule.instance_class, "priority_at"):
            method = numba.njit(**INLINED)(rule.instance_class.priority_at)
            return lambda rule, shortfall, excess, bonus, total_pulls: method(
                rule, shortfall, excess, bonus, total_pulls
            )
        method = numba.njit(**INLINED)(rule.instance_class.priority)
        return lambda rule, shortfall, excess, bonus, total_pulls: method(rule, shortfall, excess, bonus)

    @overload_method(types.BaseNamedTuple, "draw", strict=False, jit_options=INLINED)
    def draw(self: Any, rng: Any, arm: Any, results: Any) -> Any:
        method = numba.njit(**INLINED)(self.instance_class.draw)
        return lambda self, rng, arm, results: method(self, rng, arm, results)

    @overload_method(types.BaseNamedTuple, "bonus", strict=False, jit_options=INLINED)
    def bonus(self: Any, pulls: Any, setting: Any) -> Any:
        method = numba.njit(**INLINED)(self.instance_class.bonus)
        return lambda self, pulls, setting: method(self, pulls, setting)

    @overload_method(types.BaseNamedTuple, "width", strict=False, jit_options=INLINED)
    def width(self: Any, pulls: Any, setting: Any) -> Any:
        method = numba.njit(**INLINED)(self.instance_class.width)
        return lambda self, pulls, setting: method(self, pulls, setting)

    _register(trial.run_block)


_registered: set[FunctionType] = {protocol.follows_the_clock, protocol.priority_of}  # type: ignore[arg-type]


def _register(function: FunctionType) -> None:
    """Make a plain function callable from compiled code, and every plain function that it names, and so on down."""
    if function not in _registered:
        _registered.add(function)
        register_jitable(**INLINED)(function)
        _register_callees(function)


def _register_callees(function: FunctionType) -> None:
    for callee in _named_functions(function):
        _register(callee)


def _named_functions(function: FunctionType) -> Iterator[FunctionType]:
    for name in function.__code__.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, FunctionType):
            yield value
        elif isinstance(value, ModuleType):
            for attribute in function.__code__.co_names:
                member = getattr(value, attribute, None)
                if (
                    isinstance(member, FunctionType)
                    and member.__module__ == value.__name__
                    and value.__name__ not in {"numpy", "math"}
                ):
                    yield member


def _own_methods(kind: type) -> Iterator[FunctionType]:
    for name in ("draw", "bonus", "priority", "priority_at", "width"):
        method = getattr(kind, name, None)
        if isinstance(method, FunctionType):
            yield method
