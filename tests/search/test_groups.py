"""Metrics measured in groups, in a search: what is asked, told and proven."""

from math import isnan, log

import numpy as np
import pytest
from scipy.optimize import brentq

import satisfice as sf
from satisfice.errors import InvalidProblem, InvalidResult
from satisfice.noise.half_normal import log_evidence_normal
from satisfice.problem.metric import as_metric
from satisfice.search.costs import weights_of
from satisfice.search.grouped import (
    group_numbers,
    new_groups,
    next_group,
    product_reaches,
    rejects_by,
    squared_shortfall,
)
from satisfice.search.state import new_state, parts_of
from satisfice.stopping import judge_of

THRESHOLDS = ["x >= 0 : normal(1) @ cheap", "y >= 0 : normal(1) @ dear", "z <= 1 : normal(1) @ dear"]
MEASURED = {"cheap": ("x",), "dear": ("y", "z")}


def told(search, values):
    """Tell what was asked for, with these values; the arm and the group."""
    arm = search.ask()
    (group,) = search.wanted
    search.tell(arm, {name: values[name] for name in MEASURED[group]})
    return arm, group


def test_a_threshold_names_its_group_and_reads_back():
    metric = as_metric("p95(latency_ms) <= 100 ~ 5 : independent @ load")
    assert (metric.group, str(metric)) == ("load", "p95(latency_ms) <= 100 ~ 5 : independent @ load")
    assert as_metric(str(metric)) == metric
    assert as_metric(metric.exact()) == metric
    assert as_metric("x >= 0").group == ""


def test_groups_and_what_is_asked_of_each():
    problem = sf.problem_of(THRESHOLDS)
    assert problem.groups == ("cheap", "dear")
    assert [one.measured for one in problem.by_group] == [("x",), ("y", "z")]
    assert sf.problem_of(["x >= 0"]).by_group[0].measured == ("x",)


@pytest.mark.parametrize(
    ("thresholds", "says"),
    [
        (["x >= 0 @ cheap", "y >= 0"], "'y' is of none. Write 'y >= 0 @ GROUP'"),
        (["x >= 0 @ cheap", "x <= 9 @ dear"], "all limits on 'x' in one group"),
        (["x >= 0 @"], "expected the name of a group behind '@'"),
        (["x >= 0 @ two words"], "expected the name of a group behind '@'"),
    ],
)
def test_groups_that_cannot_be_are_said_in_a_sentence(thresholds, says):
    with pytest.raises(sf.SatisficeError, match=says.replace("(", r"\(")):
        sf.problem_of(thresholds)
    with pytest.raises(sf.SatisficeError, match="the group must be a name"):
        sf.Metric("x", 0.0, group="no name")


def test_a_proven_group_is_not_measured_again_and_one_that_fails_spares_the_others():
    search = sf.Search(sf.problem_of(THRESHOLDS), ["good", "bad"], costs=[1.0, 50.0, 1.0, 50.0])
    values = {"good": {"x": 3.0, "y": 0.4, "z": 0.3}, "bad": {"x": -3.0, "y": 3.0, "z": -3.0}}
    asked = []
    while search.ask() is not None:
        arm = search.ask()
        asked.append(told(search, values[arm]))
    assert search.verdict.arm == "good"
    assert ("bad", "dear") not in asked
    last_cheap = max(place for place, one in enumerate(asked) if one == ("good", "cheap"))
    assert asked.count(("good", "dear")) > 10 > asked.count(("good", "cheap"))
    assert asked[last_cheap + 1 :].count(("good", "dear")) > 5


def test_statuses_say_what_was_not_measured():
    search = sf.Search(sf.problem_of(THRESHOLDS), ["a", "b"], costs=[1.0, 50.0, 1.0, 50.0])
    arm, _ = told(search, {"x": -2.0})
    status = search.status(search.arm_names.index(arm))
    assert (status.pulls, status.results) == (1, (1, 0, 0))
    assert status.means[0] == -2.0
    assert isnan(status.means[1])
    assert status.intervals[1] == (-np.inf, np.inf)
    assert status.accept_progress[1:] == status.reject_progress[1:] == (0.0, 0.0)


def test_results_of_a_group_that_was_not_asked_for_are_refused():
    search = sf.Search(sf.problem_of(THRESHOLDS), ["a", "b"], costs=[1.0, 50.0, 1.0, 50.0])
    arm = search.ask()
    assert search.wanted == ("cheap",)
    with pytest.raises(InvalidResult, match="Expected results of the group 'cheap' alone"):
        search.tell(arm, {"x": 1.0, "y": 1.0})
    with pytest.raises(InvalidResult, match="Expected a number for each of x, but 'x' is missing"):
        search.tell(arm, {})
    search.tell(arm, {"x": 1.0})
    with pytest.raises(InvalidResult, match="one of the groups 'cheap', 'dear'"):
        search.tell(arm, {"w": 1.0})


