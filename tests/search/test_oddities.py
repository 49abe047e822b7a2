"""From where on results are odd: each look's part of the false alarms, and each kind of oddity at its boundary."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import stats

from satisfice.problem.problem import problem_of
from satisfice.search import diagnostics
from satisfice.search.diagnostics import LOOKS, Checks, Oddity
from tests.search.test_checks import row_of


def test_the_parts_of_all_looks_and_oddities_are_no_more_than_one():
    assert list(LOOKS) == [25 * 2**k for k in range(35)]
    assert sum(LOOKS.values()) == pytest.approx(1.0, abs=1e-9)
    parts = {25: 0.01, 50: 0.02, 100: 0.05, 200: 0.8, 400: 0.05, 800: 0.035, 1600: 0.0175}
    assert {count: LOOKS[count] for count in parts} == parts
    shares = {one.kind: one.share for one in diagnostics.ALL}
    assert 0.9 < sum(shares.values()) + diagnostics.POOLED_SHARE <= 1.0
    assert max(shares, key=lambda kind: shares[kind]) == "drift"
    assert shares["repeats"] == shares["cap"] == 0.0, "they do not happen to continuous results"


def test_each_look_has_its_part_of_one_false_alarm_in_a_hundred_studies(monkeypatch):
    """Of three metrics a third each; of three configurations the j-th that comes so far 1/j of the first one's."""
    asked: list[tuple[int, float]] = []

    def number(row: list[float], z: float) -> None:
        asked.append((int(row[0]), stats.norm.sf(z)))

    monkeypatch.setattr(diagnostics, "ODDITIES", (Oddity("a", 0.25, number, lambda x, n: "", "", of_normal=False),))
    looked_at = Checks(problem_of(["x <= 3", "y <= 3 : bernoulli", "z <= 3 : spread(1)"]), ["a", "b", "c"])
    rng = np.random.default_rng(1)
    for arm, results in ((2, 60), (0, 30), (1, 25), (0, 20)):
        for _ in range(results):
            looked_at.add(arm, rng.random(3).tolist())
    assert looked_at.found() == ()
    first = 0.01 * 0.25 / 3 / (1 + 1 / 2 + 1 / 3)
    expected = [(25, 0.01), (50, 0.02), (25, 0.01 / 2), (25, 0.01 / 3), (50, 0.02 / 2)]
    for place, (results, part) in enumerate(expected):
        for count, level in asked[3 * place : 3 * place + 3]:
            assert (count, level) == (results, pytest.approx(first * part))
    assert len(asked) == 3 * len(expected)


def boundary(found: Callable[[float], object], low: float, high: float) -> float:
    """Where something begins to be found, between a number where it is not and one where it is."""
    assert found(low) is None
    assert found(high) is not None
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if found(middle) is not None else (middle, high)
    return high


NOISE = np.random.default_rng(6).normal(size=40)


def test_a_first_result_is_odd_twice_as_far_from_the_others_as_any_of_them():
    """Or farther, as far as its t of a regression on being the first asks for."""
    others = NOISE[1:]
    at = boundary(lambda first: diagnostics.warm_up(row_of([others.mean() + first, *others]), 0.0), 0.0, 50.0)
    assert at == pytest.approx(2.0 * np.abs(others - others.mean()).max())
    at = boundary(lambda first: diagnostics.warm_up(row_of([others.mean() - first, *others]), 9.0), 0.0, 500.0)
    t = at / (others.std(ddof=1) * np.sqrt(1.0 + 1.0 / 39))
    assert stats.norm.isf(stats.t.sf(t, 38)) == pytest.approx(stats.norm.isf(stats.norm.sf(9.0) / 2), rel=0.02)


def test_a_large_result_is_odd_from_a_tenth_of_the_sum_on():
    at = boundary(lambda size: diagnostics.largest(row_of([*(5.0 + NOISE), 5.0 + size]), 2.0), 0.0, 900.0)
    assert at + 5.0 == pytest.approx(0.1 * (np.abs(5.0 + NOISE).sum() + at + 5.0))


def test_a_large_result_is_odd_if_no_other_would_be_as_far_off():
    """Around 0 the sum is small, and it is the test that decides: any of 41 on either side may be the farthest."""
    at = boundary(lambda size: diagnostics.largest(row_of([*NOISE, size]), 2.0), 0.0, 900.0)
    t = (at - NOISE.mean()) / (NOISE.std(ddof=1) * np.sqrt(1.0 + 1.0 / 40))
    assert stats.norm.isf(stats.t.sf(t, 39)) == pytest.approx(stats.norm.isf(stats.norm.sf(2.0) / 82), rel=0.01)


def test_results_carry_over_if_the_sum_of_products_is_so_many_roots_of_summed_squares():
    values = np.cumsum(NOISE)
    residuals = np.array([(values[i] - values[:i].mean()) * np.sqrt(i / (i + 1)) for i in range(1, 40)])
    products = residuals[1:] * residuals[:-1]
    z = products.sum() / np.sqrt((products**2).sum())
    expected = min(products.sum() / ((values - values.mean()) ** 2).sum(), 1.0)
    assert diagnostics.autocorrelation(row_of(values), z * (1 - 1e-9)) == pytest.approx(expected)
    assert diagnostics.autocorrelation(row_of(values), z * (1 + 1e-9)) is None
    assert diagnostics.autocorrelation(row_of(-values), 0.9 * z) == pytest.approx(expected)
    assert diagnostics.autocorrelation(row_of(NOISE * (-1.0) ** np.arange(40)), 3.0) is None


@pytest.mark.parametrize(("same", "odd"), [(19, None), (20, 0.5), (25, 0.625)])
@pytest.mark.parametrize("at", [0.0, 1.0, 9.0])
def test_half_of_all_results_as_the_one_before_is_odd(same, odd, at):
    """Of 41 results, 40 have one before them; whether they are the first, the smallest or the largest is nothing."""
    others = np.linspace(2.0, 3.0, 40 - same).tolist()
    for values in ([*[at] * (same + 1), *others], [*others, *[at] * (same + 1)]):
        assert diagnostics.repeats(row_of(values), 0.0) == odd


@pytest.mark.parametrize(("count", "at_cap", "repeated"), [(40, 5, 0), (200, 10, 0), (200, 20, 4), (1000, 50, 20)])
def test_a_cap_is_five_results_and_five_percent_where_hardly_any_others_repeat(count, at_cap, repeated):
    """One less at the cap is none, and more than 2 % of others that repeat are rounded results."""

    def found(at_cap: int, repeated: int) -> float | None:
        others = np.linspace(0.0, 1.0, count - at_cap - repeated)
        return diagnostics.cap(row_of([*others, *[1.0] * repeated, *[9.0] * at_cap]), 0.0)

    assert found(at_cap, repeated) == at_cap / count
    if repeated == 0:
        assert found(at_cap - 1, 0) is None
    else:
        assert found(at_cap, repeated + 1) is None


def test_results_that_differ_by_rounding_alone_do_not_vary():
    assert diagnostics.spreads(row_of([1.0, 1.0 + 1e-9, 1.0, 1.0 - 1e-9]))
    assert not diagnostics.spreads(row_of([1e6, 1e6 + 1e-7, 1e6, 1e6 - 1e-7]))
    for found in (
        diagnostics.drift,
        diagnostics.autocorrelation,
        diagnostics.skewness,
        diagnostics.warm_up,
        diagnostics.largest,
    ):
        assert found(row_of([3.0] * 30), 0.0) is None
