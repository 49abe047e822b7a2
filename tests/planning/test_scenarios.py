"""Scenarios: what their names promise is what their means are, for every noise model."""

from dataclasses import replace
from math import exp, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.errors import InvalidInstance, InvalidProblem, UnknownName
from satisfice.planning.scenarios import SCENARIOS, chosen_scenarios, guesses_for, instance_of, mean_at
from satisfice.problem.metric import as_metric
from satisfice.problem.problem import problem_of
from satisfice.simulation.distributions import distributions_of
from satisfice.theory.gaps import Case, Standing, standings

PROBLEM = problem_of(
    ["a >= 10 ~ 1", "b <= 0.05 ~ 0.02 : bernoulli", "c <= 2 ~ 0.1 : bounded(0, 8)", "d <= -3 ~ 0.5 : normal(2)"]
)
SPREAD = {"a": 4.0, "c": 1.0}
GUESSES = guesses_for(PROBLEM, SPREAD, 0.25, 1.0)
STANDINGS = {  # of nine configurations: good, within tolerance, failing
    "one clearly passes": (1, 0, 8),
    "one clearly passes, rest just fail": (1, 0, 8),
    "one just passes": (1, 0, 8),
    "one just passes, one just fails": (1, 0, 8),
    "one just passes, rest just fail": (1, 0, 8),
    "half clearly pass": (5, 0, 4),
    "most just pass": (8, 0, 1),
    "all clearly fail": (0, 0, 9),
    "all just fail": (0, 0, 9),
    "all within tolerance": (0, 9, 0),
    "enough clearly pass": (3, 0, 6),
    "enough just pass": (3, 0, 6),
    "one too few clearly pass": (2, 0, 7),
}


@pytest.mark.parametrize("name", SCENARIOS)
def test_means_are_what_the_name_says(name):
    instance = instance_of(name, replace(PROBLEM, goal=3), 9, GUESSES)
    found = standings(PROBLEM, instance.arms.means).standings
    counts = tuple(found.count(kind) for kind in (Standing.GOOD, Standing.WITHIN_TOLERANCE, Standing.FAILING))
    assert counts == STANDINGS[name]


def test_a_configuration_that_fails_misses_one_metric_and_all_metrics_are_missed_in_turn():
    instance = instance_of("all just fail", PROBLEM, 9, GUESSES)
    for place, row in enumerate(instance.arms.means):
        for metric, mean in zip(PROBLEM.metrics, row, strict=True):
            alone = standings(problem_of([metric]), [[mean]]).case
            expected = Case.NO_GOOD_ARM if metric is PROBLEM.metrics[place % 4] else Case.GOOD_ARM
            assert alone is expected


def test_effects_of_normal_metrics_are_standard_deviations():
    metric = as_metric("a >= 10 ~ 1")
    assert mean_at(metric, 4.0, 0.25) == 11.0
    assert mean_at(metric, 4.0, -0.25) == 8.0  # beyond the tolerance
    assert mean_at(metric, 4.0, 0.0) == 9.5
    assert mean_at(as_metric("a <= 10 ~ 1"), 4.0, 1.0) == 6.0


def test_effects_of_coins_are_odds():
    metric = as_metric("loss <= 0.01 : bernoulli")
    for effect in (0.25, 1.0, -0.25, -1.0):
        mean = mean_at(metric, 1.0, effect)
        odds = (mean / (1 - mean)) / (0.01 / 0.99)
        assert odds == pytest.approx(exp(-effect * pi / sqrt(3)))


@given(st.floats(0.01, 0.99), st.floats(-3, 3))
def test_effects_of_bounded_metrics_stay_inside_and_are_standard_deviations_if_small(share, effect):
    metric = as_metric(f"c >= {5 + 4 * share!r} : bounded(5, 9)")
    spread = 0.1 * 4 * share * (1 - share)
    assert 5 < mean_at(metric, spread, effect) < 9
    near = mean_at(metric, spread, 0.01 * effect or 1e-9)
    assert near - (5 + 4 * share) == pytest.approx(0.01 * effect * spread, rel=0.01, abs=1e-9)


