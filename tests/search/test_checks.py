"""The checks beside the evidence: their sums against numpy, what they find, and that a restored search finds it too."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import satisfice as sf
from satisfice.problem.problem import problem_of
from satisfice.search import diagnostics
from satisfice.search.diagnostics import LOOKS, Checks
from satisfice.search.running_sums import FIELDS, with_results


def row_of(values):
    row = [0.0] * len(FIELDS)
    for value in values:
        row = with_results(row, (float(value),))
    return row


def naive(values):
    """The same sums, each from its definition."""
    x = np.array(values, dtype=float)
    n, off = len(x), x - x.mean()
    index = np.arange(n)
    residuals = np.array([(x[i] - x[:i].mean()) * np.sqrt(i / (i + 1)) for i in range(1, n)])
    products = residuals[1:] * residuals[:-1]
    rest, top = x[1:], x[1:].max()
    same = x[1:] == x[:-1]
    return {
        "count": n,
        "mean": x.mean(),
        "second": (off**2).sum(),
        "third": (off**3).sum(),
        "trend": ((index - index.mean()) * off).sum(),
        "lagged": products.sum(),
        "lagged_squares": (products**2).sum(),
        "residual": residuals[-1],
        "first": x[0],
        "last": x[-1],
        "largest": top,
        "smallest": rest.min(),
        "at_largest": (rest == top).sum(),
        "repeats": (same & (x[1:] != top)).sum(),
        "repeats_at_largest": (same & (x[1:] == top)).sum(),
        "size": np.abs(x).sum(),
        "whole": (x == np.round(x)).sum(),
    }


@pytest.mark.parametrize("seed", range(5))
def test_sums_are_those_of_numpy(seed):
    rng = np.random.default_rng(seed)
    values = np.round(1e4 + rng.gamma(2.0, 3.0, 60), rng.integers(0, 4))
    values[values > 1e4 + 9] = 1e4 + 9  # a cap
    values[1] = values[0]
    expected = naive(values)
    assert list(expected) == list(FIELDS)
    assert_allclose(row_of(values), list(expected.values()), rtol=1e-7, atol=1e-7)


def test_drift_is_the_t_test_of_a_regression_on_the_number_of_the_evaluation():
    values = np.random.default_rng(3).normal(size=50) + np.linspace(0, 2, 50)
    found = stats.linregress(np.arange(50), values)
    share = found.rvalue**2
    assert_allclose(2 * stats.norm.sf(diagnostics.z_of_share(share, 50)), found.pvalue, rtol=0.02)
    sd = np.sqrt(((values - found.intercept - found.slope * np.arange(50)) ** 2).sum() / 48)
    assert_allclose(diagnostics.drift(row_of(values), 2.0), found.slope * 49 / sd)


def test_skewness_and_its_test_are_those_of_scipy():
    values = np.random.default_rng(3).gamma(4.0, size=100)
    found, p_value = stats.skew(values), stats.skewtest(values).pvalue
    row = row_of(values)
    assert_allclose(diagnostics.skewness(row, stats.norm.isf(p_value * 1.01)), found)
    assert diagnostics.skewness(row, stats.norm.isf(p_value * 0.99)) is None


def test_a_first_result_is_off_by_standard_deviations_of_the_others():
    values = np.append(9.0, np.random.default_rng(3).normal(size=12))
    others = values[1:]
    expected = (values[0] - others.mean()) / others.std(ddof=1)
    assert_allclose(diagnostics.warm_up(row_of(values), 2.0), expected)


def found_in(values, threshold="x <= 3 : normal", arms=("a",)):
    checks = Checks(problem_of([threshold]), arms)
    for value in values:
        checks.add(0, [float(value)])
    return {one.kind: one for one in checks.found()}


NOISE = np.random.default_rng(8).normal(10.0, 1.0, 200)

ODD = {
    "drift": NOISE + np.linspace(0, 2, 200),
    "skew": 10.0 + np.random.default_rng(4).exponential(size=200),
    "largest": np.where(np.arange(200) == 77, 3000.0, NOISE),
    "warm_up": np.where(np.arange(200) == 0, 60.0, NOISE),
    "repeats": np.round(NOISE / 5.0),
    "cap": np.minimum(NOISE, 11.0),
    "autocorrelation": NOISE + 2.0 * np.sin(np.arange(200) / 3.0),
}


@pytest.mark.parametrize("kind", ODD)
def test_what_is_odd_is_found_and_said_with_its_number_and_what_to_do(kind):
    check = found_in(ODD[kind])[kind]
    assert (check.metric, check.config) == ("x", "a")
    assert check.results in LOOKS
    assert str(check).startswith(f"x of a {check.words}. {check.advice}")
    assert f"{check.results:,}" in check.words or f"{check.results - 1:,}" in check.words


def test_numbers_are_what_the_words_say():
    assert found_in(ODD["drift"])["drift"].number == pytest.approx(2.0, abs=0.5)
    assert found_in(ODD["largest"])["largest"].number == pytest.approx(3000.0 / ODD["largest"].sum())
    assert found_in(ODD["warm_up"])["warm_up"].number == pytest.approx(50.0, rel=0.2)
    assert found_in(ODD["cap"])["cap"].number == pytest.approx((ODD["cap"] == 11.0).mean())
    assert found_in(-ODD["drift"])["drift"].number < 0


def test_a_first_result_that_is_off_is_told_once_and_not_as_skewness_or_a_large_result():
    assert set(found_in(ODD["warm_up"])) == {"warm_up"}


@pytest.mark.parametrize("kind", ["skew", "largest", "warm_up", "repeats", "cap"])
@pytest.mark.parametrize("noise", ["spread(1000)", "subgaussian(1000)", "bounded(0, 4000)"])
def test_no_shape_is_odd_where_any_shape_was_declared(kind, noise):
    assert kind not in found_in(ODD[kind], f"x <= 3 : {noise}")


@pytest.mark.parametrize("kind", ["drift", "autocorrelation"])
@pytest.mark.parametrize("noise", ["", ": normal(1)", ": spread(10)", ": bounded(0, 100)"])
def test_dependence_is_odd_whatever_was_declared(kind, noise):
    assert kind in found_in(ODD[kind], f"x <= 3 {noise}")


def test_constants_overflow_and_failed_evaluations_are_no_news_of_their_own():
    assert {kind: check.number for kind, check in found_in([0.1] * 100).items()} == {"repeats": 1.0}
    assert found_in([0.1] * 100, "x <= 3 : bounded(0, 1)") == {}
    assert found_in([1e140, -1e140] * 100, "x <= 3 : spread(1e141)") == {}
    assert found_in([1e150] * 100) == {}


def test_what_is_checked_of_lists_counts_and_pairs():
    problem = problem_of(["p95(x) <= 3 ~ 0.1", "median(x) <= 2", "share(y <= 1) >= 0.5", "w <= baseline + 3%"])
    checks = Checks(problem, ["a"])
    rng = np.random.default_rng(1)
    for step in range(100):
        values = ([float(v) for v in rng.normal(0.1 * step, 1.0, 4)], {"count": min(step, 100), "of": 100}, 1.0 + step)
        checks.add_results(0, values, (float(rng.normal()),))
    told = {one.metric for one in checks.found() if one.kind == "drift"}
    assert told == {"x", "share(y <= 1)", "w against the baseline"}


def test_a_restored_search_finds_the_same():
    rng = np.random.default_rng(2)
    thresholds = ["x <= 0 : normal", "p90(y) <= 1 ~ 0.01"]
    searches = [sf.Search(problem_of(thresholds, 1e-9), ["a", "b"]) for _ in range(2)]
    for step in range(240):
        results = {"x": float(rng.exponential()) - 1.0, "y": float(rng.normal() + step / 50)}
        for search in searches:
            search.fold(step % 2, *search.checked(results))
        if step == 130:
            state = {name: array.copy() for name, array in searches[0].state().items()}
            searches[1] = sf.Search(problem_of(thresholds, 1e-9), ["a", "b"])
            searches[1].restore(state)
    assert searches[0].checks()
    assert searches[0].checks() == searches[1].checks()


def test_results_added_one_by_one_and_together_are_the_same(monkeypatch):
    """Looks count which arm came first, so that they are made in the order of all results."""
    rng = np.random.default_rng(8)
    problem = problem_of(["x <= 3 : normal", "y <= 3 : normal"])
    came = [(int(rng.integers(3)), [float(rng.normal()), 1e150 if rng.random() < 0.1 else 2.0]) for _ in range(1300)]

    def found(most_waiting):
        monkeypatch.setattr("satisfice.search.diagnostics.MOST_WAITING", most_waiting)
        checks = Checks(problem, ["a", "b", "c"])
        for arm, numbers in came:
            checks.add(arm, numbers)
        return {name: array.tobytes() for name, array in checks.state().items()}, checks.found()

    assert found(1) == found(500) == found(2000)
    assert found(1)[1]
