"""What a search says of an arm, kept in sums, is what the raw results say: evidence, p-values and the guess."""

from math import exp, inf, log, sqrt

import numpy as np
import pytest

import satisfice as sf
from tests.equivalence import naive_evidence as naive
from tests.helpers.close_calls import NOISES, close_call, facts_of
from tests.helpers.driving import stream_of

SHIFTED = [
    "a >= 3 ~ 0.25 : bounded(1, 5)",
    "b <= 0.3 ~ 0.05 : bounded(0, 1)",
    "c <= -2 : bounded(-4, 4)",
    "d <= 0.35 ~ 0.1 : bernoulli",
    "e >= 10 ~ 1 : normal(3)",
    "f <= 7 ~ 0.5",
]
SHIFTED_MEANS = [[3.3, 0.2, -2.2, 0.3, 10.5, 6.5], [2.8, 0.35, -1.8, 0.5, 9.5, 7.5]]


def shifted(goal: str = "any") -> sf.Instance:
    """Thresholds away from zero, in both directions, with and without tolerance."""
    problem = sf.problem_of(SHIFTED, 0.1, goal=goal)
    return sf.Instance.of(problem, sf.arms_for(problem, SHIFTED_MEANS, sds=[1, 1, 1, 1, 3, 2], concentration=5.0))


INSTANCES = {noise: lambda noise=noise: close_call(noise, passes=True) for noise in NOISES} | {
    "shifted": shifted,
    "shifted, all": lambda: shifted("all"),
}


def told(instance: sf.Instance, pulls: int) -> tuple[sf.Search, list[list[list[float]]]]:
    """A search told so many results of every arm, and the results, by arm and metric."""
    search = sf.Search(instance.problem, instance.arm_names)
    rng, row = stream_of(6), np.empty(len(instance.problem.metrics))
    tapes: list[list[list[float]]] = [[[] for _ in row] for _ in instance.arm_names]
    for place in range(len(instance.arm_names)):
        for _ in range(pulls):
            instance.arms.draw(rng, place, row)
            search.fold(place, row.tolist())
            for tape, value in zip(tapes[place], row.tolist(), strict=True):
                tape.append(value)
    return search, tapes


def evidence_for(metric: naive.Metric, tape: list[float]) -> float:
    theta = naive.more_is_better(metric, metric.threshold) - metric.tolerance / naive.unit(metric)
    return naive.log_evidence(metric, [naive.more_is_better(metric, x) for x in tape], theta)


def evidence_against(metric: naive.Metric, tape: list[float]) -> float:
    limit = naive.more_is_better(metric, metric.threshold, reflected=True)
    return naive.log_evidence(metric, [naive.more_is_better(metric, x, reflected=True) for x in tape], limit)


def part_of(evidence: float, level: float) -> float:
    return min(max(evidence / level, 0.0), 1.0)


@pytest.mark.parametrize("pulls", [1, 2, 9, 40])
@pytest.mark.parametrize("name", INSTANCES)
def test_progress_is_the_evidence_of_the_raw_results(name, pulls):
    instance = INSTANCES[name]()
    search, tapes = told(instance, pulls)
    problem = instance.problem
    lends = problem.goal == "any" and not any(facts_of(metric).student() for metric in problem.metrics)
    accept, reject = naive.levels(problem.error_rate, len(tapes), problem.goal, lends=lends)
    alone = [facts_of(metric).student() for metric in problem.metrics]
    union = log(len(alone))
    averaged = reject + union - log(max(1, len(alone) - sum(alone)))
    for place, status in enumerate(search.statuses()):
        if status.decision:
            continue  # what has been certain once counts as certain, and a rejected arm is no longer of interest
        for index, metric in enumerate(problem.metrics):
            facts, tape = facts_of(metric, place), tapes[place][index]
            if status.accept_progress[index] < 1.0:
                expected = part_of(evidence_for(facts, tape), accept)
                assert status.accept_progress[index] == pytest.approx(expected, rel=1e-9, abs=1e-12)
            level = reject + union if alone[index] else averaged
            expected = part_of(evidence_against(facts, tape), level)
            assert status.reject_progress[index] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_what_is_more_than_certain_is_all_of_it():
    search = sf.Search(sf.problem_of(["sure >= 0 : normal(1)", "open >= 0 : normal(1)"]), ["passes", "fails"])
    for _ in range(30):
        search.fold(0, (5.0, 0.4))
        search.fold(1, (-5.0, 0.4))
    passes, fails = search.statuses()
    assert passes.accept_progress[0] == 1.0 > passes.accept_progress[1] > 0.0
    assert fails.reject_progress[0] == 1.0


@pytest.mark.parametrize("name", ["normal", "by arm", "bernoulli", "bounded", "mixed, of known scale"])
def test_the_guess_is_the_arm_with_the_best_weakest_metric(name):
    instance = INSTANCES[name]()
    for pulls in (3, 7, 12):
        search, tapes = told(instance, pulls)
        facts = [[facts_of(metric, place) for metric in instance.problem.metrics] for place in range(len(tapes))]
        weakest = [
            min(naive.margins(metric, tape, (0.0, 0.0))[0] for metric, tape in zip(metrics, arm, strict=True))
            for metrics, arm in zip(facts, tapes, strict=True)
        ]
        left = [place for place, one in enumerate(instance.arm_names) if one not in search.verdict.rejected]
        best = max(left, key=lambda place: weakest[place] * sqrt(pulls))
        guess = search.verdict.guess
        assert guess is not None
        assert guess.arm == instance.arm_names[best]
        evidence = min(map(evidence_for, facts[best], tapes[best]), default=inf)
        assert guess.p_value == pytest.approx(min(1.0, len(tapes) * exp(-evidence)), rel=1e-9)


def test_the_progress_is_not_trivial():
    """Neither zeros nor ones alone, or the comparison above would say nothing."""
    search, _ = told(shifted(), 40)
    seen = [part for status in search.statuses() for part in (*status.accept_progress, *status.reject_progress)]
    assert sum(0.0 < part < 1.0 for part in seen) >= 6


@pytest.mark.parametrize("noise", ["normal(2)", "normal", "bernoulli", "bounded(0, 1)"])
@pytest.mark.parametrize("direction", [">=", "<="])
def test_an_interval_does_not_depend_on_the_noise_of_other_metrics(noise, direction):
    """In which unit deficits are counted is up to the noisiest metric; an interval is in its metric's own."""
    rows = np.random.default_rng(2).random(40).round() if noise == "bernoulli" else np.random.default_rng(2).random(40)
    wanted = f"a {direction} 0.25 ~ 0.125 : {noise}"
    alone, beside = (  # at an error rate at which neither is accepted, for an accepted one has another interval
        sf.Search(sf.problem_of(limits, 1e-40), ["x", "y"]) for limits in ([wanted], [wanted, "b >= 0 : normal(64)"])
    )
    for value in rows.tolist():
        alone.fold(0, (value,))
        beside.fold(0, (value, 0.0))
    one, other = alone.status(0), beside.status(0)
    assert other.means[0] == pytest.approx(one.means[0], rel=1e-12)
    assert other.intervals[0] == pytest.approx(one.intervals[0], rel=1e-9)
    assert one.intervals[0].low < rows.mean() < one.intervals[0].high
