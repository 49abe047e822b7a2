"""What `satisfice run` executes is wrong no more often than promised: the validity suite through `Search` and `Study`.

As in `test_validity`, with means on the boundaries; here every result goes through ask and tell, and through a study
with many evaluations under way that come back in random order, or in the order of what they say.
"""

from typing import NamedTuple

import numpy as np
import pytest

import satisfice as sf
from tests.helpers.edge_cases import LAWS, Edge, check_rate
from tests.helpers.live_errors import hasty_search_is_wrong, search_is_wrong, study_is_wrong
from tests.helpers.quick_part import quick

STOPPING = {
    "alpha": (sf.AlphaBoundary(), sf.MultiTUCB()),
    "evidence": (sf.Evidence(), sf.Pandora()),
    "transfer": (sf.TransferredEvidence(), sf.Pandora()),
}
LIKELY = ("evidence",)
"""Under these a wrong answer is likely enough to be seen in a few runs of one arm."""

ALONE = [
    ("evidence", law, shape, "any")
    for law in ("normal", "unknown scale", "coins", "extremes", "signs of any shape")
    for shape in "eg"
]
OTHERS = [
    ("evidence", "normal", "ee eh he", "any"),
    ("evidence", "betas", "g e", "all"),
    ("transfer", "normal", "e e e", "any"),
    ("transfer", "coins", "e e", "any"),
    ("transfer", "betas", "e e", "any"),
    ("transfer", "signs of any shape", "e e", "any"),
    ("transfer", "normal", "f g", "any"),
    ("alpha", "normal", "e", "any"),
    ("alpha", "coins", "g", "any"),
    ("alpha", "betas", "e g", "all"),
]


def case_of(stopping: str, law: str, shape: str, goal: str, **changes) -> Edge:
    return Edge(LAWS[law], shape.split(), *STOPPING[stopping], goal=goal, budget=120, seed=12).but(**changes)


def wrong(is_wrong, case: Edge, runs: int, **given) -> np.ndarray:
    return np.array([is_wrong(case, run, **given) for run in range(runs)])


SEARCHES = quick(
    ALONE + OTHERS,
    ("evidence", "normal", "e", "any"),
    ("evidence", "unknown scale", "g", "any"),
    ("evidence", "coins", "e", "any"),
    ("evidence", "signs of any shape", "e", "any"),
    ("evidence", "normal", "ee eh he", "any"),
    ("evidence", "betas", "g e", "all"),
    ("transfer", "normal", "e e e", "any"),
    ("transfer", "coins", "e e", "any"),
    ("transfer", "normal", "f g", "any"),
    ("alpha", "normal", "e", "any"),
)


@pytest.mark.parametrize(("stopping", "law", "shape", "goal"), SEARCHES)
def test_searches(stopping, law, shape, goal):
    case = case_of(stopping, law, shape, goal)
    tight = stopping in LIKELY and len(shape) == 1
    check_rate(wrong(search_is_wrong, case, 200 if tight else 60), case.error_rate, tight=tight)


def biased(shape: str) -> str:
    """The order of return that tempts to the mistake that is possible."""
    return "passing results first" if "e" in shape else "failing results first"


STUDIES = [(*row, biased(row[2])) for row in ALONE] + [
    ("transfer", "normal", "e e", "any", "passing results first"),
    ("transfer", "coins", "f g", "any", "random"),
    ("alpha", "normal", "g e", "all", "random"),
]


SOME_STUDIES = quick(
    STUDIES,
    ("evidence", "normal", "e", "any", "passing results first"),
    ("evidence", "unknown scale", "e", "any", "passing results first"),
    ("evidence", "coins", "g", "any", "failing results first"),
    ("transfer", "normal", "e e", "any", "passing results first"),
    ("transfer", "coins", "f g", "any", "random"),
)


@pytest.mark.parametrize(("stopping", "law", "shape", "goal", "durations"), SOME_STUDIES)
def test_studies_with_many_evaluations_under_way(stopping, law, shape, goal, durations):
    case = case_of(stopping, law, shape, goal)
    check_rate(wrong(study_is_wrong, case, 50, under_way=24, durations=durations), case.error_rate)


@pytest.mark.full
@pytest.mark.parametrize(("stopping", "law", "shape", "goal"), ALONE + OTHERS)
def test_searches_at_length(stopping, law, shape, goal):
    for rate in (0.2, 0.05):
        case = case_of(stopping, law, shape, goal, budget=800, error_rate=rate)
        tight = stopping in LIKELY and len(shape) == 1
        check_rate(wrong(search_is_wrong, case, 500), rate, tight=tight)


@pytest.mark.full
@pytest.mark.parametrize(("stopping", "law", "shape", "goal", "durations"), STUDIES)
@pytest.mark.parametrize("under_way", [4, 128])
def test_studies_at_length(stopping, law, shape, goal, durations, under_way):
    case = case_of(stopping, law, shape, goal, budget=500)
    for order in {durations, "random"}:
        check_rate(wrong(study_is_wrong, case, 250, under_way=under_way, durations=order), case.error_rate)


def test_results_folded_as_they_come_back_are_caught():
    """Quick results pass: the check that studies pass above fails where each arm's order is lost."""
    case = case_of("evidence", "normal", "e", "any")
    given = {"under_way": 24, "durations": "passing results first"}
    with pytest.raises(AssertionError, match=r"where 0\.2 is promised"):
        check_rate(wrong(hasty_search_is_wrong, case, 40, **given), case.error_rate)


class Narrow(NamedTuple):
    """A boundary with no right to be as narrow as it is: one standard error of the mean."""

    errors: float = 1.0

    def width(self, pulls, setting):
        return self.errors * setting.noise_scale / pulls**0.5


@pytest.mark.parametrize("shape", ["e", "g"])
def test_a_boundary_that_is_too_narrow_is_caught(shape):
    case = case_of("alpha", "normal", shape, "any", budget=60).but(stopping=Narrow())
    with pytest.raises(AssertionError, match=r"where 0\.2 is promised"):
        check_rate(wrong(search_is_wrong, case, 60), case.error_rate)


TOO_LARGE = [(law, shape) for law in ("normal", "unknown scale", "coins", "extremes") for shape in "eg"]


@pytest.mark.parametrize(
    ("law", "shape"), quick(TOO_LARGE, ("normal", "e"), ("unknown scale", "g"), ("coins", "e"), ("extremes", "g"))
)
def test_evidence_three_times_too_large_is_caught(law, shape):
    """A search that is asked for three times the error rate takes evidence for three times what it is."""
    case = case_of("evidence", law, shape, "any", error_rate=0.6, budget=150)
    with pytest.raises(AssertionError, match=r"where 0\.2 is promised"):
        check_rate(wrong(search_is_wrong, case, 300), 0.2)
