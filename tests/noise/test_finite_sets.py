"""Sets of items: without replacement, certain at the last, the same items in the same order for all."""

from math import inf, log, log1p, sqrt

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem, InvalidSpec, InvalidThreshold
from satisfice.noise import FiniteSet
from satisfice.noise.sets import log_evidence
from satisfice.problem.metric import as_metric
from satisfice.simulation.cell import Cell, run_cell
from satisfice.simulation.durations import as_durations
from tests.equivalence import naive_evidence as naive


def search_of(text="x >= 0.85 ~ 0.01 : bernoulli of 500", error_rate=0.05):
    return sf.Search(sf.problem_of([text], error_rate), ["a"])


def ended(search, results):
    """How many results it took, in this order."""
    for count, result in enumerate(results, start=1):
        if search.tell("a", {"x": float(result)}) is not sf.Outcome.UNDECIDED:
            return count
    raise AssertionError("the last item leaves nothing open")


def test_it_is_written_and_read_back():
    for text in ("x >= 0.85 : bernoulli of 500", "x <= 3 ~ 0.5 : bounded(0, 10) of 20"):
        metric = as_metric(text)
        assert str(metric) == text
        assert as_metric(metric.exact()) == metric
    assert as_metric("x >= 0.85 : bernoulli of 500").noise == FiniteSet(0.0, 1.0, 500, coins=True)


@pytest.mark.parametrize("text", ["x >= 1 : bernoulli of 3", "x <= 0 : bernoulli of 3"])
def test_all_items_of_a_set_may_have_to_pass(text):
    passing, failing = (1.0, 0.0) if ">=" in text else (0.0, 1.0)
    assert ended(search_of(text), [passing] * 3) == 3
    failed = search_of(text)
    assert ended(failed, [passing, failing, passing]) == 2
    assert failed.outcome is sf.Outcome.NONE


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("x >= 0.5 : bernoulli of 0", "a set has a whole number of items, from 1 to 1,000,000, got 0"),
        ("x >= 0.5 : bernoulli of some", "expected how many items the set has, got 'some'"),
        ("x >= 0.5 : normal of 50", "only bernoulli and bounded"),
    ],
)
def test_sets_that_are_none(text, sentence):
    with pytest.raises(InvalidThreshold, match=sentence):
        as_metric(text)


def test_all_limits_are_about_the_same_set():
    with pytest.raises(InvalidProblem, match="sets of 10 and 20"):
        sf.problem_of(["x >= 0.5 : bernoulli of 10", "y >= 0.5 : bernoulli of 20"])


@pytest.mark.parametrize("ones", [0, 8, 9, 10, 11, 20])
@pytest.mark.parametrize("limit", ["x >= 0.5", "x <= 0.5"])
def test_at_the_last_item_the_answer_is_certain_and_right(ones, limit):
    """At an error rate so small that no evidence could suffice before."""
    results = np.random.default_rng(ones).permutation([1] * ones + [0] * (20 - ones))
    search = search_of(f"{limit} : bernoulli of 20", error_rate=1e-12)
    ended(search, results)
    passes = ones / 20 >= 0.5 if ">" in limit else ones / 20 <= 0.5
    assert search.verdict.outcome == ("FOUND" if passes else "NONE")


def test_what_the_rest_cannot_change_is_decided_at_once():
    assert ended(search_of("x >= 0.5 : bernoulli of 10", 1e-12), [1] * 10) == 5
    assert ended(search_of("x >= 0.5 : bernoulli of 10", 1e-12), [0] * 10) == 6


def test_fewer_evaluations_than_with_replacement():
    """.88 against .85: the bar is .35 of what it takes with replacement."""
    rng = np.random.default_rng(2)
    without, with_replacement = [], []
    for _ in range(12):
        without.append(ended(search_of("x >= 0.85 : bernoulli of 500"), rng.permutation([1] * 440 + [0] * 60)))
        free = search_of("x >= 0.85 : bernoulli")
        with_replacement.append(ended(free, (1 if rng.random() < 0.88 else 0 for _ in range(100_000))))
    assert np.mean(without) <= 0.35 * np.mean(with_replacement)


def test_the_evidence_is_that_of_bets_against_what_is_left():
    results = np.array([1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0])
    search = search_of("x >= 0.5 : bernoulli of 50")
    for result in results:
        search.tell("a", {"x": float(result)})
    progress = search.status(0).accept_progress[0]
    level = search._parts.judge.accept_level
    assert progress * level == pytest.approx(log_evidence(results, 50, 0.5), abs=1e-6)


