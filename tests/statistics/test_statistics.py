"""Statistics other than the mean: what they are asked, what an evaluation says about them, what is said of them."""

from dataclasses import replace
from fractions import Fraction
from math import exp, inf, log

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem, InvalidResult
from satisfice.problem.metric import as_metric
from satisfice.statistics import ClippedMean, GeometricMean, Percentile, Share
from satisfice.statistics.raw import Unexpected

WRITTEN = {
    "p95(x) <= 200 ~ 10": Percentile(95.0),
    "p99.9(x) <= 200": Percentile(99.9),
    "median(x) >= 3": Percentile(50.0),
    "share(x <= 200) >= 0.99 ~ 0.002": Share(200.0),
    "share(x >= 2) <= 0.1": Share(2.0, at_most=False),
    "share(x <= baseline + 3%) >= 0.5": Share(0.0, ratio=1.03),
    "geomean(x) <= 3 ~ 0.1": GeometricMean(),
    "clip(x, 1000) <= 30 ~ 5%": ClippedMean(1000.0),
}


@pytest.mark.parametrize("text", WRITTEN)
def test_a_statistic_is_read_and_written_back(text):
    metric = as_metric(text)
    assert metric.name == "x"
    assert metric.statistic == WRITTEN[text]
    assert as_metric(str(metric)) == metric == as_metric(metric.exact())


@pytest.mark.parametrize(
    ("text", "ratio", "threshold", "tolerance", "tolerance_ratio"),
    [
        ("x <= baseline + 3%", 1.03, 0, 0, 0),
        ("x <= baseline - 7% ~ 1%", 0.93, 0, 0, 0.01),
        ("x <= baseline", 1.0, 0, 0, 0),
        ("x >= 0.98 * baseline ~ 2", 0.98, 0, 2, 0),
        ("x >= baseline*0.98", 0.98, 0, 0, 0),
        ("x <= baseline + 3", 1.0, 3, 0, 0),
        ("x <= 2 * baseline - 3.5", 2.0, -3.5, 0, 0),
    ],
)
def test_limits_relative_to_a_baseline(text, ratio, threshold, tolerance, tolerance_ratio):
    metric = as_metric(text)
    assert (metric.ratio, metric.threshold, metric.tolerance) == (ratio, threshold, tolerance)
    assert metric.tolerance_ratio == tolerance_ratio
    assert as_metric(str(metric)) == metric


def test_less_than_is_read_as_at_most_and_percent_is_of_the_limit():
    assert as_metric("x < 3 ~ 5%") == as_metric("x <= 3 ~ 0.15")
    assert as_metric("x > -40 ~ 10%") == as_metric("x >= -40 ~ 4")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("p100(x) <= 3", "a percentile lies between p0.1 and p99.99, got p100"),
        ("p0(x) <= 3", "a percentile lies between p0.1 and p99.99, got p0"),
        ("p95(x) <= baseline", "limit the share of pairs, as in 'share"),
        ("p95(x) <= 3 : bernoulli", "says no more than their mean"),
        ("p95(x) <= 3 : normal(2)", "shares of results are 'bounded'"),
        ("p95(x) <= 3 : normal(0.1)", "shares of results are 'bounded'"),
        ("share(x <= 3) >= 1", "must lie strictly between 0 and 1, got 1"),
        ("share(x <= baseline) >= 0.5 : normal", "a share of pairs is 'bounded' and never normal"),
        ("share(x <= 3) >= baseline", "a share is limited by a number between 0 and 1"),
        ("geomean(x) <= 0", "the limit of a geometric mean must be positive"),
        ("geomean(x) >= 1 ~ 1", "stay positive with its tolerance"),
        ("geomean(x) <= baseline + 3", "limited by a part of it"),
        ("clip(x, 10) <= 10", "no clipped result is above 10"),
        ("clip(x, 10) <= baseline", "cannot be limited by a baseline"),
    ],
)
def test_statistics_that_cannot_have_such_a_limit(text, sentence):
    with pytest.raises(InvalidProblem, match=sentence):
        as_metric(text)


