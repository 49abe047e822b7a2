"""In compiled code a field of a NamedTuple comes before a method that some other class has under the same name.

The methods that compiled code calls are made known to numba by their names alone, for all NamedTuples. A rule of a
user's own may well have a field of such a name: `start`, say, which is a method of a judge.
"""

from functools import cache
from typing import Any

from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import infer_getattr


@cache
def find_fields_first() -> None:
    """From now on, in this process: what is said of a class comes before what is said of all NamedTuples."""
    for kind in (types.NamedTuple, types.NamedUniTuple):
        infer_getattr(type(f"FieldsOf{kind.__name__}", (_Fields,), {"key": kind}))


class _Fields(AttributeTemplate):  # type: ignore[misc]  # numba has no types
    def generic_resolve(self, value: Any, name: str) -> Any:
        return value[value.fields.index(name)] if name in value.fields else None
