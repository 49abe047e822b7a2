"""Exact metrics: one result decides, at no share of the error rate, and a differing one stops the study."""

from math import inf

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem, InvalidSpec, RuledOut, StudyStopped
from satisfice.noise.process import Interval
from satisfice.search.search import Search
from satisfice.stopping import judge_of

SIZE, LATENCY = "size <= 800 : exact", "latency <= 100 ~ 5 : normal(20)"


def told(search: Search, sizes: dict[str, float], seed: int = 0) -> dict[str, int]:
    """How often each arm is evaluated until there is a verdict; all have a latency around 90."""
    rng, counts = np.random.default_rng(seed), dict.fromkeys(sizes, 0)
    while (arm := search.ask()) is not None:
        counts[arm] += 1
        search.tell(arm, {"size": sizes[arm], "latency": rng.normal(90.0, 20.0)})
    return counts


def test_a_miss_rejects_after_one_evaluation_and_a_pass_leaves_the_rest_to_decide() -> None:
    sizes = {"large": 801.0, "small": 800.0, "huge": 1e6}
    search = Search(sf.problem_of([SIZE, LATENCY]), tuple(sizes))
    counts = told(search, sizes)
    verdict = search.verdict
    assert (verdict.outcome, verdict.arm) == (sf.Outcome.FOUND, "small")
    assert all(counts[arm] <= 1 for arm in ("large", "huge"))
    assert "if size is the same every time" in str(verdict)


def test_where_all_miss_there_is_none_after_one_evaluation_each() -> None:
    sizes = {"a": 900.0, "b": 900.0}
    search = Search(sf.problem_of([SIZE, LATENCY]), tuple(sizes))
    assert told(search, sizes) == {"a": 1, "b": 1}
    assert search.verdict.outcome is sf.Outcome.NONE


@pytest.mark.parametrize("arms", [1, 3])
def test_alone_it_takes_one_evaluation(arms: int) -> None:
    names = tuple(f"c{number}" for number in range(arms))
    search = Search(sf.problem_of([SIZE]), names)
    arm = search.ask()
    search.tell(arm, {"size": 800})
    assert (search.verdict.outcome, search.verdict.arm) == (sf.Outcome.FOUND, arm)


def test_it_takes_no_share_of_the_error_rate() -> None:
    with_size, alone = (judge_of(sf.Evidence(), sf.problem_of(asked), 5) for asked in ([SIZE, LATENCY], [LATENCY]))
    levels = ("accept_level", "reject_level", "lone_level")
    assert [getattr(with_size, level) for level in levels] == [getattr(alone, level) for level in levels]


def test_it_takes_as_many_evaluations_as_the_other_metrics_alone() -> None:
    """The same results of the noisy metric lead to the same asks where every configuration has a size that passes."""
    names = ("a", "b", "c")
    for seed in range(5):
        asks = []
        for thresholds in ([LATENCY], [SIZE, LATENCY]):
            search, rng = Search(sf.problem_of(thresholds), names, seed=seed), np.random.default_rng(seed)
            asks.append([])
            while (arm := search.ask()) is not None:
                asks[-1].append(arm)
                search.tell(arm, {"size": 700, "latency": rng.normal(97.0 + 3.0 * names.index(arm), 20.0)})
        assert asks[0] == asks[1]


def test_its_interval_is_the_number() -> None:
    search = Search(sf.problem_of([SIZE, LATENCY]), ("a", "b"))
    for _ in range(3):
        search.tell("a", {"size": 750.25, "latency": 100.0})
    status = search.statuses()[0]
    assert status.means[0] == 750.25
    assert status.intervals[0] == Interval(750.25, 750.25)
    assert status.accept_progress[0] == 1.0
    search.tell("b", {"size": 900.0, "latency": 100.0})
    assert search.statuses()[1].reject_progress[0] == 1.0