@pytest.mark.parametrize(
    ("text", "raw", "value", "within", "weight"),
    [
        ("p90(x) <= 2 ~ 1", 2, 1.0, 1.0, 1),
        ("p90(x) <= 2 ~ 1", 2.5, 0.0, 1.0, 1),
        ("p90(x) <= 2 ~ 1", [1, 2, 3, 4], 0.5, 0.75, 4),
        ("p10(x) >= 2 ~ 1", [1, 2, 3, 4], 0.75, 1.0, 4),
        ("share(x <= 2) >= 0.5", [1, 2, 3, 4], 0.5, 0.5, 4),
        ("share(x >= 2) >= 0.5", [1, 2, 3, 4], 0.75, 0.75, 4),
        ("share(x <= 2) >= 0.5", {"count": 3, "of": 4}, 0.75, 0.75, 4),
        ("x <= 0.5 : independent", {"count": 3, "of": 4}, 0.75, 0.75, 4),
        ("geomean(x) <= 3", 5, log(5), log(5), 1),
        ("clip(x, 4) <= 3", 5, 4, 4, 1),
        ("clip(x, 4) <= 3", 2, 2, 2, 1),
    ],
)
def test_what_an_evaluation_says(text, raw, value, within, weight):
    assert as_metric(text).observed(raw) == (value, within, weight)


def test_what_a_pair_says():
    assert as_metric("x <= baseline + 25% ~ 25%").observed(5.0, 2.0) == (5 - 1.25 * 2, 5 - 1.5 * 2, 1)
    assert as_metric("x >= 0.75 * baseline ~ 25%").observed(5.0, 2.0) == (5 - 0.75 * 2, 5 - 0.5 * 2, 1)
    assert as_metric("share(x <= baseline + 1) >= 0.5").observed(3.0, 2.0).value == 1.0
    assert as_metric("share(x <= baseline + 1) >= 0.5").observed([3.0], 1.5).value == 0.0
    assert as_metric("geomean(x) <= baseline").observed(6.0, 2.0).value == pytest.approx(log(3))


@pytest.mark.parametrize("sign", ["<=", ">="])
@pytest.mark.parametrize("sizes", [(1, 3), (4, 1), (5, 3), (3, 7)])
def test_of_two_lists_every_number_is_paired_with_every_other(sign, sizes):
    """Nothing says which number of one belongs to which of the other. Small whole numbers have many ties."""
    dice = np.random.default_rng(sizes)
    own, other = (dice.integers(0, 4, size=size).astype(float).tolist() for size in sizes)
    pairs = [(x <= y + 1.0) if sign == "<=" else (x >= y + 1.0) for x in own for y in other]
    observed = as_metric(f"share(x {sign} baseline + 1) >= 0.5").observed(own, other)
    assert observed == (sum(pairs) / len(pairs), sum(pairs) / len(pairs), 1)


@pytest.mark.parametrize(("raw", "baseline"), [({"count": 1, "of": 1}, 1.0), (1.0, {"count": 1, "of": 1})])
def test_counts_are_no_pairs(raw, baseline):
    with pytest.raises(Unexpected, match="does not say where they lie"):
        as_metric("share(x <= baseline + 1) >= 0.5").observed(raw, baseline)


@pytest.mark.parametrize(
    ("text", "raw", "sentence"),
    [
        ("x <= 3", [1.0, 2.0], "Expected one number rather than 2, since the limit is on a mean"),
        ("x <= 3", {"count": 1, "of": 2}, "one number rather than a count"),
        ("p95(x) <= 3", [], "Expected at least one number in the list"),
        ("p95(x) <= 3", [1.0, None], "Expected a finite number for 'x'"),
        ("p95(x) <= 3", [1.0, [2.0]], "Expected a finite number for 'x'"),
        ("p95(x) <= 3", {"count": 1, "of": 2}, "which does not say where they lie"),
        ("share(x <= 3) >= 0.5", {"count": 3, "of": 2}, "0 <= count <= of"),
        ("share(x <= 3) >= 0.5", {"count": 0, "of": 0}, "1 <= of"),
        ("share(x <= 3) >= 0.5", {"count": 0.5, "of": 1}, "whole numbers"),
        ("share(x <= 3) >= 0.5", {"count": 1}, "Expected a count as"),
        ("p95(x) <= 3 : normal", 1.0, "Expected a list of several numbers, since the share of one is 0 or 1"),
        ("p95(x) <= 3 : normal", [1.0], r"never normal \(leave ': normal' out\) for 'x', got"),
        ("geomean(x) <= 3", 0, "Expected a positive number for 'x'"),
        ("clip(x, 9) <= 3", "4", "Expected a finite number for 'x'"),
    ],
)
def test_results_that_cannot_be_used(text, raw, sentence):
    search = sf.Search(sf.problem_of([text]), ["a"])
    with pytest.raises(InvalidResult, match=sentence):
        search.tell("a", {"x": raw})
    assert search.verdict.evaluations == 0