@pytest.mark.parametrize(
    ("more", "says"),
    [({"rule": "multitucb"}, "cannot choose among metrics"), ({"rule": "murphy"}, "cannot choose among metrics")],
)
def test_rules_that_cannot_are_refused(more, says):
    with pytest.raises(InvalidProblem, match=says):
        sf.Search(sf.problem_of(THRESHOLDS), ["a"], **more)


def test_a_state_is_restored_with_the_counts_of_groups():
    rng, problem = np.random.default_rng(1), sf.problem_of([*THRESHOLDS[:1], "p90(y) <= 2 @ dear"])
    first = sf.Search(problem, ["a", "b"])
    for _ in range(40):
        arm = first.ask()
        first.tell(arm, {name: rng.normal() for name in (("x",) if first.wanted == ("cheap",) else ("y",))})
    second = sf.Search(problem, ["a", "b"])
    second.restore({name: array.copy() for name, array in first.state().items()})
    assert second.folded.tolist() == first.folded.tolist()
    assert second.statuses() == first.statuses()
    assert (second.ask(), second.wanted) == (first.ask(), first.wanted)


def state_with(margins, counts, costs):
    """A search of one arm with two groups of one metric each."""
    problem = sf.problem_of(["x >= 0 : normal(1) @ a", "y >= 0 : normal(1) @ b"])
    parts = parts_of(sf.Pandora(), judge_of(sf.Evidence(), problem, 1), problem, 1, np.ones(100))
    state, groups = new_state(parts, extra=1), new_groups(group_numbers(problem), 1, weights_of(costs))
    state.margins[0], groups.counts[0] = margins, counts
    return state, groups


@pytest.mark.parametrize(
    ("margins", "counts", "costs", "next_one"),
    [
        ((0.0, 0.0), (0, 0), (1.0, 5.0), 0),  # nothing is known: the cheap one
        ((2.0, 0.0), (4, 0), (1.0, 5.0), 1),  # the cheap one passes clearly: what is unknown
        ((-1.0, 0.0), (4, 0), (1.0, 5.0), 0),  # it fails: let it be said by that one
        ((-0.3, -1.0), (50, 50), (1.0, 5.0), 1),  # d^2/c: eleven times as quick at five times the cost
        ((-0.5, -1.0), (50, 50), (1.0, 5.0), 0),
        ((1.0, 0.3), (20, 20), (1.0, 1.0), 1),  # both pass: the one that is less certain
    ],
)
def test_the_group_with_the_largest_squared_shortfall_over_its_cost_is_next(margins, counts, costs, next_one):
    state, groups = state_with(margins, counts, costs)
    assert next_group(state, groups, 0, np.zeros(0, np.int64)) == next_one


def test_what_is_under_way_and_what_is_proven_counts():
    state, groups = state_with((0.3, 0.3), (20, 20), (1.0, 1.0))
    assert next_group(state, groups, 0, np.array([60, 0])) == 1
    state.memory[0, 1] = 1.0
    assert next_group(state, groups, 0, np.array([60, 0])) == 0


def test_the_squared_shortfall_is_what_drawing_gives():
    rng = np.random.default_rng(3)
    for mean, sd in ((0.4, 0.5), (-0.4, 0.5), (0.0, 1.0)):
        drawn = np.minimum(rng.normal(mean, sd, 400_000), 0.0) ** 2
        assert squared_shortfall(mean, sd) == pytest.approx(drawn.mean(), rel=0.02)
    assert squared_shortfall(-80.0, 0.5) == pytest.approx(6400.25)
    assert squared_shortfall(80.0, 0.5) == 0.0


@pytest.mark.parametrize("group", [0, 1])
def test_the_product_of_a_group_of_independent_metrics_rejects_at_its_part_of_the_error_rate(group):
    """Half of b is for products: of three metrics one group has one and the other two, and such parts of that half.

    Of a single arm b is the whole error rate: it passes or it does not, and only one of the two errors can be made.
    """
    problem = sf.problem_of([f"{name} >= 0 : normal(1) @ {of}" for name, of in (("x", "a"), ("y", "b"), ("z", "b"))])
    judge = judge_of(sf.Evidence(independent_metrics=True), problem, 1).extended(100)
    state = new_state(parts_of(sf.Pandora(), judge, problem, 1, np.ones(100)), extra=1)
    groups = new_groups(group_numbers(problem), 1, np.ones(1))
    metrics, count = ([0], [1, 2])[group], 25
    each = -log(0.5 * 0.05 * len(metrics) / 3) / len(metrics)
    needed = brentq(lambda total: log_evidence_normal(count, total) - each, 0.0, 500.0, xtol=1e-12)
    for metric in metrics:
        state.deficits[0, metric] = needed * (1 + 1e-9)
    assert product_reaches(judge, state, groups, 0, group, count)
    assert rejects_by(judge, state, groups, 0, group, count)
    state.deficits[0, metrics[0]] = needed * (1 - 1e-9)
    assert product_reaches(judge, state, groups, 0, group, count) == (len(metrics) > 1)
    state.deficits[0, metrics[-1]] = needed * (1 - 1e-6)
    assert not product_reaches(judge, state, groups, 0, group, count)
    assert not rejects_by(judge, state, groups, 0, group, count)
