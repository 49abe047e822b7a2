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
from math import inf
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba import types
from numba.core.errors import NumbaError
from numba.extending import overload, overload_method, register_jitable

import satisfice
from satisfice.errors import BrokenRule
from satisfice.rules import protocol
from satisfice.simulation import leading, pulling, trial
from satisfice.simulation.prefetch import prefetch
from satisfice.stopping import protocol as judges

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
CALLED = OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # from compiled code only: half the work
INLINED = CALLED | {"forceinline": True}


def compiled(function: Callable[..., Any], *parts: Any) -> Callable[..., Any]:
    """A function of `trial` or `oracle`, compiled for these arms, rule, judge and whatever else it is given."""
    _teach_numba()
    _register(function)
    classes = {type(part) for part in parts} | {type(inner) for part in parts for inner in part}
    values = [kind for kind in classes if hasattr(kind, "_fields")]
    for kind in values:
        for method in _own_methods(kind):
            _register_callees(method)
    kinds = frozenset(values)
    ours = all(kind.__module__.partition(".")[0] == "satisfice" for kind in kinds)
    kept = _kept_on_disk(function, kinds, sources_digest()) if ours else _in_this_process(function, kinds)
    return _explained(kept, parts)


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
def _kept_on_disk(function: Callable[..., Any], kinds: frozenset[type], digest: str) -> Callable[..., Any]:
    def function_of_these_sources(*arguments):  # type: ignore[no-untyped-def]  # numba reads no types here
        return function(*arguments) if len(digest) > 0 else None  # captured, so that the digest is part of the key

    try:
        return numba.njit(cache=True, **OPTIONS)(function_of_these_sources)  # type: ignore[no-any-return]
    except RuntimeError:  # no folder to keep code in can be written
        return _in_this_process(function, kinds)


@cache
def _in_this_process(function: Callable[..., Any], kinds: frozenset[type]) -> Callable[..., Any]:
    return numba.njit(**OPTIONS)(function)  # type: ignore[no-any-return]


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


METHODS = (
    "draw",
    "bonus",
    "width",
    "drawn_score",
    "redraws",
    "stay",
    "room",
    "extended",
    "accepts",
    "rejects",
    "needed",
    "pay",
    "trusts",
)
"""The methods that the loop calls on the values it is given."""


@cache
def _teach_numba() -> None:
    """Let compiled code call the loop's functions and the methods of any NamedTuple, once a process."""
    for name in METHODS:
        overload_method(types.BaseNamedTuple, name, strict=False, jit_options=INLINED)(_calling(name))
    for function, choice in CHOICES.items():
        options = CALLED if function is pulling.pull_while_ahead else INLINED  # a loop has the registers to itself
        overload(function, strict=False, jit_options=options)(choice)
    for function in (trial.run_block, *INNER_LOOPS):
        _register_callees(function)


def _calling(name: str) -> Callable[..., Any]:
    def choose(self: Any, *arguments: Any) -> Any:
        method = _compiled_method(self, name)
        return lambda self, *arguments: method(self, *arguments)  # noqa: PLW0108 - methods take different arguments

    return choose


def _follows_the_clock(rule: Any) -> Any:
    answer = hasattr(rule.instance_class, "priority_at")
    return lambda rule: answer


def _draws_scores(rule: Any) -> Any:
    answer = hasattr(rule.instance_class, "drawn_score")
    return lambda rule: answer


def _goes_by_beliefs(rule: Any) -> Any:
    answer = _by_beliefs(rule)
    return lambda rule: answer


def _by_beliefs(rule: Any) -> bool:
    return hasattr(rule.instance_class, "drawn_score") or hasattr(rule.instance_class, "promise")


def _promise_of(rule: Any, strengths: Any, slacks: Any, arm: Any, pulls: Any, level: Any) -> Any:
    if hasattr(rule.instance_class, "promise"):
        method = _compiled_method(rule, "promise")
        return lambda rule, strengths, slacks, arm, pulls, level: float(
            method(rule, strengths, slacks, arm, pulls, level)
        )
    return lambda rule, strengths, slacks, arm, pulls, level: 0.0