def test_a_geometric_mean_beyond_all_numbers_is_infinite_and_not_e_to_the_700():
    statistic = as_metric("geomean(x) <= 3").statistic
    assert statistic.shown(800.0) == float("inf")
    assert statistic.shown(0.0) == 1.0


@pytest.mark.parametrize("limit", ["p80(x) <= 3", "share(x <= 3) >= 0.8", "share(x <= 3) >= 0.8 : normal"])
def test_lists_of_any_length_count_by_their_share(limit):
    """As lists of one length with the same shares do."""
    even, odd = (sf.Search(sf.problem_of([limit]), ["a"]) for _ in range(2))
    for within, repeats in ((3, 1), (4, 40), (3, 7), (4, 2)):
        values = [1.0] * within + [9.0] * (5 - within)
        even.tell("a", {"x": values})
        odd.tell("a", {"x": values * repeats})
    assert even.statuses() == odd.statuses()
    assert even.verdict == odd.verdict


def test_independent_lists_count_by_their_length():
    several, one = (sf.Search(sf.problem_of(["share(x <= 3) >= 0.5 : independent"]), ["a"]) for _ in range(2))
    several.tell("a", {"x": [1.0]})
    several.tell("a", {"x": [9.0] * 7 + [1.0] * 2})
    one.tell("a", {"x": [9.0] * 7 + [1.0] * 3})
    assert several.status(0).intervals == one.status(0).intervals


def test_an_empty_list_is_refused_after_others():
    search = sf.Search(sf.problem_of(["p95(x) <= 3"]), ["a"])
    search.tell("a", {"x": [1.0, 2.0]})
    with pytest.raises(InvalidResult, match="Expected at least one number in the list for 'x'"):
        search.tell("a", {"x": []})


def test_counts_are_shares_whatever_depends_on_what_and_of_any_number():
    search = sf.Search(sf.problem_of(["share(x <= 3) >= 0.5"]), ["a"])
    for place in range(20):
        search.tell("a", {"x": {"count": 9 + place, "of": 10 + place}})
    assert search.verdict.outcome == "FOUND"


@pytest.mark.parametrize("percent", ["50", "90", "99.9"])
def test_the_percentile_of_lists_of_any_length_is_where_the_mean_share_reaches_it(percent):
    """By hand, with fractions; nearly all numbers are in one of four lists."""
    dice = np.random.default_rng(11)
    runs = [dice.lognormal(size=size).round(2).tolist() for size in (3, 40, 7)] + [[100.0] * 1000]

    def share(value):
        return sum(Fraction(sum(x <= value for x in run), len(run)) for run in runs) / len(runs)

    by_hand = min(value for run in runs for value in run if share(value) * 100 >= Fraction(percent))
    weighted = {}
    for noise in ("", " : independent"):
        search = sf.Search(sf.problem_of([f"p{percent}(x) <= 5{noise}"]), ["a"])
        for run in runs:
            search.tell("a", {"x": run})
        weighted[noise] = search.status(0).means[0]
    assert weighted == {"": by_hand, " : independent": 100.0}


def test_intervals_of_lists_of_any_length_hold_for_the_mean_share():
    """Slow runs are short: over runs p60 is about 2, over numbers about 1."""
    search = sf.Search(sf.problem_of(["p60(x) <= 100 ~ 1"]), ["a"])
    dice = np.random.default_rng(4)
    for _ in range(300):
        level, size = (2.0, 10) if dice.random() < 0.5 else (1.0, 200)
        search.tell("a", {"x": dice.normal(level, 0.1, size=size)})
    interval = search.status(0).intervals[0]
    assert 1.5 < interval.low <= search.status(0).means[0] <= interval.high < 2.5


