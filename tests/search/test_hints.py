"""What to declare is said after five results, and one metric is named as holding a study up, wherever that is said."""

import re
from math import ceil, log

import numpy as np
import pytest

import satisfice as sf
from satisfice.noise.propose import summary_of
from satisfice.search.hints import summary_of_rows
from satisfice.search.running_sums import FIELDS, with_results
from satisfice.show.as_json import study_document

EXACT = "size was 750 in all 5 results: if it is always the same, declare it exact"


def search_of(thresholds, results, arms=1, error_rate=0.05):
    """A search in which each of these results is told, the arms in turn."""
    search = sf.Search(sf.problem_of(thresholds, error_rate), [f"a{number}" for number in range(arms)])
    for number, each in enumerate(results):
        search.tell(f"a{number % arms}", each)
    return search


def said_of(search):
    return [hint.words for hint in search.hints()]


def test_a_number_that_never_varies_is_said_after_five_results():
    assert said_of(search_of(["size <= 800"], [{"size": 750}] * 4)) == []
    search = search_of(["size <= 800"], [{"size": 750}] * 5)
    assert said_of(search) == [EXACT]
    assert str(search.verdict) == f"UNDECIDED   5 evaluations   closest: a0 ({EXACT})"
    assert search.warnings() == (f"{EXACT}.",)


def test_a_number_of_its_own_for_each_configuration_is_exact_and_one_that_varies_anywhere_is_not():
    each = [{"size": 750 + number % 2} for number in range(10)]
    (words,) = said_of(search_of(["size <= 800"], each, arms=2))
    assert words.startswith("size was the same in all results of each of 2 configurations: if it is always the same")
    assert said_of(search_of(["size <= 800"], [*each, {"size": 749}, {"size": 751}], arms=2)) == []


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ([1, 0, 1, 1, 1], "x was 0 or 1 in all 5 results: if it is never anything else, declare it bernoulli"),
        ([1] * 5, "x was 1 in all 5 results: if every result is 0 or 1, declare it bernoulli"),
        ([3, 5, 2, 4, 6, 2, 3], "x was a whole number, 2 to 6, in all 7 results: if it counts events"),
        ([9.1, 30, 12.5, 30, 30, 8.2, 30, 30], "x was exactly its largest, 30, in 5 of 8 results: if a time limit"),
    ],
)
def test_zeros_and_ones_counts_and_a_cap_say_what_fits(values, said):
    (words,) = said_of(search_of(["x <= 30"], [{"x": value} for value in values]))
    assert words.startswith(said)


def test_two_values_that_take_turns_are_no_cap_and_say_so():
    search = search_of(["x <= 100"], [{"x": 84.0 + number % 2} for number in range(20)])
    assert said_of(search) == []
    assert "x was 84 or 85 in all 20 results" in search.verdict.guess.missing


@pytest.mark.parametrize("threshold", ["x <= 30 : bernoulli", "p95(x) <= 30", "x <= 30 : normal"])
def test_of_what_is_declared_nothing_is_guessed(threshold):
    limit = threshold.replace("30", "0.5") if "bernoulli" in threshold else threshold
    assert said_of(search_of([limit], [{"x": 1}] * 9)) == []


def test_normal_results_have_no_hint():
    rng = np.random.default_rng(1)
    found = [said_of(search_of(["x <= 10"], [{"x": value} for value in rng.normal(9, 1, 60)])) for _ in range(100)]
    assert not any(found)


@pytest.mark.parametrize("seed", range(20))
def test_running_sums_tell_what_values_tell(seed):
    """All but whether others differ, which running sums know of neighbours alone."""
    rng = np.random.default_rng(seed)
    draws = (rng.poisson(3, 12), rng.normal(0, 1, 12), np.minimum(rng.exponential(1, 12), 1.0), np.full(12, 7.0))
    groups = [draws[rng.integers(4)][: rng.integers(2, 12)].astype(float).tolist() for _ in range(3)]
    of_sums = summary_of_rows(np.array([with_results([0.0] * len(FIELDS), group) for group in groups]))
    of_values = summary_of(groups)
    for name in ("counts", "means", "squares", "lowest", "highest", "at_highest"):
        np.testing.assert_allclose(getattr(of_sums, name), getattr(of_values, name), rtol=1e-9, atol=1e-9)
    assert of_sums.whole == of_values.whole


@pytest.mark.parametrize("arms", [1, 9])
@pytest.mark.parametrize("pulls", [3, 12, 30])
def test_an_obvious_case_says_for_how_many_results_it_waits(arms, pulls):
    """With n results what happens in a tenth of them was seen: n ln(1/.9) - ln 2 reaches ln(1/a)."""
    rng = np.random.default_rng(1)
    search = sf.Search(sf.problem_of(["wall_time <= 500"], 0.05), [f"a{number}" for number in range(arms)])
    for value in rng.normal(0.1, 0.01, pulls):
        search.tell("a0", {"wall_time": value})
    said = re.fullmatch(
        r"waiting for (\d+) results since nothing is declared about wall_time", search.verdict.guess.missing
    )
    fewest = int(said[1])
    assert fewest == ceil(log(2 / 0.05) / -log(0.9)) == 36 if arms == 1 else fewest > 50
    for value in rng.normal(0.1, 0.01, fewest - pulls - 1):
        assert search.tell("a0", {"wall_time": value}) is sf.Outcome.UNDECIDED
    assert search.tell("a0", {"wall_time": 0.1}) is sf.Outcome.FOUND


def test_a_clear_slowdown_says_for_how_many_pairs_it_waits():
    rng = np.random.default_rng(1)
    search = sf.Search(sf.problem_of(["wall_time <= baseline + 3%"]), ["slow"])
    for _ in range(12):
        search.tell("slow", {"wall_time": rng.normal(1.76, 0.05)}, {"wall_time": rng.normal(1.0, 0.03)})
    assert search.verdict.guess.missing.endswith(
        "misses its limit: waiting for 36 results since nothing is declared about it"
    )


THRESHOLDS = ["size <= 800", "p95(latency_ms) <= 40 ~ 4", "loss <= 0.1 : bernoulli"]


@pytest.mark.parametrize(
    ("size", "latency", "loss", "metric"),
    [
        (lambda rng: 750, lambda rng: rng.exponential(8), lambda rng: 0, "size"),
        (lambda rng: rng.normal(750, 1), lambda rng: rng.exponential(8), lambda rng: 0, "p95(latency_ms)"),
        (lambda rng: 750, lambda rng: rng.exponential(30), lambda rng: 0, "p95(latency_ms)"),
        (lambda rng: rng.normal(750, 1), lambda rng: 1.0, lambda rng: int(rng.random() < 0.08), "loss"),
    ],
)
def test_verdict_explanation_and_document_name_the_same_metric(size, latency, loss, metric):
    """A size that never varies; a latency with little evidence; one that misses its limit, whatever the size."""
    rng = np.random.default_rng(1)
    with sf.create_study(["a", "b"], THRESHOLDS, error_rate=1e-4) as study:
        for _ in range(45):
            pull = study.ask()
            study.tell(pull, {"size": size(rng), "latency_ms": latency(rng), "loss": loss(rng)})
        view = study.view()
        guess = view.verdict.guess
        assert guess.metric == metric
        assert view.explain(guess.arm).binding == metric
        assert guess.missing in view.explain(guess.arm).text
        assert metric.split("(")[0] in guess.missing
        assert study_document(view)["closest"]["metric"] == metric
