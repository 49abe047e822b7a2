"""Problems: what is asked, in which units, and what cannot be asked."""

import re
from math import inf, nan

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem, InvalidThreshold, UnknownName

METRIC = sf.Metric("a", 0.5, noise=sf.Normal(1.0))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"threshold": nan}, "the threshold must be a finite number, got nan"),
        ({"threshold": inf}, "the threshold must be a finite number, got inf"),
        ({"threshold": "0.5"}, "the threshold must be a finite number, got '0.5'"),
        ({"threshold": None}, "the threshold must be a finite number, got None"),
        ({"threshold": True}, "the threshold must be a finite number, got True"),
        ({"tolerance": -0.1}, "the tolerance must be zero or more, got -0.1"),
        ({"tolerance": nan}, "the tolerance must be a finite number, got nan"),
        ({"tolerance": inf}, "the tolerance must be a finite number, got inf"),
        ({"direction": "=>"}, "the direction must be '<=' or '>=', got '=>'"),
        ({"noise": sf.Normal(0.0)}, "the noise scale must be a positive finite number, got 0.0"),
        ({"noise": sf.Normal(-1.0)}, "the noise scale must be a positive finite number, got -1.0"),
        ({"noise": sf.Normal(nan)}, "the noise scale must be a positive finite number, got nan"),
        ({"noise": sf.Normal(inf)}, "the noise scale must be a positive finite number, got inf"),
        ({"noise": sf.Normal("1")}, "Normal expects numbers, got '1'"),
        ({"noise": sf.SubGaussian(0)}, "the noise scale must be a positive finite number, got 0"),
        (
            {"noise": sf.Bounded(1, 1)},
            "bounded(low, high) expects two finite numbers with low < high, got low = 1, high = 1",
        ),
        ({"noise": sf.Bounded(0, inf)}, "bounded(low, high) expects two finite numbers"),
        (
            {"noise": 1.2},
            "the noise must be Normal, SubGaussian, Bernoulli, Bounded, Poisson, Independent, Spread, Checked, Exact "
            "or a value of your own with a scale, got 1.2",
        ),
        (
            {"noise": sf.Normal},
            "the noise must be Normal, SubGaussian, Bernoulli, Bounded, Poisson, Independent, Spread, Checked, Exact "
            "or a value of your own with a scale, got",
        ),
    ],
)
def test_what_is_no_metric(change, sentence):
    with pytest.raises(InvalidProblem, match=re.escape(f"Metric 'a': {sentence}")):
        sf.Metric(**({"name": "a", "threshold": 0.5} | change))


@pytest.mark.parametrize("rate", [0, 1, -0.1, 1.5, nan, inf, "0.05", None, True])
def test_error_rates_lie_between_0_and_1(rate):
    with pytest.raises(InvalidProblem, match=r"The error rate must lie strictly between 0 and 1, got .*Try 0.05"):
        sf.Problem((METRIC,), rate)
    with pytest.raises(InvalidProblem, match="The error rate must lie strictly between 0 and 1"):
        sf.Problem((METRIC,)).with_error_rate(rate)


@pytest.mark.parametrize(
    ("thresholds", "sentence"),
    [
        ([], "A problem needs at least one metric with a threshold, got none"),
        (["a >= 1", "b >= 1", "a >= 2"], "Each statistic may have one limit on each side, got several for 'a >='"),
        ([3.0], "A threshold is a string such as 'latency_ms <= 100' or a Metric, got float"),
    ],
)
def test_what_is_no_problem(thresholds, sentence):
    with pytest.raises(InvalidProblem, match=sentence):
        sf.problem_of(thresholds)


@pytest.mark.parametrize(
    ("tolerance", "sentence"),
    [
        ([0.1], "Expected one tolerance, or one for each of the 2 metrics, got 1"),
        ([0.1, 0.2, 0.3], "Expected one tolerance, or one for each of the 2 metrics, got 3"),
        (-1, "Metric 'a': the tolerance must be zero or more, got -1"),
        ([0.1, nan], "Metric 'b': the tolerance must be a finite number, got nan"),
        (None, "Metric 'a': the tolerance must be a finite number, got None"),
    ],
)
def test_tolerances_that_do_not_fit(tolerance, sentence):
    with pytest.raises(InvalidProblem, match=sentence):
        sf.problem_of(["a >= 1", "b >= 1"]).with_tolerance(tolerance)


def test_tolerances_for_all_and_for_each():
    problem = sf.problem_of(["a >= 1 ~ 3", "b >= 1"], 0.1)
    assert [metric.tolerance for metric in problem.with_tolerance(0.5).metrics] == [0.5, 0.5]
    assert [metric.tolerance for metric in problem.with_tolerance((0.5, 0.25)).metrics] == [0.5, 0.25]
    assert problem.with_tolerance(0.5).error_rate == 0.1


def test_numbers_of_numpy_are_numbers():
    metric = sf.Metric("a", np.int64(3), tolerance=np.float32(0.5), noise=sf.Normal(np.float64(2.0)))
    assert metric == sf.Metric("a", 3.0, tolerance=0.5, noise=sf.Normal(2.0))
    assert sf.Problem((metric,), np.float64(0.25)).error_rate == 0.25