def test_lists_of_any_length_in_groups_and_beside_a_baseline():
    thresholds = ["p50(x) <= 3 ~ 1 @ load", "share(x <= baseline + 10%) >= 0.5 ~ 0.2 @ load", "y <= 3 @ other"]
    search = sf.Search(sf.problem_of(thresholds), ["a"])
    dice = np.random.default_rng(6)
    for _ in range(60):
        own, other = (dice.normal(1.0, 0.1, size=dice.integers(1, 30)).tolist() for _ in range(2))
        search.tell("a", {"x": own}, baseline={"x": other})
    status = search.status(0)
    assert status.means[0] == pytest.approx(1.0, abs=0.05)
    assert status.intervals[1].low > 0.5


def test_two_limits_on_one_metric_are_a_band():
    problem = sf.problem_of(["x >= 1 ~ 0.5 : normal(1)", "x <= 5 ~ 0.5 : normal(1)"])
    assert problem.measured == ("x",)
    assert problem.metric_names == ("x >= 1", "x <= 5")
    rng = np.random.default_rng(3)
    verdicts = {}
    for centre in (0.0, 3.0, 6.0):
        search = sf.Search(problem, ["a"])
        while search.ask() is not None:
            search.tell("a", {"x": float(centre + rng.standard_normal())})
        verdicts[centre] = search.verdict.outcome
    assert verdicts == {0.0: "NONE", 3.0: "FOUND", 6.0: "NONE"}


