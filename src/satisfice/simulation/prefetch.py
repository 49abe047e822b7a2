"""The processor's own instruction to fetch memory that will be needed soon."""

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

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


def _prefetch(context: Any, table: Any, row: Any) -> Any:
    return types.void(table, types.intp), _code


prefetch = intrinsic(_prefetch)
