"""The trial loop at compiled speed, from the very source that runs interpreted.

Nothing is decorated and nothing is registered by hand: every plain function that the loop reaches is made known to
numba when it is first needed, and so are the methods of whatever NamedTuples are passed in, a user's own included.

Compiled code is kept on disk only for rules, boundaries and arms of this package, in files whose names contain a digest
of all its sources: an edited source never meets old code. A user's own classes are compiled anew in each process.

In compiled code a field of a NamedTuple comes before a method that some other class has under the same name.

The methods that compiled code calls are made known to numba by their names alone, for all NamedTuples. A rule of a
user's own may well have a field of such a name: `start`, say, which is a method of a judge.

Our NamedTuples are passed whole between compiled functions, not as hundreds of single values.

numba takes a tuple apart at each call, down to the seven words of each array in it, and puts it together again in the
function that is called, so that a fifth of all compiling was writing and reading these lists. LLVM takes tuples apart
itself where that helps. Tuples of others are passed as ever: code of theirs may be on disk that expects it.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr, models, overload, overload_method, register_jitable, register_model

import satisfice
from satisfice.catalogue import DISPATCHERS, offers
from satisfice.noise.kinds import METHODS as NOISE_METHODS
from satisfice.noise.kinds import NoiseTable
from satisfice.rules.protocol import (
    MARGIN,
    ClockRule,
    DrawnRule,
    IndexRule,
    MarginRule,
    OpeningRule,
    PricedRule,
    SteadyRule,
)
from satisfice.search.absorb import pool_by_rule
from satisfice.simulation import runs, trial
from satisfice.simulation.by_address import method_of_tables, write_addresses
from satisfice.simulation.linking import (
    COMPUTING,
    DRAWING,
    CompiledOnceAHost,
    alone_on_host,
    explained,
    explaining,
    linking_only,
)
from satisfice.simulation.observed import ObservedArms
from satisfice.simulation.prefetch import prefetch
from satisfice.simulation.protocol import Arms
from satisfice.stopping.evidence import EvidenceJudge
from satisfice.stopping.protocol import Boundary
from satisfice.stopping.transfer import TransferJudge


@cache
def find_fields_first() -> None:
    """From now on, in this process: what is said of a class comes before what is said of all NamedTuples."""
    for kind in (types.NamedTuple, types.NamedUniTuple):
        infer_getattr(type(f"FieldsOf{kind.__name__}", (_Fields,), {"key": kind}))


class _Fields(AttributeTemplate):  # type: ignore[misc]  # numba has no types
    def generic_resolve(self, value: Any, name: str) -> Any:
        return value[value.fields.index(name)] if name in value.fields else None


def is_ours(defined: Any) -> bool:
    """Whether a class or function is of this package."""
    return str(defined.__module__).partition(".")[0] == "satisfice"


@cache
def pass_whole() -> None:
    """From now on, in this process; to be called before a function with such arguments is compiled."""
    register_model(types.NamedTuple)(_WholeTuple)


class _WholeTuple(models.TupleModel):  # type: ignore[misc]  # numba has no types
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind)
        self.whole = is_ours(kind.instance_class)

    def get_argument_type(self) -> Any:
        return self.get_value_type() if self.whole else super().get_argument_type()

    def as_argument(self, builder: Any, value: Any) -> Any:
        return value if self.whole else super().as_argument(builder, value)

    def from_argument(self, builder: Any, value: Any) -> Any:
        return value if self.whole else super().from_argument(builder, value)


DIGITS = 16
"""How much of the digest is in names of files."""

OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
ALLOCATING = OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": True}
"""For functions that are called from compiled code only, which is half the work, and may make arrays."""
CALLED = ALLOCATING | {"_nrt": False}
INLINED = CALLED | {"forceinline": True}
"""Functions that make no arrays need not count who holds one: a tenth of the time, where arrays come in bundles."""

SELDOM = {
    *("within", "below", "most_below", "needed_within", "needed_below", "needed", "extended"),
    *("average_reaches", "product_below", "entrust", "given", "start", "trusts"),
    *("forget", "memory_columns"),
}
"""Methods that are called seldom, and kept out of the loops that are not."""
SELDOM_FUNCTIONS = {"_pooled", "pool", "unlikeness", "least_asked", "best_guess", "keep_record", "keep_guess"}
SELDOM_FUNCTIONS |= {"find_new", "arm_at", "permuted", "owed"}
SELDOM_FUNCTIONS |= {"pool_metric", "pool_groups_when_due", "spent_on_groups"}
SELDOM_FUNCTIONS |= {"best_of_groups", "sum_reaches", "product_reaches", "absorb_group", "next_group"}
SELDOM_FUNCTIONS |= {"score_of_groups"}
SELDOM_FUNCTIONS |= {"forget", "affordable", "spent_on", "spent_on_asked"}
SELDOM_DISPATCHERS = {pool_by_rule, runs.begin_run, runs.go_on, runs.guess_of, runs.note_end}
ALLOCATING_FUNCTIONS = {"longer_judge", "bonus_table", "add_oracle_runs", "draw", "draw_count", "used"}
"""Functions that make arrays, or lists: numba draws some distributions with those."""

CALLERS = (
    *(IndexRule, MarginRule, PricedRule, SteadyRule, OpeningRule, ClockRule, DrawnRule, Boundary, Arms, ObservedArms),
    *(NoiseTable, EvidenceJudge, TransferJudge),
)
METHODS: dict[str, FunctionType] = {
    name: method
    for caller in CALLERS
    for name, method in vars(caller).items()
    if isinstance(method, FunctionType) and not name.startswith("_") and name not in ("rescaled", "means")
}
"""The methods that compiled code calls on the values it is given."""


def compiled(function: Callable[..., Any], *parts: Any) -> Callable[..., Any]:
    """A function of `runs`, `trial` or `oracle`, compiled for these arms, rule, judge and whatever else it is given."""
    _teach_numba()
    _register(function)
    kinds = frozenset(map(type, _values(parts)))
    for kind in kinds:
        for method in _own_methods(kind):
            _register_callees(method)
        for chosen in DISPATCHERS.values():
            with suppress(LookupError):  # a dispatcher for values of another kind
                _register(chosen(kind))
    level = COMPUTING if any(offers(kind, MARGIN.methods) for kind in kinds) else DRAWING
    with explaining(parts), linking_only(level):
        for table in _values(parts):
            if isinstance(table, NoiseTable):
                write_addresses(table, _address_of)
    ours = all(map(is_ours, kinds))
    kept = _kept_on_disk(function, kinds, sources_digest()) if ours else _in_this_process(function, kinds)
    return explained(kept, parts, level)


def _values(values: tuple[Any, ...]) -> Iterator[Any]:
    """All NamedTuples among the values, and inside them."""
    for value in values:
        if isinstance(value, tuple) and type(value) is not tuple:
            yield value
            yield from _values(tuple(value))


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
    _remove_old_code(digest)
    try:
        return CompiledOnceAHost(numba.njit(cache=True, **OPTIONS)(_named(function, digest, kinds)))
    except RuntimeError:  # no folder to keep code in can be written
        return _in_this_process(function, kinds)


def _named(function: Callable[..., Any], digest: str, made_for: Iterable[Any]) -> FunctionType:
    """The same function under a name of its own for these sources and classes, which is part of its files' names.

    Else two processes could mix up their code: numba numbers it in an index, which it writes apart from the code.
    """
    plain: Any = function
    copied = FunctionType(plain.__code__, plain.__globals__, plain.__name__, None, plain.__closure__)
    others = sorted(f"{each.__module__}.{each.__qualname__}" for each in made_for)
    own = hashlib.sha256(repr(others).encode()).hexdigest()
    copied.__qualname__ = f"{plain.__name__}_{digest[:DIGITS]}_{own[:DIGITS]}"
    return copied


@cache
def _remove_old_code(digest: str) -> None:
    """Remove what was compiled from other sources: classes that it names may be gone."""
    for path in Path(satisfice.__file__).parent.rglob("__pycache__/*.nb?"):
        if digest[:DIGITS] not in path.name:
            with suppress(OSError):
                path.unlink()


@cache
def _in_this_process(function: Callable[..., Any], kinds: frozenset[type]) -> Callable[..., Any]:
    return numba.njit(**OPTIONS)(function)  # type: ignore[no-any-return]  # numba has no types


@cache
def _address_of(function: Callable[..., Any], signature: Any) -> int:
    """Where a function of a noise model is, compiled on its own; kept on disk if it is of this package."""
    _register_callees(function)
    made: Any = None
    if wholly_ours(function):
        named = _named(function, sources_digest(), _named_functions(function))
        with suppress(RuntimeError), alone_on_host(named.__qualname__):  # no folder to keep code in can be written
            made = numba.cfunc(signature, cache=True, error_model="numpy")(named)
    _addressed.append(made or numba.cfunc(signature, error_model="numpy")(function))
    return int(_addressed[-1].address)


def wholly_ours(function: Callable[..., Any]) -> bool:
    """Whether a function and what it calls are of this package, so that the digest tells when they change."""
    return all(map(is_ours, (function, *_named_functions(function))))


_addressed: list[Any] = []  # keeps the code at these addresses alive


@cache
def _teach_numba() -> None:
    """Let compiled code call the search's functions and the methods of any NamedTuple, once a process."""
    pass_whole()
    find_fields_first()
    for name, method in METHODS.items():
        options = ALLOCATING if name == "extended" else CALLED if name in SELDOM else INLINED
        overload_method(types.BaseNamedTuple, name, strict=False, jit_options=options)(_calling(name, method))
    for function, chosen in DISPATCHERS.items():
        options = CALLED if function in SELDOM_DISPATCHERS else INLINED
        overload(function, strict=False, jit_options=options)(_choosing(chosen))
    overload(trial.fetch_ahead, strict=False, jit_options=INLINED)(lambda table, row: _prefetch)
    _register_callees(runs.run_block)


