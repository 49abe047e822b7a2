"""Units do not matter to a live search: metrics ten thousand times as large, or as small, lead to the same answer.

With powers of two nothing rounds, so that a search makes the very pulls of the simulator and of itself in the plain
units; with 1e-4 and 1e4 the verdict and the number of evaluations are the same.
"""

from itertools import cycle, islice, product

import pytest

import satisfice as sf
from satisfice.simulation.cell import Cell
from tests.helpers.close_calls import NOISES, TRANSFERABLE, close_call, rescaled
from tests.helpers.driving import assert_same, live_run, simulated_run

BUDGET, SEED = 1500, 4
EXACT = {"large": (2.0**13,), "small": (2.0**-13,), "both": (2.0**13, 2.0**-13)}
PLAIN = {"large": (1e4,), "small": (1e-4,), "both": (1e4, 1e-4)}
STOPPED = [("evidence", noise) for noise in NOISES] + [("transfer", noise) for noise in TRANSFERABLE]
ROWS = [
    pytest.param(stopping, noise, size, passes, marks=() if size == "both" and passes else pytest.mark.full)
    for (stopping, noise), size, passes in product(STOPPED, EXACT, (True, False))
    if noise != "bernoulli"
]


def cell_of(stopping: str, noise: str, factors: tuple[float, ...], passes: bool) -> Cell:
    instance = close_call(noise, passes=passes)
    factors = tuple(islice(cycle(factors), len(instance.problem.metrics)))
    rule = {"evidence": sf.Evidence(), "transfer": sf.TransferredEvidence()}[stopping]
    return Cell(rescaled(instance, factors), sf.Pandora(), rule, 1, BUDGET, SEED)


@pytest.mark.parametrize(("stopping", "noise", "size", "passes"), ROWS)
def test_powers_of_two_change_nothing(stopping, noise, size, passes):
    """Live in other units, simulated in other units, and live in the plain ones."""
    cell = cell_of(stopping, noise, EXACT[size], passes)
    live, _ = live_run(cell)
    assert_same(live, simulated_run(cell, engine="compiled"))
    if size != "both" or not {"undeclared", "unknown sd"} & set(NOISES[noise]):
        assert_same(live, live_run(cell_of(stopping, noise, (1.0,), passes))[0])


@pytest.mark.parametrize(("stopping", "noise", "size", "passes"), ROWS)
def test_other_factors_lead_to_the_same_verdict(stopping, noise, size, passes):
    live, _ = live_run(cell_of(stopping, noise, PLAIN[size], passes))
    plain, _ = live_run(cell_of(stopping, noise, (1.0,), passes))
    assert (live.outcome, live.found, len(live.order)) == (plain.outcome, plain.found, len(plain.order))


@pytest.mark.parametrize("stopping", ["evidence", "transfer"])
def test_the_runs_reach_a_verdict(stopping):
    """Else a search that never decides would go unseen."""
    noises = [noise for each, noise in STOPPED if each == stopping and noise in ("normal", "by arm", "undeclared")]
    ends = [
        live_run(cell_of(stopping, noise, PLAIN["both"], passes))[0] for noise in noises for passes in (True, False)
    ]
    assert {(run.outcome, run.found) for run in ends} >= {("FOUND", 2), ("NONE", None)}
    assert sum(run.outcome == "UNDECIDED" for run in ends) < len(ends) / 2