def test_bounded_arms_have_the_guessed_spread_at_their_threshold():
    instance = instance_of("all within tolerance", problem_of(["c <= 2 : bounded(0, 8)"]), 1, GUESSES_OF_C)
    ((law,),) = distributions_of(instance)
    assert (law.mean, law.sd) == (pytest.approx(2.0), pytest.approx(1.0))


GUESSES_OF_C = guesses_for(problem_of(["c <= 2 : bounded(0, 8)"]), {"c": 1.0}, 0.25, 1.0)


def test_a_spread_replaces_a_declared_scale():
    problem = problem_of(["d <= -3 : normal(2)"])
    instance = instance_of("one clearly passes", problem, 1, guesses_for(problem, {"d": 5.0}, 0.25, 1.0))
    assert instance.arms.sds.tolist() == [[5.0]]
    assert instance.arms.means.tolist() == [[-8.0]]


@pytest.mark.parametrize("count", [1, 2, 3])
def test_scenarios_that_are_the_same_for_few_configurations_are_told_once(count):
    names = chosen_scenarios(PROBLEM, count)
    tables = [np.sort(instance_of(name, PROBLEM, count, GUESSES).arms.means, axis=0).tobytes() for name in names]
    assert len(set(tables)) == len(tables)
    assert "all just fail" in names


@pytest.mark.parametrize(
    ("thresholds", "spread", "effects", "kind", "says"),
    [
        (["a >= 1"], None, (0.25, 1), InvalidProblem, "Give a guess of the standard deviation"),
        (["a >= 1"], {"b": 1.0}, (0.25, 1), UnknownName, "No metric with a threshold is called 'b'"),
        (["a >= 1"], {"a": 0}, (0.25, 1), InvalidProblem, "the spread of 'a' as a positive number, got 0"),
        (["a >= 1"], {"a": "x"}, (0.25, 1), InvalidProblem, "positive number, got 'x'"),
        (["a >= 1"], {"a": True}, (0.25, 1), InvalidProblem, "positive number, got True"),
        (["a >= 1"], [1.0], (0.25, 1), InvalidProblem, "by metric"),
        (["a >= 1"], {"a": 1.0}, (-1, 1), InvalidProblem, "'just', the distance"),
        (["a >= 1"], {"a": 1.0}, (0.25, float("inf")), InvalidProblem, "'clearly', the distance"),
        (["a >= 1"], {"a": 1.0}, (2, 1), InvalidProblem, "no more than 'clearly', got 2 and 1"),
        (["a >= 0.5 : bernoulli"], {"a": 1.0}, (0.25, 1), InvalidProblem, "Delete its spread"),
        (["a >= 0.5 : bounded(0, 1)"], None, (0.25, 1), InvalidProblem, "leaves open how much"),
        (["a >= 0.5 : bounded(0, 1)"], {"a": 0.6}, (0.25, 1), InvalidInstance, "between 0 and 0.5"),
    ],
)
def test_guesses_that_make_no_sense_get_a_sentence(thresholds, spread, effects, kind, says):
    with pytest.raises(kind) as error:
        guesses_for(problem_of(thresholds), spread, *effects)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("text", "effect", "says"),
    [("a <= 0 : bernoulli", 1.0, "no mean can pass"), ("a >= 0.1 ~ 0.1 : bernoulli", -1.0, "no mean can fail")],
)
def test_thresholds_at_the_end_of_a_range_get_a_sentence(text, effect, says):
    with pytest.raises(InvalidProblem, match=says):
        mean_at(as_metric(text), 1.0, effect)


@pytest.mark.parametrize(
    ("wanted", "kind", "says"),
    [
        (["all just fails"], UnknownName, "Did you mean 'all just fail'?"),
        ("all just fail", InvalidProblem, "as a list of names"),
        ([], InvalidProblem, "as a list of names"),
        ([3], InvalidProblem, "as a list of names"),
    ],
)
def test_scenarios_that_do_not_exist_get_a_sentence(wanted, kind, says):
    with pytest.raises(kind) as error:
        chosen_scenarios(PROBLEM, 5, wanted)
    assert says in str(error.value)