def test_a_differing_result_is_refused_by_a_search() -> None:
    search = Search(sf.problem_of([SIZE, LATENCY]), ("a", "b"))
    search.tell("a", {"size": 750, "latency": 100.0})
    with pytest.raises(RuledOut, match="'a' gave size 750, and 751 when it was evaluated again"):
        search.tell("a", {"size": 751, "latency": 100.0})
    search.tell("a", {"size": 750 * (1 + 1e-14), "latency": 90.0})  # but for rounding
    search.tell("b", {"size": 751, "latency": 100.0})


@pytest.mark.parametrize("on_error", ["stop", "retry", "worst"])
def test_a_differing_result_stops_a_study_for_good_and_is_in_its_log(tmp_path, on_error: str) -> None:
    url = f"sqlite:///{tmp_path}/study.db"
    worst = {"latency": 1000.0} if on_error == "worst" else None
    with sf.create_study(["a"], [SIZE, LATENCY], storage=url, on_error=on_error, worst=worst) as study:
        first, second, third = study.ask(3)
        study.tell(first, {"size": 750, "latency": 99.0})
        study.tell(second, {"size": 751, "latency": 99.0})
        with pytest.raises(StudyStopped, match=r"'a' gave size 750, and 751 when it was evaluated again\. Leave out"):
            study.ask()
        assert [each.results["size"] for each in study.evaluations()] == [750, 751]
        del third
    assert sf.verify(url).ok


def test_results_that_wait_for_an_earlier_one_are_compared_when_they_are_told() -> None:
    study = sf.create_study(["a"], [SIZE, LATENCY])
    first, second, third = study.ask(3)
    study.tell(third, {"size": 750, "latency": 99.0})
    study.tell(first, {"size": 760, "latency": 99.0})
    with pytest.raises(StudyStopped, match="gave size 750, and 760"):
        study.ask()
    del second


def test_what_is_known_is_known_again_after_a_snapshot() -> None:
    problem = sf.problem_of([SIZE, LATENCY])
    search, other = Search(problem, ("a", "b")), Search(problem, ("a", "b"))
    search.tell("a", {"size": 750, "latency": 100.0})
    other.restore(search.state())
    with pytest.raises(RuledOut, match="gave size 750, and 1"):
        other.tell("a", {"size": 1, "latency": 100.0})


def test_a_failed_evaluation_says_nothing_about_it() -> None:
    """Under 'worst' a crash counts against the noisy metrics alone."""
    study = sf.create_study(["a"], [SIZE, LATENCY], on_error="worst", worst={"latency": 200.0})
    study.tell(study.ask(), {"size": 750, "latency": 90.0})
    study.fail(study.ask(), "crashed")
    assert study.outcome is sf.Outcome.UNDECIDED
    assert study.status("a").means[0] == pytest.approx(750.0, abs=60.0)
    study.tell(study.ask(), {"size": 750, "latency": 90.0})
    with pytest.raises(InvalidSpec, match="'size' is exact, so a failed evaluation says nothing"):
        sf.create_study(["a"], [SIZE, LATENCY], on_error="worst", worst={"latency": 200.0, "size": 900.0})


@pytest.mark.parametrize(
    ("threshold", "instead"),
    [
        ("size <= 800 ~ 50 : exact", "size <= 850 : exact"),
        ("size >= 800 ~ 5% : exact", "size >= 760 : exact"),
        ("size <= baseline + 3% ~ 1% : exact", "size <= baseline \\+ 4% : exact"),
        ("clip(size, 900) <= 800 : exact", "size <= 800 : exact"),
    ],
)
def test_a_tolerance_or_another_statistic_is_refused_with_what_it_would_mean(threshold: str, instead: str) -> None:
    with pytest.raises(InvalidProblem, match=f"'{instead}'"):
        sf.problem_of([threshold])


def test_the_papers_rules_and_boundary_say_that_they_cannot_have_it() -> None:
    for choice in ({"rule": "multitucb"}, {"stopping": "alpha"}):
        with pytest.raises(InvalidProblem, match="'size' is exact, and this rule takes all metrics for noisy"):
            Search(sf.problem_of([SIZE, LATENCY]), ("a",), **choice)


