"""Which way an arm leans: one number between certain failure and certain passing, of which sides are told apart."""

import pytest

import satisfice as sf
from satisfice.search.diagnostics import ALL

PROBLEM = sf.problem_of(["x >= 0 : normal(1)", "y >= 0 : normal(1)"], 0.1)


def search_after(results: list[tuple[float, float]]) -> sf.Search:
    search = sf.Search(PROBLEM, ["one", "two"])
    for x, y in results:
        search.tell("one", {"x": x, "y": y})
    return search


def test_an_arm_that_was_never_evaluated_leans_nowhere():
    assert search_after([]).leaning(0) == 0.0


@pytest.mark.parametrize(("value", "sure"), [(5.0, 1.0), (-5.0, -1.0)])
def test_a_decided_arm_leans_as_far_as_it_can(value, sure):
    search = search_after([(value, value)] * 5)
    assert search.status(0).decision != 0
    assert search.leaning(0) == sure


def test_an_undecided_arm_leans_to_the_side_of_which_more_evidence_is_there():
    """For passing all metrics must say it, for failing one is enough."""
    passing, mixed = search_after([(1.0, 1.2)] * 4), search_after([(1.5, -0.9)] * 4)
    status = passing.status(0)
    assert passing.leaning(0) == min(status.accept_progress) > 0.1 > max(status.reject_progress)
    status = mixed.status(0)
    assert mixed.leaning(0) == -max(status.reject_progress) < -0.1
    assert max(status.accept_progress) > max(status.reject_progress)


@pytest.mark.parametrize(
    ("sds", "way"), [(0.3, "drifts up: by 0.3 "), (-0.3, "drifts down: by 0.3 "), (4.0, "drifts up: by 4 ")]
)
def test_a_drift_is_said_with_its_direction_however_small(sds, way):
    (words,) = [one.words for one in ALL if one.kind == "drift"]
    assert words(sds, 200).startswith(way)
