"""What the compiler says about code that it cannot compile, in a sentence about the part that is to be mended."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

from numba.core.errors import NumbaError

from satisfice.errors import BrokenRule
from satisfice.simulation.linking import linking_only


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