def naive_evidence(results: list[float], size: int, theta: float, limit: float) -> float:
    """ln of the evidence that the mean over the set is above theta, bet by bet and item by item.

    Bets are in units of the largest spread that there is at the limit; nothing is bet once the claim is certain.
    """
    inside = min(max(limit, 0.5 / size), 1.0 - 0.5 / size)
    capitals = []
    for bet, weight in naive.BOUNDED_BETS.items():
        capital = log(weight / sum(naive.BOUNDED_BETS.values()))
        for place, result in enumerate(results[:size]):
            expected = min((size * theta - sum(results[:place])) / (size - place), 1.0)
            if expected > 0.0:
                stake = min(bet / sqrt(inside * (1.0 - inside)), 0.99 / expected)
                capital += log1p(stake * (result - expected))
        capitals.append(capital)
    return naive.log_sum(capitals)


@pytest.mark.parametrize("pulls", [1, 12, 24, 40, 45])
@pytest.mark.parametrize(("sign", "limit", "tolerance"), [(">=", 5.0, 1.0), ("<=", 5.0, 0.5), (">=", 2.0, 0.0)])
def test_evidence_for_and_against_a_set_is_that_of_bets_against_what_is_left(sign, limit, tolerance, pulls):
    """In a range of its own, with a tolerance, and beyond the set, where further results say nothing."""
    problem = sf.problem_of([f"x {sign} {limit} ~ {tolerance} : bounded(2, 12) of 40"])
    noise, slope = problem.noise(1), problem.standardisation().slopes[0]
    values = 2.0 + 10.0 * np.random.default_rng(pulls).beta(2.0, 6.0, pulls)
    deficits, more = slope * (values - limit), np.zeros(noise.extra)
    for deficit in deficits.tolist():
        noise.fold(0, more, deficit, 1.0)
    better = (values - 2.0) / 10.0 if sign == ">=" else (12.0 - values) / 10.0
    origin = (limit - 2.0) / 10.0 if sign == ">=" else (12.0 - limit) / 10.0
    seen, theta = better[:40].sum(), origin - tolerance / 10.0
    fails = seen + max(40 - pulls, 0) < 40 * origin - 1e-9
    sides = (
        (noise.within, seen >= 40 * theta - 1e-9, (better.tolist(), 40, theta, origin)),
        (noise.below, fails, ((1.0 - better).tolist(), 40, 1.0 - origin, origin)),
    )
    for evidence, is_certain, told in sides:
        expected = inf if is_certain else naive_evidence(*told)
        assert evidence(0, pulls, float(deficits.sum()), more, 1.0) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("text", ["x >= 0.5 : bounded(0, 1) of 20", "x >= 0.3 : bounded(0, 1) of 8"])
def test_evidence_never_falls_when_a_result_gets_better(text):
    """Early decisions rest on it: they give missing results their worst values (`search.early_decision`)."""
    problem, rng = sf.problem_of([text]), np.random.default_rng(3)
    size, limit, table = problem.metrics[0].noise.size, problem.metrics[0].threshold, problem.noise(1)

    def over_time(results):
        more, found = np.zeros(table.extra), []
        for pulls, result in enumerate(results, start=1):
            table.fold(0, more, limit - result, 1.0)
            sums = pulls, float((limit - results[:pulls]).sum()), more, 1.0
            found.append((table.within(0, *sums), table.below(0, *sums)))
        return np.array(found).T

    for _ in range(500):
        worse = rng.beta(0.3, 0.3, size)
        better = worse.copy()
        place = rng.integers(size)
        better[place] = min(1.0, better[place] + 0.02)
        (within, below), (more_within, less_below) = over_time(worse), over_time(better)
        assert (more_within >= within - 1e-9).all()
        assert (less_below <= below + 1e-9).all()


def test_the_interval_narrows_to_the_mean():
    values = np.random.default_rng(5).permutation([2.0] * 30 + [5.0] * 20)
    search = search_of("x >= 9 ~ 8.5 : bounded(0, 10) of 50", 0.1)
    widths = []
    for value in values:
        search.tell("a", {"x": float(value)})
        interval = search.status(0).intervals[0]
        assert interval.low <= values.mean() + 1e-9
        assert interval.high >= values.mean() - 1e-9
        widths.append(interval.high - interval.low)
    assert widths[0] > 5.0
    assert widths[-1] == pytest.approx(0.0, abs=1e-9)


def test_beside_a_baseline_the_interval_is_that_of_the_differences():
    study = sf.create_study(["a"], ["x >= baseline - 0.1 : bounded(-1, 1) of 30"], baseline="old", error_rate=1e-9)
    while (pull := study.ask()) is not None:
        study.tell(pull, {"x": 0.8}, {"x": 0.5})
    status = study.status("a")
    assert status.means[0] == pytest.approx(0.3)
    left = 30 - status.pulls
    assert status.intervals[0] == pytest.approx(((0.3 * status.pulls - left) / 30, (0.3 * status.pulls + left) / 30))


