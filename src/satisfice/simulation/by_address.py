"""How compiled code calls what a noise model knows: by address, so that the search is compiled once for all models.

Each function of a process is compiled on its own when a problem first has a metric of it. Only the first process of the
package, noise of a known scale, is part of the loop itself: it is the paper's, and the fastest.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from satisfice.noise.kinds import KINDS, METHODS, NoiseTable

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
    return RETURNS.get(name, types.float64)(*(TYPES.get(argument, types.float64) for argument in METHODS[name]))


def write_addresses(noise: NoiseTable, address_of: Callable[[Any, Any], int]) -> None:
    """Fill a table's addresses: those of this process of the machine, whatever stood there."""
    for metric, kind in enumerate(noise.kinds.tolist()):
        if kind != FIRST:
            functions = {name: getattr(KINDS[kind], name) for name in METHODS}
            noise.addresses[metric] = [address_of(function, signature_of(name)) for name, function in functions.items()]


@cache
def method_of_tables(name: str) -> Any:
    """A method of `NoiseTable`, for compiled code."""
    handed = ", ".join(METHODS[name])
    given = ", ".join(argument for argument in METHODS[name] if argument != "numbers")
    source = f"""
def {name}(self, metric, {given}):
    numbers = self.numbers[metric]
    if self.kinds[metric] == {FIRST}:
        return first({handed})
    return call(self.addresses[metric, {list(METHODS).index(name)}], {handed})
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
    return intrinsic(eval(f"lambda context, address, {', '.join(METHODS[name])}: typed", {"typed": typed}))
