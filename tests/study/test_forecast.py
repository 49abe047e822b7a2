"""What is left of a study by simulated runs: what happens then is what was said, and the study is not concerned."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest

import satisfice as sf
from benchmarks.forecasts.measure import measured
from satisfice.search.verdict import Outcome
from satisfice.show.forecast import endings_words, forecast_words
from satisfice.study import past_results
from satisfice.study.forecast import Forecast, beginning_from, budget_of, forecast
from satisfice.study.past_results import LEAST_RESULTS, Kept, PastResults, Source
from satisfice.study.study import Study
from tests.helpers.parts import endless, finish, results_of, study_in

LIMITS = ["x >= 0.3 ~ 0.3 : normal(1)", "p <= 0.3 ~ 0.1 : bernoulli"]


def some_study(seed: int, rng: np.random.Generator) -> tuple[Study, Any]:
    """Five configs of which some pass, and what goes on with them for so many evaluations."""
    means = dict(zip("abcde", rng.normal(0.0, 0.6, 5).tolist(), strict=True))
    study = sf.create_study(list(means), LIMITS, seed=seed)

    def go_on(number: int) -> None:
        for _ in range(number):
            if (pull := study.ask()) is None:
                return
            study.tell(pull, {"x": rng.normal(means[pull.name]), "p": float(rng.random() < 0.15)})

    return study, go_on


def outcomes(studies: int, seconds: float) -> list[tuple[int, Forecast]]:
    """After thirty evaluations of each: how many more it took, and what was said."""
    found = []
    for seed in range(studies):
        study, go_on = some_study(seed, np.random.default_rng([7, seed]))
        go_on(30)
        said = study.forecast(seconds=seconds)
        if said is not None:
            go_on(10_000)
            found.append((study.counts().folded - said.at, said))
    return found


def shares(found: list[tuple[int, Forecast]]) -> tuple[list[bool], list[bool]]:
    """Which studies took no more than the median, and than the 90 %; what was cut off is more than any took."""
    medians = [left <= (np.inf if said.evaluations is None else said.evaluations) for left, said in found]
    most = [left <= (np.inf if said.evaluations_90 is None else said.evaluations_90) for left, said in found]
    return medians, most


@pytest.mark.full
def test_half_of_all_studies_take_less_than_the_median_and_few_more_than_the_90_percent() -> None:
    """After thirty evaluations, in studies of five configurations that nothing was chosen by."""
    medians, most = shares(outcomes(90, 1.5))
    low, high = binomtest(sum(medians), len(medians)).proportion_ci(0.999)
    assert low <= 0.5 <= high
    low, high = binomtest(sum(most), len(most)).proportion_ci(0.999)
    assert low <= 0.9 <= high
    wrong = [(4 * left, said) for left, said in outcomes(20, 0.5)]  # the test can fail
    assert binomtest(sum(shares(wrong)[0]), len(wrong)).proportion_ci(0.999).high < 0.5 or sum(shares(wrong)[1]) < 15


@pytest.mark.full
def test_forecasts_are_calibrated_at_fixed_times_of_studies_of_2_to_200_configurations() -> None:
    """On studies that neither the constants nor the page come from: nothing says that the bars are missed."""
    said = [one for one in measured(77, 40) if one.when >= 1]
    for kept, least, most in (([one.median for one in said], 0.4, 0.6), ([one.most for one in said], 0.85, 0.95)):
        low, high = binomtest(sum(kept), len(kept)).proportion_ci(0.999)
        assert low <= most
        assert least <= high


def test_it_says_about_what_happens() -> None:
    rng = np.random.default_rng(3)
    study = sf.create_study(["a", "b"], ["x >= 0 : normal(1)"])
    means = {"a": -0.45, "b": 0.45}

    def go_on() -> None:
        pull = study.ask()
        assert pull is not None
        study.tell(pull, {"x": rng.normal(means[pull.name])})

    for _ in range(40):
        go_on()
    said = study.forecast(seconds=2.5)
    assert said is not None
    assert said.evaluations is not None
    actual = []
    for seed in range(15):  # the study as it goes on with results as they really are
        beginning = beginning_from(study.view(), lambda after, until: study.events(until, after=after))
        assert beginning is not None
        search, real = beginning.spec.search(), np.random.default_rng(seed)
        search.restore(beginning.arrays)
        first = search.asks
        while (line := search.choose(search.asks)) is not None:
            search.fold(line, (real.normal(means["ab"[line]]),))
        actual.append(search.asks - first)
    assert np.median(actual) / 3 <= said.evaluations <= 3 * np.median(actual)
    assert said.found > 0.8


def test_the_study_is_not_concerned() -> None:
    study, twin = endless(), endless()
    for one in (study, twin):
        for pull in one.ask(30):
            one.tell(pull, results_of(pull))
    before = study.view().head
    assert study.forecast(seconds=0.05) is not None
    assert study.view().head == before
    asked = [(one.name, one.number) for one in study.ask(20)]
    assert asked == [(one.name, one.number) for one in twin.ask(20)]


def test_too_early_and_too_late() -> None:
    study = study_in()
    assert study.forecast() is None
    for pull in study.ask(3):
        study.tell(pull, results_of(pull))
    assert study.forecast() is None  # one of each
    finish(study)
    assert study.forecast() is None


def test_what_is_far_away_is_more_than_was_looked_at() -> None:
    study = endless()
    for pull in study.ask(60):
        study.tell(pull, results_of(pull))
    said = study.forecast(seconds=0.01)
    assert said is not None
    assert said.evaluations is None
    assert said.found + said.none < 0.5
    assert forecast_words(said) == f"more than {60 + said.limit:,} evaluations in all at the present estimates"
    assert "no verdict after" in endings_words(said)


def test_costs_and_budgets() -> None:
    rng = np.random.default_rng(5)
    study = sf.create_study({"a": {"n": 1}, "b": {"n": 4}}, ["x >= 0"], cost="n", max_cost=60, max_evaluations=30)
    for _ in range(14):
        pull = study.ask()
        assert pull is not None
        study.tell(pull, {"x": rng.normal(0.6)})
    said = study.forecast(seconds=0.2)
    assert said is not None
    assert said.cost is not None
    assert said.evaluations is not None
    assert said.evaluations <= said.cost <= 4 * said.evaluations
    assert said.within is not None
    assert 0 <= said.within <= said.found + said.none
    words = forecast_words(said)
    assert f"about {14 + said.evaluations:,} evaluations in all at the present estimates, nine in ten times " in words
    assert "; cost about " in words


@pytest.mark.parametrize(
    ("limits", "given", "result"),
    [
        (["p90(x) <= 2 ~ 5%"], {}, lambda rng: {"x": rng.normal(1, 1, 30).tolist()}),
        (["share(x <= 1) >= 0.7 ~ 0.1"], {}, lambda rng: {"x": {"count": int(rng.integers(60, 90)), "of": 100}}),
        (["x <= baseline + 10% ~ 5%"], {"baseline": "old"}, lambda rng: {"x": 1 + 0.1 * rng.normal()}),
        (["x <= 1 : normal(1) @ one", "y <= 1 : normal(1) @ two"], {}, None),
        (["x >= 0.5 : bernoulli of 400"], {}, lambda rng: {"x": float(rng.random() < 0.55)}),
    ],
)
def test_whatever_is_measured(limits: list[str], given: dict[str, Any], result: Any) -> None:
    rng = np.random.default_rng(11)
    study = sf.create_study(["a", "b"], limits, goal="all", **given)
    for _ in range(24):
        pull = study.ask()
        assert pull is not None
        made = result(rng) if result else {{"one": "x", "two": "y"}[pull.groups[0]]: rng.normal(0.9)}
        study.tell(pull, made, result(rng) if given else None)
    assert study.outcome is Outcome.UNDECIDED
    said = study.forecast(seconds=0.05)
    assert said is not None
    assert said.runs >= 10


def test_a_sample_of_many_is_fair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(past_results, "MOST_KEPT", 200)
    kept = PastResults(study_in().spec)
    for number in range(4000):
        kept._keep(0, Kept((float(number),)))
    numbers = [one.values[0] for one in kept.by_line[0]]
    assert len(numbers) == 200
    assert abs(np.mean(numbers) - 2000) < 4 * 4000 / np.sqrt(12 * 200)


def long_run_means(results: dict[int, list[Kept]], line: int, runs: int = 300, length: int = 400) -> Any:
    """What a line's mean is in each of many simulated runs."""
    source, rng = Source(results, 1), np.random.default_rng(17)
    found = []
    for _ in range(runs):
        draw = source.drawn(rng)
        found.append(np.mean([draw(line).values[0] for _ in range(length)]))
    return np.array(found)