def test_one_evaluation_tells_all_of_it() -> None:
    metric = sf.problem_of([SIZE]).metrics[0]
    assert sf.theory.information(metric, 800.0, sf.theory.Side.ACCEPT) == inf
    assert sf.theory.information(metric, 801.0, sf.theory.Side.ACCEPT) == 0.0
    assert sf.theory.information(metric, 801.0, sf.theory.Side.REJECT) == inf


def test_a_group_of_exact_metrics_is_measured_once() -> None:
    study = sf.create_study(["a", "b"], [f"{SIZE} @ static", f"{LATENCY} @ timed"])
    rng, counts = np.random.default_rng(3), {"static": 0, "timed": 0}
    pulls = study.ask(4)
    while pulls:
        for pull in pulls:
            counts[pull.groups[0]] += 1
            study.tell(pull, {"size": 700} if pull.groups == ("static",) else {"latency": rng.normal(95.0, 20.0)})
        pulls = study.ask(4)
    assert study.outcome is sf.Outcome.FOUND
    assert counts["static"] <= 2


@pytest.mark.parametrize(
    ("threshold", "written", "right", "wrong"),
    [
        ("exit_code == 0", "exit_code == 0", 0, 3),
        ("valid == true : exact", "valid == true", True, False),
        ("valid == false", "valid == false", False, 1),
        ("status == ok", "status == ok", "ok", "bad"),
        ('status == "all ok: 3 @ ~ x"', 'status == "all ok: 3 @ ~ x"', "all ok: 3 @ ~ x", "ok"),
        ("level == 2.5", "level == 2.5", 2.5, "2.5"),
    ],
)
def test_a_text_a_number_or_a_truth_value_must_match(
    threshold: str, written: str, right: object, wrong: object
) -> None:
    problem = sf.problem_of([threshold])
    assert str(problem.metrics[0]) == written
    assert sf.problem_of([written]) == problem
    study = sf.create_study(["a", "b"], [threshold])
    results = {"a": wrong, "b": right}
    verdict = study.run(lambda config: {problem.measured[0]: results[config]})
    assert (str(verdict.outcome), verdict.arm) == ("FOUND", "b")
    if study.view().counts.told == 2:
        assert study.explain("a").text == f"rejected after 1 evaluation: {written.replace('==', 'is not')}"


@pytest.mark.parametrize(
    ("threshold", "message"),
    [
        ("status == not ok", "in quotes"),
        ("status == ", "expected a number, true, false or a text"),
        ('status == "open', "expected a number, true, false or a text"),
        ("x == baseline", "compares with a value, not with the baseline"),
        ("p95(x) == 3", "about a result itself"),
        ("x == 3 ~ 1", "expected a number, true, false or a text"),
        ("x == 3 : normal", "a result that must be 3 is ': exact', got ': normal'"),
    ],
)
def test_what_cannot_be_matched_is_refused(threshold: str, message: str) -> None:
    with pytest.raises(InvalidProblem, match=message):
        sf.problem_of([threshold])


def test_a_matched_text_is_kept_as_it_came(tmp_path) -> None:
    url = f"sqlite:///{tmp_path}/study.db"
    with sf.create_study(["a", "b"], ["status == ok", LATENCY], storage=url) as study:
        for pull in study.ask(2):
            study.tell(pull, {"status": "bad" if pull.config == "a" else "ok", "latency": 90.0})
        assert sorted(each.results["status"] for each in study.evaluations()) == ["bad", "ok"]
        another = study.ask()
        study.tell(another, {"status": "no", "latency": 90.0})
        with pytest.raises(StudyStopped, match="'b' gave status ok, and something other than ok"):
            study.ask()
    assert sf.verify(url).ok
    with pytest.raises(sf.errors.InvalidResult, match="Expected a text, a number, or true or false"):
        sf.create_study(["a"], ["status == ok"]).check({"status": ["ok"]})
