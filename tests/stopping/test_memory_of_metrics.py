"""A metric that has been certain once stays so: an arm is accepted when every metric has been certain at some time."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.simulation.cell import Cell, run_once
from tests.equivalence import naive_evidence as naive
from tests.helpers.close_calls import facts_of
from tests.helpers.driving import Run, assert_same

FIRST, THEN = 30, 60
NOISES = {
    "normal(1)": ((1.5, -0.05), (-0.9, 0.6)),
    "normal": ((1.5, -0.05), (-1.4, 0.6)),
    "bernoulli": ((1.0, 0.5), (0.0, 1.0)),
    "bounded(0, 1)": ((0.75, 0.5), (0.0, 1.0)),
}
"""By noise model: what the two metrics return first, and then; between bounds the threshold is 1/2, else 0."""


def tape_of(noise: str) -> list[tuple[float, float]]:
    """The first metric becomes certain and falls back, while the second one rises."""
    wobble = [0.25 if turn % 2 else -0.25 for turn in range(FIRST + THEN)] if noise.startswith("normal") else None
    rows = [NOISES[noise][0 if turn < FIRST else 1] for turn in range(FIRST + THEN)]
    if noise == "bernoulli":  # as often 0 as 1 in the second metric, at first
        rows = [(first, float(turn % 2) if second == 0.5 else second) for turn, (first, second) in enumerate(rows)]
    return rows if wobble is None else [(a + w, b - w) for (a, b), w in zip(rows, wobble, strict=True)]


def problem_of(noise: str) -> sf.Problem:
    limit = 0.0 if noise.startswith("normal") else 0.5
    return sf.problem_of([f"a >= {limit} : {noise}", f"b >= {limit} : {noise}"], 0.05)


def told(noise: str, stopping: str) -> tuple[sf.Search, int]:
    """A search told the tape of its only arm until it is decided; and after how many results that was."""
    search = sf.Search(problem_of(noise), ["only"], stopping=stopping, rule="pandora")
    for turn, row in enumerate(tape_of(noise), start=1):
        search.fold(0, row)
        if search.outcome is not sf.Outcome.UNDECIDED:
            return search, turn
    return search, len(tape_of(noise))


JUDGED = [("evidence", noise) for noise in NOISES] + [("transfer", "normal(1)"), ("transfer", "bernoulli")]


@pytest.mark.parametrize(("stopping", "noise"), JUDGED)
def test_what_was_certain_once_stays_certain(stopping, noise):
    search, turn = told(noise, stopping)
    assert search.verdict.outcome is sf.Outcome.FOUND
    first, second = (facts_of(metric) for metric in search.problem.metrics)
    columns = list(zip(*tape_of(noise)[:turn], strict=True))
    level, _ = naive.levels(0.05, 1, "any")
    assert naive.log_evidence(first, list(columns[0]), first.threshold) < level, "the metric has not fallen back"
    assert naive.log_evidence(second, list(columns[1]), second.threshold) >= level
    assert naive.log_evidence(second, list(columns[1])[:-1], second.threshold) < level, "accepted at once"


def test_under_a_boundary_all_must_be_certain_at_the_same_time():
    problem = problem_of("normal(1)")
    search, setting = sf.Search(problem, ["only"], stopping="alpha"), problem.setting(1)
    totals, certain = np.zeros(2), np.zeros(2, dtype=bool)
    for turn in range(1, 91):
        row = np.array([1.5, -0.05] if turn <= 30 else [-1.2, 1.5])
        search.fold(0, row.tolist())
        totals += row
        certain |= totals / turn >= sf.AlphaBoundary().width(turn, setting)
    assert certain.all()
    assert search.verdict.outcome is sf.Outcome.UNDECIDED


class Tape:
    """Arms that read a tape; for the interpreted simulator alone."""

    def __init__(self, rows: np.ndarray) -> None:
        self.rows, self.means, self.read = rows, rows.mean(axis=0, keepdims=True), 0

    def draw(self, rng, arm, results):
        results[:] = self.rows[self.read]
        self.read += 1

    def rescaled(self, offset, slope):
        return Tape(offset + slope * self.rows)


@pytest.mark.parametrize(("stopping", "noise"), JUDGED)
def test_simulated_alike(stopping, noise):
    search, turn = told(noise, stopping)
    instance = sf.Instance.of(problem_of(noise), Tape(np.array(tape_of(noise))))
    rule = {"evidence": sf.Evidence(), "transfer": sf.TransferredEvidence()}[stopping]
    _, found, order = run_once(Cell(instance, sf.Pandora(), rule, 1, FIRST + THEN, 0))
    assert_same(Run("FOUND", int(found), order.tolist()), Run(str(search.outcome), 0, [0] * turn))