def test_metrics_by_name():
    problem = sf.problem_of(["latency_ms <= 100", "loss <= 0.1"])
    assert problem.metric("loss").threshold == 0.1
    with pytest.raises(
        UnknownName, match=r"No metric is called 'latency'. Did you mean 'latency_ms'\? Known: latency_ms, loss"
    ):
        problem.metric("latency")
    with pytest.raises(UnknownName, match=r"^No metric is called 'xyz'. Known: latency_ms, loss.$"):
        problem.metric("xyz")


def test_an_unknown_noise_scale_is_named_with_what_to_write():
    with pytest.raises(InvalidProblem, match=r"Metric 'b' does not say how noisy .*Write 'b <= 2 : normal\(SD\)'"):
        sf.Search(sf.problem_of(["a >= 1 : normal(1)", "b <= 2"]), ["x"], stopping=sf.AlphaBoundary())


def test_standardised_units_are_those_of_the_noisiest_metric():
    problem = sf.problem_of(
        [
            "a >= 3 ~ 0.5 : normal(2)",
            "b <= 10 ~ 1 : normal(8)",
            "c >= 0.5 ~ 0.25 : bernoulli",
            "d <= 1 : bounded(-3, 5)",
        ]
    )
    standard = problem.standardisation()
    assert standard.noise_scale == 8
    assert standard.thresholds == (3, 10, 0.5, 1)
    assert standard.slopes == (-4, 1, -16, 2)
    assert standard.tolerances == (2, 1, 4, 0)
    assert problem.setting(7) == sf.Setting(arms=7, metrics=4, error_rate=0.05, noise_scale=8)


@pytest.mark.parametrize(
    ("text", "pointed", "sentence"),
    [
        ("latency", "latency", "expected a comparison, '<=', '>=' or '=='"),
        ("", " ", "expected a comparison"),
        ("latency != 100", "!=", "expected '<=', '>=' or '==', got '!='"),
        ("latency => 100", "=>", "expected '<=', '>=' or '==', got '=>'"),
        ("2fast <= 100", "2fast", "expected a metric or a statistic of one"),
        ("<= 100", "<", "before the comparison, got ''"),
        ("my metric <= 1", "my metric", "expected a metric or a statistic of one"),
        ("latency <= fast", "fast", "expected a number for the threshold, got 'fast'"),
        ("latency <=", None, "expected a number for the threshold, got ''"),
        ("latency <= nan", "nan", "expected a finite number for the threshold, got 'nan'"),
        ("latency <= 1e999", "1e999", "expected a finite number for the threshold"),
        ("latency <= 100 ~ much", "much", "expected a number for the tolerance, got 'much'"),
        ("latency <= 100 ~ -1", "-1", "expected a tolerance of zero or more, got -1"),
        ("latency <= 100 ~ inf", "inf", "expected a finite number for the tolerance"),
        ("latency <= 100 : nomal(2)", "nomal(2)", "No noise model is called 'nomal'. Did you mean 'normal'?"),
        ("latency <= 100 : normal(a)", "a", "expected a number for an argument of normal, got 'a'"),
        ("latency <= 100 : normal(0)", "normal(0)", "the noise scale must be a positive finite number, got 0"),
        ("latency <= 100 : bernoulli(1)", "bernoulli(1)", "bernoulli takes 0 numbers, got 1"),
        ("latency <= 100 : bounded(0)", "bounded(0)", "bounded takes 2 numbers, got 1"),
        ("latency <= 100 : bounded(0, x)", "x", "expected a number for an argument of bounded, got 'x'"),
        (
            "latency <= 100 : bounded(2, 1)",
            "bounded(2, 1)",
            "bounded(low, high) expects two finite numbers with low < high, got low = 2.0, high = 1.0",
        ),
        (
            "latency <= 100 : ",
            None,
            "expected a noise model (normal, subgaussian, bernoulli, bounded, poisson, independent, spread, checked, "
            "exact)",
        ),
        ("latency <= 100 : normal(2", "normal(2", "expected a noise model"),
        (
            "latency <= 40ms",
            "40ms",
            "expected a plain number for the threshold, got '40ms': the unit of latency is not known",
        ),
        ("latency <= 0 ~ 5%", "5%", "a tolerance in percent of a limit of 0 is none"),
        ("p95(p50(x)) <= 1", "p50(x)", "statistics cannot be nested"),
        ("mode(x) <= 1", "mode", "unknown statistic 'mode': expected one of p95(metric), median(metric)"),
        ("share(x) >= 1", "x", "expected share(metric <= number), got 'x'"),
        ("share(x <= ) >= 1", ")", "expected a number for the number inside share, got ''"),
        ("clip(x) <= 1", "x", "expected the name of a metric"),
        ("p95(2x) <= 1", "2x", "expected the name of a metric, got '2x'"),
        ("x <= baseline + 3q", "baseline + 3q", "got '+3q': satisfice does not know the unit 'q'"),
    ],
)
def test_threshold_errors_point_at_the_place(text, pointed, sentence):
    with pytest.raises(InvalidThreshold) as caught:
        sf.problem_of([text])
    first, shown, marks, last = str(caught.value).split("\n")
    assert sentence in first
    assert shown == f"  {text}"
    assert last.startswith("Write it as statistic (<=|>=) limit")
    start, end = marks.index("^") - 2, marks.rindex("^") - 1
    if pointed is None:  # something is missing at the end
        assert start >= len(text.rstrip())
    else:
        assert (text or " ")[start:end] == pointed