def kept(values: Any) -> list[Kept]:
    return [Kept((float(value),)) for value in values]


def test_the_one_that_looks_best_is_not_as_good_as_it_looks() -> None:
    """Thirty configurations that are all alike: what the best of them has more than the others is chance."""
    rng = np.random.default_rng(3)
    results = {line: kept(rng.normal(size=6)) for line in range(30)}
    means = [np.mean([one.values[0] for one in each]) for each in results.values()]
    best = int(np.argmax(means))
    assert means[best] > 0.5
    assert np.mean(long_run_means(results, best)) < 0.5 * means[best]


def test_where_configurations_are_unlike_each_keeps_its_own_results() -> None:
    rng = np.random.default_rng(4)
    results = {line: kept(rng.normal(5.0 * line, 1.0, 20)) for line in range(12)}
    found = long_run_means(results, 11)
    own = np.mean([one.values[0] for one in results[11]])
    spread = np.std([one.values[0] for one in results[11]])
    assert abs(np.mean(found) - own) < 5.0
    assert np.std(found) > spread / np.sqrt(20)  # no more certain than its results


def test_the_means_of_few_results_are_as_uncertain_as_they_are() -> None:
    """A bootstrap of five results has four fifths of their variance, and knows no other values than these."""
    rng, off, said = np.random.default_rng(5), [], []
    for _ in range(40):
        truth = rng.normal(0.0, 1.0, 10)
        results = {line: kept(rng.normal(truth[line], 1.0, 5)) for line in range(10)}
        found = long_run_means(results, 0, runs=40, length=150)
        off.append(np.square(np.mean(found) - truth[0]))
        said.append(np.var(found))
    assert 0.6 < np.mean(off) / np.mean(said) < 1.7


