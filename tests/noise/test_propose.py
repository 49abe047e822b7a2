"""What is proposed for a metric suits its results, and says under which condition."""

import numpy as np
import pytest
from scipy.stats import binomtest

from satisfice.noise.propose import Kind, Proposal, proposed
from satisfice.problem.grammar import parse_threshold


def of(*by_config: list[object], name: str = "m") -> Proposal:
    found = proposed(name, by_config)
    assert found is not None
    return found


def test_one_number_that_never_varies_is_exact() -> None:
    found = of([750] * 5, name="size")
    assert found.sentence("size") == "size was 750 in all 5 results: if it is always the same, declare it exact"
    assert found.threshold("size", "<= 800") == "size <= 800 : exact"


def test_a_number_of_its_own_for_each_configuration_is_exact() -> None:
    found = of([750, 750], [820, 820], name="size")
    assert found.kind is Kind.EXACT
    assert found.seen == "was the same in all results of each of 2 configurations"
    assert of([750, 750], [820, 821]).kind is not Kind.EXACT


def test_texts_that_never_vary_are_exact_and_others_are_nothing() -> None:
    assert of(["ok", "ok"], name="status").sentence("status").startswith("status was ok in both results")
    assert proposed("status", [["ok", "late"]]) is None


@pytest.mark.parametrize("values", [[0, 1, 1, 0], [True, False], [1.0, 0.0, 0.0]])
def test_zeros_and_ones_are_bernoulli(values: list[object]) -> None:
    found = of(values)
    assert found.declaration == "bernoulli"
    assert "was 0 or 1 in" in found.seen


def test_always_zero_is_bernoulli_unless_it_is_always_the_same() -> None:
    found = of([0, 0, 0])
    assert found.declaration == "bernoulli"
    assert found.seen == "was 0 in all 3 results"
    assert found.advice.endswith("if it is always the same, exact")


def test_counts_fit_poisson_at_the_stated_rate() -> None:
    random = np.random.default_rng(1)
    fits = sum(of(*random.poisson(6.0, (9, 3)).tolist()).kind is Kind.COUNT for _ in range(2000))
    assert binomtest(fits, 2000).proportion_ci(0.999).high >= 0.9
    assert fits < 2000


def test_whole_numbers_that_scatter_less_or_more_than_counts_are_not_poisson() -> None:
    random = np.random.default_rng(2)
    milliseconds = np.round(random.normal(812, 4, (9, 4))).tolist()
    bursts = (50 * random.poisson(2.0, (9, 4))).tolist()
    assert of(*milliseconds, name="latency_ms").kind is Kind.TIME
    assert of(*bursts, name="errors").kind is not Kind.COUNT
    assert of([3, 5], name="errors").kind is Kind.OTHER, "two numbers show no variance"


def test_a_largest_value_that_repeats_is_a_cap() -> None:
    found = of([12.1, 30.0, 17.3], [30.0, 8.2, 30.0], name="wall_time")
    assert found.kind is Kind.CAPPED
    assert found.declaration == "bounded(0, 30)"
    assert "was exactly its largest, 30, in 3 of 6 results" in found.seen
    assert of([1.1, 2.5, 2.5, 1.1, 2.5, 2.5], name="steps").kind is Kind.OTHER, "others repeat as well"


def test_a_list_has_a_percentile() -> None:
    assert of([[1.0, 2.0], [3.0, 1.0]], name="times").threshold("times", "<= 2") == "p95(times) <= 2"


def test_one_result_of_each_says_nothing() -> None:
    assert proposed("m", [[1.0], [2.0]]) is None
    assert proposed("m", []) is None


@pytest.mark.parametrize("values", [[0, 1], [12.1, 30.0, 17.3, 30.0, 30.0], [1.5, 2.5], [[1.0], [2.0]]])
def test_what_is_proposed_can_be_read(values: list[object]) -> None:
    parse_threshold(of(values).threshold("m", "<= 0.5 ~ 0.1"))
