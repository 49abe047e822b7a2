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

How compiled code calls what a noise model knows: by address, so that the search is compiled once for all models.

Each function of a process is compiled on its own when a problem first has a metric of it. Only the first process of the
package, noise of a known scale, is part of the loop itself: it is the paper's, and the fastest.

The processor's own instruction to fetch memory that will be needed soon.
"""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import FunctionType
from typing import Any

import numba
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    infer_getattr,
    intrinsic,
    models,
    overload,
    overload_method,
    register_jitable,
    register_model,
)
from numba.np.arrayobj import make_array

import satisfice
from satisfice.catalogue import DISPATCHERS, offers
from satisfice.noise.kinds import KINDS, NoiseTable
from satisfice.noise.kinds import METHODS as NOISE_METHODS
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
from satisfice.simulation.protocol import Arms
from satisfice.stopping.evidence import EvidenceJudge
from satisfice.stopping.protocol import Boundary
from satisfice.stopping.transfer import TransferJudge

FIRST = 0
TYPES: dict[str, Any] = {
    "pulls": types.int64,
    "last": types.int64,
    "more": types.Array(types.float64, 1, "A"),
    "numbers": types.Array(types.float64, 1, "C"),
}
"""What the arguments of a process are in compiled code; all others are numbers."""
RETURNS: dict[str, Any] = {
    "margin_and_sd": types.UniTuple(types.float64, 2),
    "fold": types.void,
    "enough_within": types.boolean,
    "enough_below": types.boolean,
    "between": types.UniTuple(types.float64, 2),
}


def signature_of(name: str) -> Any:
    """The types of a function of a process."""
    return RETURNS.get(name, types.float64)(*(TYPES.get(argument, types.float64) for argument in NOISE_METHODS[name]))


def write_addresses(noise: NoiseTable, address_of: Callable[[Any, Any], int]) -> None:
    """Fill a table's addresses: those of this process of the machine, whatever stood there."""
    for metric, kind in enumerate(noise.kinds.tolist()):
        if kind != FIRST:
            functions = {name: getattr(KINDS[kind], name) for name in NOISE_METHODS}
            noise.addresses[metric] = [address_of(function, signature_of(name)) for name, function in functions.items()]


@cache
def method_of_tables(name: str) -> Any:
    """A method of `NoiseTable`, for compiled code."""
    handed = ", ".join(NOISE_METHODS[name])
    given = ", ".join(argument for argument in NOISE_METHODS[name] if argument != "numbers")
    source = f"""
def {name}(self, metric, {given}):
    numbers = self.numbers[metric]
    if self.kinds[metric] == {FIRST}:
        return first({handed})
    return call(self.addresses[metric, {list(NOISE_METHODS).index(name)}], {handed})
"""
    functions = {"first": getattr(KINDS[FIRST], name), "call": _call(name), "__name__": __name__}
    exec(source, functions)  # the template above, nothing that a user wrote
    return functions[name]


def _call(name: str) -> Any:
    """What calls a function with the arguments of this method that is at an address."""
    expected = signature_of(name)

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        kinds = [context.get_value_type(kind) for kind in expected.args]
        function = ir.FunctionType(context.get_value_type(expected.return_type), kinds)
        return builder.call(builder.inttoptr(arguments[0], function.as_pointer()), arguments[1:])

    typed = expected.return_type(types.int64, *expected.args), code
    return intrinsic(eval(f"lambda context, address, {', '.join(NOISE_METHODS[name])}: typed", {"typed": typed}))


READ, KEEP_IN_ALL_CACHES, DATA = 0, 3, 1
"""The arguments of LLVM's prefetch."""


def _code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    table, row = arguments
    array = make_array(signature.args[0])(context, builder, table)
    start = builder.ptrtoint(array.data, ir.IntType(64))
    offset = builder.mul(row, builder.extract_value(array.strides, 0))
    place = builder.inttoptr(builder.add(start, offset), cgutils.voidptr_t)
    number = ir.IntType(32)
    kind = ir.FunctionType(ir.VoidType(), [cgutils.voidptr_t, number, number, number])
    instruction = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    builder.call(instruction, [place, number(READ), number(KEEP_IN_ALL_CACHES), number(DATA)])
    return context.get_dummy_value()


def _fetch(context: Any, table: Any, row: Any) -> Any:
    return types.void(table, types.intp), _code


prefetch = intrinsic(_fetch)


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