def test_one_without_results_is_like_any_other() -> None:
    results = {0: kept(range(9)), 1: kept(range(100, 109))}
    found = long_run_means(results, 7)
    assert np.std(found) > 10.0
    assert 30.0 < np.mean(found) < 75.0
    assert Source(results, 1).is_rich
    assert not Source({0: results[0][: LEAST_RESULTS - 1]}, 1).is_rich


def test_a_stranger_costs_what_the_configuration_itself_costs() -> None:
    results = {line: [Kept((float(place),), (), 10.0**line) for place in range(6)] for line in range(3)}
    draw = Source(results, 1).drawn(np.random.default_rng(1))
    assert {draw(2).cost for _ in range(200)} == {100.0}


def test_a_metric_that_never_varies_stays_what_it_is() -> None:
    """A size that is the same every time says nothing about the size of another configuration."""
    rng = np.random.default_rng(8)
    results = {line: [Kept((float(rng.normal()), 100.0 + line)) for _ in range(6)] for line in range(4)}
    draw = Source(results, 1).drawn(rng)
    assert {draw(3).values[1] for _ in range(200)} == {103.0}
    assert len({draw(9).values[1] for _ in range(200)}) == 1  # one of those there are
    assert len({draw(3).values[0] for _ in range(200)} - {one.values[0] for one in results[3]}) > 0


def test_failures_that_count_as_worst_are_results() -> None:
    study = study_in(on_error="worst", worst={"speed": -9.0})
    for pull in study.ask(18):
        if pull.name == "lossy":
            study.fail(pull, "no connection")
        else:
            study.tell(pull, results_of(pull))
    beginning = beginning_from(study.view(), lambda after, until: study.events(until, after=after))
    assert beginning is not None
    assert len(beginning.results[study.spec.places["lossy"]]) == study.view().evaluations["lossy"] > 0
    assert forecast(beginning, seconds=0.05) is not None


def test_what_is_left_of_a_budget_is_what_was_not_spent_of_it() -> None:
    study = sf.create_study(["a", "b"], ["x >= 0 : normal(1)"], max_evaluations=9, cost=2.5, max_cost=30.0)
    assert budget_of(study.view()) == (9, 30.0)
    for _ in range(4):
        study.tell(study.ask(), {"x": 0.1})
    assert budget_of(study.view()) == (5, 20.0)
    study.change_policy(max_evaluations=3, max_cost=5.0)
    assert budget_of(study.view()) == (0, 0.0)
    assert budget_of(sf.create_study(["a"], ["x >= 0 : normal(1)"]).view()) == (np.inf, np.inf)
