"""Which cases of a long list run every time, and which with the heavy statistics."""

from collections.abc import Iterable
from typing import Any

import pytest

COMPILED_OFTEN = ("multitucb", "multihdoc", "multilucb", "multiapt")
"""Rules under the paper's boundary that the fast part compiles, the paper's own: each takes seconds."""


def quick(cases: Iterable[Any], *chosen: Any) -> list[Any]:
    """All cases, as `parametrize` takes them: those that are not chosen run in the full suite alone."""
    every = list(cases)
    assert all(case in every for case in chosen), f"not a case: {[case for case in chosen if case not in every]}"
    full = {"marks": pytest.mark.full}
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), **({} if case in chosen else full))
        for case in every
    ]
