"""Every stopping rule under every noise model and goal, with means on the boundaries, is wrong no more than promised.

`edge_cases` has the instances and the check; each test is a row of a table. All are seeded. A test fails when the
99.9 % Clopper-Pearson interval of the rate of wrong answers lies above the promised one, which happens to a sound rule
once in 2,000 tests. Where nothing is lost between the evidence and the answer (one arm, one metric) the rate must be a
twentieth of the promised one at least: the tests could fail. `test_validity_catches` shows that they do.
"""

from itertools import product
from math import inf, sqrt
from typing import NamedTuple

import pytest

import satisfice as sf
from satisfice.stopping import judge_of
from satisfice.stopping.evidence import EvidenceJudge
from satisfice.stopping.transfer import TransferJudge
from tests.helpers.edge_cases import LAWS, SHAPES, Edge, check_edge, check_rate

RATES = (0.2, 0.05)
JUDGES = {
    "alpha": (sf.AlphaBoundary(), sf.MultiTUCB()),
    "evidence": (sf.Evidence(), sf.Pandora()),
    "transfer": (sf.TransferredEvidence(), sf.Pandora()),
}
"""Stopping rules, and a sampling rule that goes with each."""

NOT_TRANSFERABLE = ("unknown scale", "unknown scale, tiny")
NO_SCALE = (*NOT_TRANSFERABLE, "counts", "rare counts", "signs of any shape", "normal of any shape")
ALONE = ("accept: alone", "reject: alone")


def refused(judge: str, law: str, goal: str) -> bool:
    if judge == "transfer":
        return law in NOT_TRANSFERABLE or goal == "all"
    return judge == "alpha" and law in NO_SCALE


def case_of(judge: str, law: str, shape: str, goal: str, error_rate: float) -> Edge:
    stopping, rule = JUDGES[judge]
    return Edge(LAWS[law], SHAPES[shape], stopping, rule, error_rate, goal)


def table(judges=JUDGES, laws=LAWS, shapes=SHAPES, goals=("any", "all"), rates=RATES):
    """Rows (judge, law, shape, goal, error rate); one arm alone is asked for once, since both goals are the same."""
    return [
        row
        for row in product(judges, laws, shapes, goals, rates)
        if not refused(row[0], row[1], row[3]) and not (row[2] in ALONE and row[3] == "all")
    ]


def is_tight(judge: str, law: str, shape: str) -> bool:
    return judge != "alpha" and LAWS[law].tight and shape in ALONE


FAST = [
    *table(judges=["evidence"], shapes=ALONE, rates=[0.2]),
    *table(judges=["transfer"], laws=["normal", "coins", "betas", "signs of any shape"], shapes=ALONE, rates=[0.2]),
    *table(judges=["evidence"], laws=["unknown scale", "coins"], rates=[0.05]),
    *table(judges=["transfer"], laws=["normal"], rates=[0.05]),
]


@pytest.mark.parametrize(("judge", "law", "shape", "goal", "error_rate"), FAST)
def test_on_the_boundaries(judge, law, shape, goal, error_rate):
    case = case_of(judge, law, shape, goal, error_rate)
    check_edge(case.but(runs=800, budget=800), tight=is_tight(judge, law, shape))


@pytest.mark.full
@pytest.mark.parametrize(
    ("judge", "law", "shape", "goal", "error_rate"),
    [*table(judges=["alpha"], rates=[0.2]), *table(judges=["evidence", "transfer"])],
)
def test_on_the_boundaries_at_length(judge, law, shape, goal, error_rate):
    case = case_of(judge, law, shape, goal, error_rate).but(runs=2000, budget=1500, seed=4)
    check_edge(case, tight=is_tight(judge, law, shape))


@pytest.mark.full
@pytest.mark.parametrize("correlation", [0.99, -0.99])
@pytest.mark.parametrize(
    ("judge", "law", "goal"),
    [
        (judge, law, goal)
        for judge, law, goal in product(JUDGES, ("normal", "unknown scale", "coins"), ("any", "all"))
        if not refused(judge, law, goal)
    ],
)
def test_dependent_metrics(judge, law, goal, correlation):
    """Metrics that move together, or against each other; the coins are tied to one draw."""
    for shape in (("ee", "ee"), ("ff", "gg")):
        stopping, rule = JUDGES[judge]
        check_edge(Edge(LAWS[law], shape, stopping, rule, goal=goal, correlation=correlation, runs=2000, budget=2000))


class Luck(NamedTuple):
    """An adversary that peeks: always the luckiest arm (direction 1), or always the least lucky (-1)."""

    direction: float = 1.0

    def bonus(self, pulls, setting):
        return 0.0

    def margin_priority(self, margins, tolerances, arm, pulls, bonus):
        weakest = inf
        for metric in range(margins.shape[1]):
            weakest = min(weakest, margins[arm, metric])
        return self.direction * weakest * sqrt(1.0 * pulls)


TEN_FAIL, TEN_PASS = ("e",) * 10, ("g",) * 10


@pytest.mark.full
@pytest.mark.parametrize("direction", [1.0, -1.0])
@pytest.mark.parametrize("judge", JUDGES)
def test_adversarial_sampling(judge, direction):
    """The luckiest arm alone is looked at until it is no more, or the least lucky."""
    stopping, _ = JUDGES[judge]
    for law, shape, rate in product(("normal", "coins"), (TEN_FAIL, TEN_PASS, ("e", "g", "e")), RATES):
        case = Edge(LAWS[law], shape, stopping, Luck(direction), rate, runs=1000, budget=3000)
        # who follows the luckiest of ten through thousands of pulls meets the accounting's union bound face to face
        check_edge(case, tight=shape == TEN_FAIL and direction > 0 and judge != "alpha")


@pytest.mark.full
@pytest.mark.parametrize(("judge", "budget"), [("evidence", 20_000), ("transfer", 5_000)])
@pytest.mark.parametrize("law", ["normal", "coins"])
def test_long_horizons(judge, budget, law):
    """Thousands of pulls of arms so near to the boundary that nothing else can end a run."""
    near = LAWS[law]._replace(tolerance=0.001)
    for shape, rate in ((("e",), 0.2), (("g",), 0.05), (("e", "e"), 0.2)):
        case = Edge(near, shape, JUDGES[judge][0], sf.Pandora(), rate, runs=1000, budget=budget)
        check_edge(case, tight=shape != ("e", "e"))


@pytest.mark.parametrize("sd", [1e-6, 1e-8, 1e-10])
def test_noise_far_below_the_tolerance(sd):
    """Sums of squares around the limit are differences of far larger ones: rounding must not pass for certainty."""
    law = LAWS["unknown scale"]._replace(tolerance=1.0, far=1.0, sd=sd)
    case = Edge(law, ("f",), sf.Evidence(), error_rate=0.05, runs=300, budget=300)
    assert case.means().tolist() == [[-1.0]]
    check_rate(case.result().found >= 0, 0.05)


@pytest.mark.parametrize(
    ("goal", "threshold"), [("any", "a >= 0"), ("all", "a >= 0 : normal(1)"), (2, "a >= 0 : normal(1)")]
)
def test_nothing_is_moved_where_that_is_not_proved(goal, threshold):
    problem = sf.problem_of([threshold], 0.2, goal=goal)
    assert isinstance(judge_of(sf.TransferredEvidence(), problem, 3), EvidenceJudge)
    assert isinstance(judge_of(sf.TransferredEvidence(), sf.problem_of(["a >= 0 : normal(1)"], 0.2), 3), TransferJudge)