def _bonus_of(rule: Any, pulls: Any, setting: Any) -> Any:
    if _by_beliefs(rule):
        return lambda rule, pulls, setting: 0.0
    method = _compiled_method(rule, "bonus")
    return lambda rule, pulls, setting: float(method(rule, pulls, setting))


def _stay_of(rule: Any, pulls: Any) -> Any:
    if _by_beliefs(rule):
        method = _compiled_method(rule, "stay")
        return lambda rule, pulls: int(method(rule, pulls))
    return lambda rule, pulls: 1


def _leader_by_draws(rng: Any, rule: Any, space: Any, level: Any, first: Any, last: Any) -> Any:
    if hasattr(rule.instance_class, "drawn_score"):
        return leading.leader_by_draws
    return lambda rng, rule, space, level, first, last: 0  # never reached, but typed all the same


def _pull_while_ahead(
    rng: Any,
    arms: Any,
    rule: Any,
    judge: Any,
    bonuses: Any,
    space: Any,
    tolerances: Any,
    total_pulls: Any,
    arm: Any,
    most: Any,
    before: Any,
    after: Any,
) -> Any:
    return pulling.loop_for(judge.instance_class)


def _priority_of(rule: Any, shortfall: Any, excess: Any, bonus: Any, total_pulls: Any) -> Any:
    if _by_beliefs(rule):
        return lambda rule, shortfall, excess, bonus, total_pulls: inf
    if hasattr(rule.instance_class, "priority_at"):
        return rule.instance_class.priority_at
    method = _compiled_method(rule, "priority")
    return lambda rule, shortfall, excess, bonus, total_pulls: method(rule, shortfall, excess, bonus)


def _forget_all(judge: Any, latched: Any) -> Any:
    if hasattr(judge.instance_class, "forget"):
        return judge.instance_class.forget

    def clear(judge: Any, latched: Any) -> None:
        latched[:] = 0.0

    return clear


def _settle_accounts(judge: Any, deficits: Any, latched: Any, pulls: Any, arm: Any) -> Any:
    if hasattr(judge.instance_class, "settle"):
        return judge.instance_class.settle
    return lambda judge, deficits, latched, pulls, arm: None


def _fetch_ahead(table: Any, row: Any) -> Any:
    return lambda table, row: prefetch(table, row)  # noqa: PLW0108 - numba wants a function of its own


CHOICES: dict[Any, Callable[..., Any]] = {
    protocol.follows_the_clock: _follows_the_clock,
    protocol.draws_scores: _draws_scores,
    protocol.goes_by_beliefs: _goes_by_beliefs,
    protocol.promise_of: _promise_of,
    protocol.bonus_of: _bonus_of,
    protocol.stay_of: _stay_of,
    protocol.priority_of: _priority_of,
    judges.forget_all: _forget_all,
    judges.settle_accounts: _settle_accounts,
    leading.leader_by_draws: _leader_by_draws,
    pulling.pull_while_ahead: _pull_while_ahead,
    leading.fetch_ahead: _fetch_ahead,
}
"""Functions that do what a rule's kind says: compiled code makes the choice once, when it is compiled."""


def _compiled_method(value_type: Any, name: str) -> Any:
    return _method_of(value_type.instance_class, name)


@cache
def _method_of(kind: type, name: str) -> Any:
    return numba.njit(**INLINED)(getattr(kind, name))


INNER_LOOPS = (pulling.pull_under_boundary, pulling.pull_under_evidence, pulling.pull_under_judge)

_registered: set[Any] = set(CHOICES)


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
    for name in (*METHODS, "priority", "priority_at", "promise"):
        method = getattr(kind, name, None)
        if isinstance(method, FunctionType):
            yield method
