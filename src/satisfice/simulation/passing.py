"""Our NamedTuples are passed whole between compiled functions, not as hundreds of single values.

numba takes a tuple apart at each call, down to the seven words of each array in it, and puts it together again in the
function that is called, so that a fifth of all compiling was writing and reading these lists. LLVM takes tuples apart
itself where that helps. Tuples of others are passed as ever: code of theirs may be on disk that expects it.
"""

from functools import cache
from typing import Any

from numba import types
from numba.extending import models, register_model


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