def _calling(name: str, method: FunctionType) -> Any:
    """What tells numba which function a method is; it wants it with as many arguments as the method has."""
    arguments = ", ".join(f"argument_{place}" for place in range(1, method.__code__.co_argcount))
    source = f"lambda self, {arguments}: implementation(self.instance_class, {name!r}, {arguments!r})"
    return eval(source, {"implementation": _implementation})  # the line above, nothing that a user wrote


def _implementation(kind: type, name: str, arguments: str) -> Any:
    """A method of our own as it is; one of a user's own in a function that may make arrays."""
    method = _method(kind, name)
    if is_ours(kind):
        return method
    return eval(f"lambda self, {arguments}: method(self, {arguments})", {"method": _allocating(method)})


@cache
def _allocating(method: FunctionType) -> Any:
    return numba.njit(**ALLOCATING)(method)


def _choosing(chosen: Callable[[type], Any]) -> Callable[..., Any]:
    def choose(value: Any, *arguments: Any) -> Any:
        return chosen(value.instance_class)

    return choose


def _prefetch(table: Any, row: Any) -> None:
    prefetch(table, row)


_registered: set[Any] = {*DISPATCHERS, trial.fetch_ahead}


def _register(function: Any) -> None:
    """Make a plain function callable from compiled code, and every plain function that it names, and so on down."""
    if function not in _registered:
        _registered.add(function)
        register_jitable(**_options(function))(function)
        _register_callees(function)


