"""Tuples of this package are passed whole between compiled functions, and those of others as numba passes them."""

from typing import NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba.core.datamodel import default_manager

from satisfice.problem.units import Setting
from satisfice.simulation.engine import pass_whole


class Foreign(NamedTuple):
    """Of a user, whose compiled code may be on disk."""

    numbers: np.ndarray
    limit: float


def argument_of(value):
    return default_manager.lookup(numba.typeof(value)).get_argument_type()


def test_ours_are_one_argument_and_others_are_taken_apart():
    pass_whole()
    ours = Setting(arms=2, metrics=1, error_rate=0.1, noise_scale=1.0, wanted=1, find_all=False)
    assert isinstance(argument_of(ours), ir.LiteralStructType)
    assert isinstance(argument_of(Foreign(np.zeros(3), 1.0)), tuple)


def test_others_work_as_before_beside_ours():
    pass_whole()

    @numba.njit
    def beyond(foreign):
        return (foreign.numbers > foreign.limit).sum()

    @numba.njit
    def twice(foreign):
        return 2 * beyond(foreign)

    assert twice(Foreign(np.arange(5.0), 2.0)) == 4