def percentile_by_hand(values, percent):
    return sorted(values)[max(0, -(-len(values) * percent // 100) - 1)]


@pytest.mark.parametrize("size", [1, 20])
def test_the_percentile_itself_is_shown_with_an_interval(size):
    search = sf.Search(sf.problem_of(["p90(x) <= 100 ~ 1", "median(x) <= 100"]), ["a"])
    values = np.random.default_rng(5).lognormal(3, 0.5, size=(150, size))
    for run in values:
        search.tell("a", {"x": run.tolist() if size > 1 else float(run[0])})
    status = search.status(0)
    flat = values.ravel().tolist()
    assert status.means == (percentile_by_hand(flat, 90), percentile_by_hand(flat, 50))
    for mean, interval, truth in zip(status.means, status.intervals, (exp(3 + 0.5 * 1.2816), exp(3)), strict=True):
        assert interval.low <= mean <= interval.high < inf
        assert interval.low <= truth <= interval.high
        assert interval.low in flat
        assert interval.high in flat


def test_a_search_with_lists_goes_on_from_its_state():
    problem = sf.problem_of(["p90(x) <= 30 ~ 2", "share(y <= 1) >= 0.5 : independent"])
    rng = np.random.default_rng(5)
    first = sf.Search(problem, ["a", "b"])
    for place in range(40):
        first.tell("ab"[place % 2], {"x": rng.lognormal(3, 0.5, size=9), "y": {"count": 5 + place % 3, "of": 10}})
    second = sf.Search(problem, ["a", "b"])
    second.restore({name: array.copy() for name, array in first.state().items()})
    assert second.statuses() == first.statuses()
    for search in (first, second):
        search.tell("a", {"x": np.ones(4), "y": {"count": 1, "of": 1}})
    assert second.statuses() == first.statuses()


def test_independent_counts_are_worth_as_many_coins():
    """Evidence from counts is that of the same coins, told one by one."""
    coins, counts = (
        sf.Search(sf.problem_of([f"x >= 0.5 ~ 0.05 : {noise}"]), ["a"]) for noise in ("bernoulli", "independent")
    )
    for ones, of in ((3, 4), (0, 3), (9, 9)):
        counts.tell("a", {"x": {"count": ones, "of": of}})
        for coin in [1] * ones + [0] * (of - ones):
            coins.tell("a", {"x": coin})
    one, many = coins.status(0), counts.status(0)
    assert many.accept_progress == pytest.approx(one.accept_progress, rel=1e-12)
    assert many.reject_progress == pytest.approx(one.reject_progress, rel=1e-12)
    assert many.intervals == one.intervals


def test_counts_of_one_are_chosen_like_coins():
    coins, counts = (
        sf.Search(sf.problem_of([f"x >= 0.5 ~ 0.05 : {noise}"]), ["a"]) for noise in ("bernoulli", "independent")
    )
    for coin in (1, 1, 0, 1):
        counts.tell("a", {"x": {"count": coin, "of": 1}})
        coins.tell("a", {"x": coin})
        for known in ("margins", "tolerances"):
            assert counts.state()[known] == pytest.approx(coins.state()[known], rel=1e-12)


@pytest.mark.parametrize(
    ("thresholds", "condition"),
    [
        (["p95(x) <= 3 ~ 1", "y >= 0.5 : bernoulli", "z <= 3 : bounded(0, 9)"], ""),
        (["w >= 0.5 : bernoulli of 20"], "every item gives the same result each time"),
        (["w >= 0.5 : bernoulli of 20 sampled"], ""),
        (["x <= 3"], "x has no rarer long tail than was seen"),
        (["x <= 3", "y <= 3", "z <= 3"], "x, y and z have no rarer long tail than was seen"),
        (["x <= 3 : normal", "y <= 3 : normal(2)"], "x is normal and y is normal with an sd of at most 2"),
        (["x <= 3 : spread(2)", "y <= 3 : poisson"], "x has an sd of at most 2 and y has Poisson counts"),
        (["p95(x) <= 3 : normal"], "the share behind p95(x) is normal"),
        (["geomean(x) <= 3 : normal"], "ln x is normal"),
        (["x <= baseline : normal"], "x beside the baseline is normal"),
        (["x >= 1 : normal", "x <= 3 : normal"], "x is normal"),
        (["x <= 0.5 : independent"], "x has independent trials inside an evaluation"),
    ],
)
def test_the_verdict_names_its_condition_in_one_clause(thresholds, condition):
    verdict = sf.Search(sf.problem_of(thresholds), ["a"]).verdict
    assert verdict.condition == condition
    assert verdict.certainty.partition(" if ")[2] == condition


def test_undecided_says_what_is_missing():
    rng = np.random.default_rng(1)
    said = {}
    for centre in (0.3, 0.0, -0.3):
        search = sf.Search(sf.problem_of(["x >= 0 : normal(1)"], 1e-9), ["a"])
        values = rng.normal(0, 1, 120)
        for value in centre + values - values.mean():
            search.tell("a", {"x": float(value)})
        said[centre] = search.verdict.guess.missing
    assert said[0.3].startswith("about ")
    assert said[0.3].endswith(" more evaluations of it at present estimates")
    assert said[0.0] == "x sits on its limit: a tolerance would end it"
    assert said[-0.3] == "x rather misses its limit"
    assert "p =" not in str(search.verdict)


def test_undecided_does_not_blame_the_limit_where_a_declaration_is_missing():
    search = sf.Search(sf.problem_of(["ok >= 0.95 ~ 0.02"]), ["a"])
    for number in range(60):
        search.tell("a", {"ok": int(number % 6 > 0)})
    assert search.verdict.guess.missing == (
        "ok was 0 or 1 in all 60 results: if it is never anything else, declare it bernoulli"
    )


@pytest.mark.parametrize("percent", [0.1, 0.5, 1, 2.5, 3, 7, 10, 33, 99])
@pytest.mark.parametrize("sign", ["+", "-"])
def test_a_limit_beside_the_baseline_is_shown_as_it_was_written(percent, sign):
    metric = as_metric(f"x <= baseline {sign} {percent}% ~ 1%")
    assert metric.limited == f"x <= baseline {sign} {percent}%"
    assert as_metric(str(metric)) == metric
    assert metric == as_metric(f"x <= {metric.ratio!r} * baseline ~ 1%")


def test_other_limits_beside_a_baseline_are_shown_as_they_were_written_too():
    factors = ("x >= 0.98 * baseline", "x <= 1.03 * baseline", "x <= baseline * 2", "x <= 2 * baseline - 3.5")
    for text in (*factors, "x <= baseline", "x <= baseline + 3"):
        assert as_metric(text).limited == text


def test_words_of_another_limit_are_not_shown():
    metric = as_metric("x >= baseline - 2%")
    assert replace(metric, ratio=0.5).limited == "x >= 0.5 * baseline"
    assert replace(metric, noise=sf.Normal(1.0)).limited == "x >= baseline - 2%"


@pytest.mark.parametrize("statistic", ["p95(x)", "median(x)", "share(x <= 3)"])
def test_what_holds_for_any_distribution_is_not_checked(statistic):
    """It was taken for bounded, in silence."""
    with pytest.raises(InvalidProblem, match=r"hold for any distribution, so there is no shape to check"):
        as_metric(f"{statistic} <= 0.5 : checked")
    assert as_metric("geomean(x) <= 5 : checked").noise == as_metric("geomean(x) <= 5").noise