def _options(function: Any) -> dict[str, Any]:
    """Functions that are called for every pull are inlined; for the others that would only take time."""
    module, name = function.__module__, function.__name__
    outside = not str(module).startswith("satisfice.")
    if outside or name in ALLOCATING_FUNCTIONS:
        return ALLOCATING
    if module.startswith("satisfice.noise."):
        inlined = module == "satisfice.noise.kinds" or name in ("enough_within", "enough_below", "margin")
        return INLINED if inlined else CALLED
    return CALLED if name in SELDOM_FUNCTIONS else INLINED


def _register_callees(function: Any) -> None:
    for callee in _named_functions(function):
        _register(callee)


def _named_functions(function: Any) -> Iterator[FunctionType]:
    """The plain Python functions that a function calls by a global name or closes over."""
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    for value in named + [cell.cell_contents for cell in function.__closure__ or ()]:
        if isinstance(value, FunctionType):
            yield value


def _own_methods(kind: type) -> Iterator[FunctionType]:
    for name in METHODS:
        method = _method(kind, name)
        if isinstance(method, FunctionType):
            yield method


def _method(kind: type, name: str) -> Any:
    """What compiled code calls as a method of that class."""
    of_table = issubclass(kind, NoiseTable) and name in NOISE_METHODS
    return method_of_tables(name) if of_table else getattr(kind, name, None)