def test_every_config_gets_the_same_items_in_the_same_order():
    study = sf.create_study(["a", "b"], ["x >= 0.5 : bernoulli of 30"], seed=3)
    seen = {"a": [], "b": []}
    while (pull := study.ask()) is not None:
        seen[pull.name].append(pull.item)
        study.tell(pull, {"x": pull.item % 2})
    items = list(study.spec.items.order)
    assert sorted(items) == list(range(30))
    assert items != list(range(30))
    assert all(own == items[: len(own)] for own in seen.values())
    assert sf.create_study(["a"], ["x >= 0.5"]).ask().item is None


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_simulated_sets_are_drawn_without_replacement(engine):
    """With replacement the last item would decide nothing, and at this error rate evidence cannot."""
    problem = sf.problem_of(["x >= 0.5 : bernoulli of 40", "y <= 0.5 : bernoulli of 40"], 1e-9)
    instance = sf.Instance.of(problem, sf.arms_for(problem, [[0.5, 0.5], [0.475, 0.5], [0.5, 0.525]]))
    result = run_cell(Cell(instance, sf.Pandora(), sf.Evidence(), 20, 1_000, 1), engine=engine)
    assert set(result.found.tolist()) == {0}
    assert result.pulls.max() <= 3 * 40


def test_the_verdict_says_that_items_must_always_give_the_same_result():
    both = sf.problem_of(["x >= 0.5 : bernoulli of 3", "y >= 0.5 : bernoulli of 3", "z <= 9 : normal"])
    search = sf.Search(both, ["a"])
    assert search.verdict.condition == "every item gives the same result each time and z is normal"
    only = search_of("x >= 0.5 : bernoulli of 3")
    ended(only, [1, 1])
    assert str(only.verdict).endswith("at most 5 % if every item gives the same result each time")


SET_AND_MORE = ["x >= 0.5 : bernoulli of 8", "y <= 3 : bounded(0, 4)"]


@pytest.mark.parametrize("thresholds", [SET_AND_MORE, ["x >= 0.5 : bounded(0, 1) of 8", "y <= 3 : bounded(0, 4)"]])
def test_after_the_last_item_a_metric_is_certain_and_not_asked_for(thresholds):
    """Eight items, five of which pass; then the other metric alone, with and without a number for this one."""
    study = sf.create_study(["a"], thresholds, error_rate=1e-9, seed=4)
    for number in range(30):
        pull = study.ask()
        assert (pull.item is None) == (number >= 8)
        passed = {} if number % 2 and pull.item is None else {"x": 1.0 if pull.item in (0, 2, 4, 5, 7, None) else 0.0}
        study.tell(pull, {**passed, "y": 2.5 + 0.1 * (number % 3)})
    status = study.status("a")
    assert status.means[0] == pytest.approx(5 / 8)
    assert status.intervals[0] == pytest.approx((5 / 8, 5 / 8))
    assert (status.results, status.accept_progress[0]) == ((8, 30), 1.0)
    assert [one.results["x"] for one in study.evaluations()].count(None) == 22
    assert study.to_dataframe()["x"].isna().sum() == 22
    assert study.view().counts.told == 30


def test_a_failure_after_the_last_item_is_no_worst_result_of_it():
    study = sf.create_study(["a"], SET_AND_MORE, error_rate=1e-9, on_error="worst")
    for _ in range(8):
        study.tell(study.ask(), {"x": 1, "y": 2.0})
    for _ in range(3):
        study.fail(study.ask(), "too late")
    assert study.status("a").means[0] == 1.0
    assert [one.results["x"] for one in study.evaluations()][8:] == [None] * 3


@pytest.mark.parametrize("rule", ["pandora", "murphy", "thompson"])
def test_a_set_that_is_through_leaves_the_choice(rule):
    """Of two arms alike in the other metric the one whose set is through, and barely passes, is as good as any."""
    problem = sf.problem_of(["x >= 0.5 : bernoulli of 4", "y <= 3 : bounded(0, 4)"], 1e-9)
    search = sf.Search(problem, ["a", "b"], rule=rule)
    for count in range(40):
        for arm in ("a", "b"):
            search.tell(arm, {"x": float(count % 2), "y": 2.9 + 0.1 * (count % 2)})
    assert all(status.means[0] == 0.5 for status in search.statuses())
    asked = set()
    for _ in range(20):
        arm, item = search.ask_item()
        assert item is None
        asked.add(arm)
        search.tell(arm, {"y": 2.9})
    assert asked


