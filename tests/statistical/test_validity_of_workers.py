"""256 workers whose evaluations last as long as the metric says are wrong no more often than promised.

Quick results are those that tempt to the wrong answer: with a limit from above they pass, with one from below they
fail. Whoever counts them as they come is wrong nearly always, which is shown as well. The means are on the boundaries,
as in `test_validity`, and the check is the same.
"""

from itertools import product

import numpy as np
import pytest

import satisfice as sf
from satisfice.search.early_decision import suppose
from satisfice.simulation import event_loop
from satisfice.simulation.cell import Cell, CellResult, run_cell
from satisfice.simulation.checks import Engine
from satisfice.simulation.durations import as_durations
from satisfice.simulation.event_loop import ARRIVED, AT_WORK, FIRST, SLOT, end_next
from satisfice.stopping.decision import ACCEPT, REJECT
from tests.helpers.edge_cases import BETA, COIN, COUNT, HAIR, NORMAL, Law, arms_of, check_rate
from tests.helpers.quick_part import quick

LAWS = {
    "normal": Law("normal(2)", NORMAL, 20.0, tolerance=0.06, far=2.0, sd=2.0),
    "unknown scale": Law("normal", NORMAL, 20.0, tolerance=0.06, far=2.0, sd=2.0),
    "coins": Law("bernoulli", COIN, 0.5, far=0.3),
    "counts": Law("poisson", COUNT, 4.0, tolerance=0.06, far=2.0),
    "betas": Law("bounded(0, 1)", BETA, 0.5, far=0.3, tight=False),
}
"""Metrics that are at least 0, as durations are."""
STOPPING = {"evidence": sf.Evidence(), "transfer": sf.TransferredEvidence(), "alpha": sf.AlphaBoundary()}
RATE = 0.2


def result_of(
    law: Law,
    shape: str,
    stopping: str = "evidence",
    *,
    durations: str = "metric(m0)",
    workers: int = 256,
    runs: int = 600,
    budget: int = 800,
    engine: Engine = "compiled",
) -> CellResult:
    """Runs on a shape of `edge_cases`, with limits from below where an arm is just good."""
    hair, limit, better = HAIR * law.tolerance, *((">=", 1.0) if "g" in shape else ("<=", -1.0))
    of = {"e": -law.tolerance - hair, "g": hair, "f": -law.far, "h": law.far}
    means = np.array([[law.threshold + better * of[letter] for letter in word] for word in shape.split()])
    limits = [
        f"m{place} {limit} {law.threshold!r} ~ {law.tolerance!r} : {law.declared}" for place in range(means.shape[1])
    ]
    instance = sf.Instance.of(sf.problem_of(limits, RATE), arms_of(law, means))
    rule = sf.MultiTUCB() if stopping == "alpha" else sf.Pandora()
    cell = Cell(instance, rule, STOPPING[stopping], runs, budget, 5, workers, as_durations(durations))
    return run_cell(cell, threads=2, engine=engine)


ALONE = [("evidence", law, shape) for law, shape in product(LAWS, "eg")]
OTHERS = [
    ("evidence", "normal", "ee eh he"),
    ("evidence", "coins", "ff gg ff"),
    ("transfer", "normal", "e e e"),
    ("transfer", "betas", "f g"),
    ("transfer", "coins", "e e"),
]


SOME = quick(
    ALONE + OTHERS,
    ("transfer", "normal", "e e e"),
    ("transfer", "coins", "e e"),
    ("transfer", "betas", "f g"),
)


@pytest.mark.parametrize(("stopping", "law", "shape"), SOME)
def test_as_long_as_the_metric(stopping, law, shape):
    tight = (stopping, law, shape) in ALONE and LAWS[law].tight
    check_rate(result_of(LAWS[law], shape, stopping).wrong, RATE, tight=tight)


@pytest.mark.full
@pytest.mark.parametrize("workers", [16, 256])
@pytest.mark.parametrize("durations", ["metric(m0)", "metric(m0) + 5% x 30", "lognormal(1) + 0.5% x 30"])
@pytest.mark.parametrize(("stopping", "law", "shape"), [*ALONE, *OTHERS, ("alpha", "normal", "e g")])
def test_at_length(stopping, law, shape, durations, workers):
    tight = (stopping, law, shape) in ALONE and LAWS[law].tight
    given = {"durations": durations, "workers": workers, "runs": 2000, "budget": 1500}
    check_rate(result_of(LAWS[law], shape, stopping, **given).wrong, RATE, tight=tight)


def hasty_end(workers) -> int:
    """The mistake to be caught: whoever ends next takes the place of the first in the line."""
    slot = workers.tickets[0, SLOT]
    line = end_next(workers)
    first = workers.lines[line, FIRST]
    if first != slot:
        for array in (workers.results, workers.results_within):
            array[[first, slot]] = array[[slot, first]]
        workers.slots[first, ARRIVED], workers.slots[slot, ARRIVED] = 1, 0
        under_way = workers.tickets[: workers.counts[AT_WORK], SLOT]
        under_way[under_way == first] = slot
    return line


@pytest.mark.parametrize("shape", ["e", "g"])
def test_results_folded_as_they_come_are_caught(monkeypatch, shape):
    given = {"runs": 30, "budget": 400, "engine": "interpreted"}
    check_rate(result_of(LAWS["normal"], shape, **given).wrong, RATE)
    monkeypatch.setattr(event_loop, "end_next", hasty_end)
    with pytest.raises(AssertionError, match=r"where 0\.2 is promised"):
        check_rate(result_of(LAWS["normal"], shape, **given).wrong, RATE)


@pytest.mark.parametrize(
    ("law", "shape", "hoped"),
    [
        ("coins", "e", ACCEPT),
        pytest.param("betas", "e", ACCEPT, marks=pytest.mark.full),
        pytest.param("betas", "g", REJECT, marks=pytest.mark.full),
    ],
)
def test_missing_results_supposed_to_be_as_one_would_like_them_are_caught(monkeypatch, law, shape, hoped):
    def hopeful(state, noise, decision) -> None:
        suppose(state, noise, ACCEPT + REJECT - decision if decision == hoped else decision)

    given = {"runs": 30, "budget": 400, "workers": 64, "engine": "interpreted"}
    check_rate(result_of(LAWS[law], shape, **given).wrong, RATE)
    monkeypatch.setattr(event_loop, "suppose", hopeful)
    with pytest.raises(AssertionError, match=r"where 0\.2 is promised"):
        check_rate(result_of(LAWS[law], shape, **given).wrong, RATE)


@pytest.mark.parametrize("law", quick(["coins", "betas"], "coins"))
def test_stragglers_do_not_hold_up_what_they_cannot_change(monkeypatch, law):
    """That the checks above are about decisions with results missing: there are many, and they save time."""
    given = {"durations": "lognormal(1) + 5% x 30", "workers": 32, "runs": 12, "budget": 3000, "engine": "interpreted"}
    prompt = result_of(LAWS[law], "h f", **given)
    monkeypatch.setattr(event_loop, "is_worth_a_look", lambda waiting: False)
    patient = result_of(LAWS[law], "h f", **given)
    assert (prompt.found == 0).all()
    assert (patient.found == 0).all()
    assert prompt.record.times.mean() < 0.7 * patient.record.times.mean()