def test_a_boundary_has_no_notion_of_a_set():
    with pytest.raises(InvalidProblem, match=r"is known after 20 items.*'evidence'"):
        sf.Search(sf.problem_of(["x >= 0.5 : bernoulli of 20"]), ["a"], rule="multitucb", stopping="alpha")
    sf.Search(sf.problem_of(["x >= 0.5 : bernoulli of 20 sampled"]), ["a"], rule="multitucb", stopping="alpha")


def test_a_search_over_a_set_names_the_item():
    search = search_of("x >= 0.5 : bernoulli of 6")
    with pytest.raises(InvalidProblem, match=r"set of 6 items.*search\.ask_item\(\)"):
        search.ask()
    seen = []
    while (asked := search.ask_item())[0] is not None:
        assert search.ask_item() == asked
        seen.append(asked[1])
        search.tell(asked[0], {"x": asked[1] % 2})
    assert asked == (None, None)
    assert len(set(seen)) == len(seen)


def test_the_order_of_items_follows_from_the_seed_alone():
    """And from a stream of numbers that numpy promises to keep."""
    raw = np.random.Philox(key=7, counter=[0, 0, 2, 0]).random_raw(12)
    study = sf.create_study(["a"], ["x >= 0.5 : bernoulli of 12"], seed=7)
    assert [study.spec.items.of(n, n) for n in range(13)] == [*np.argsort(raw).tolist(), None]


@pytest.mark.parametrize("names", [["a"], ["a", "b", "c"]])
def test_no_item_is_given_out_twice_while_results_are_out(names):
    """More workers than items: there is nothing more to ask for, not even an evaluation without an item."""
    study = sf.create_study(names, ["x >= 0.5 : bernoulli of 5"], error_rate=1e-9)
    pulls = []
    while (pull := study.ask()) is not None:
        pulls.append(pull)
    assert sorted((pull.name, pull.item) for pull in pulls) == [(name, item) for name in names for item in range(5)]
    assert study.outcome is sf.Outcome.UNDECIDED
    for pull in reversed(pulls):
        study.tell(pull, {"x": 1})
    assert study.outcome is sf.Outcome.FOUND


def test_items_of_a_group_are_those_of_its_set():
    limits = ["x >= 0.5 : bernoulli of 4 @ quality", "y <= 3 : bounded(0, 4) @ speed"]
    study = sf.create_study(["a", "b"], limits, error_rate=1e-6)
    items = {"a": [], "b": []}
    while (pull := study.ask()) is not None and len(items["a"]) + len(items["b"]) < 200:
        if pull.groups == ("quality",):
            items[pull.name].append(pull.item)
            study.tell(pull, {"x": 1})
        else:
            assert pull.item is None
            study.tell(pull, {"y": 2.0})
    assert study.outcome is sf.Outcome.FOUND
    assert all(len(set(own)) == len(own) <= 4 for own in items.values())


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_a_simulated_search_goes_on_after_the_last_item_for_other_metrics(engine):
    """The set is exactly at its limit, which only its last item proves; the other metric takes some fifty results."""
    problem = sf.problem_of(["x >= 0.5 : bernoulli of 4", "y <= 3 : normal(1)"], 1e-6)
    instance = sf.Instance.of(problem, sf.arms_for(problem, [[0.5, 2.0], [0.25, 2.0]]))
    result = run_cell(Cell(instance, sf.Pandora(), sf.Evidence(), 20, 2_000, 1), engine=engine)
    assert set(result.found.tolist()) == {0}
    assert result.arm_pulls[0] > 4 * 20


@pytest.mark.parametrize("engine", ["interpreted", "compiled"])
def test_more_simulated_workers_than_items_wait(engine):
    problem = sf.problem_of(["x >= 0.5 : bernoulli of 5"], 1e-9)
    instance = sf.Instance.of(problem, sf.arms_for(problem, [[0.4], [0.6]]))
    cell = Cell(instance, sf.Pandora(), sf.Evidence(), 10, 100, 1, 16, as_durations("lognormal(1)"))
    result = run_cell(cell, engine=engine)
    assert set(result.found.tolist()) == {1}
    assert result.asked.max() <= 10


def test_more_than_all_items_cannot_be_asked_for():
    """Where nothing but the set is measured: further results would say nothing new."""
    study = sf.create_study(["a", "b"], ["x >= 0.5 : bernoulli of 5"])
    with pytest.raises(InvalidSpec, match="5 items of 2 configs are all that there is to evaluate, each once, got 11"):
        study.ask(n=11)
    assert len(study.ask(n=10)) == 10
    assert len(sf.create_study(["a"], ["x >= 0.5 : bernoulli of 5", "y <= 1"]).ask(n=8)) == 8
