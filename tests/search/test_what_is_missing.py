"""What is said of an undecided configuration: from where on each sentence is true, by the evidence itself."""

from math import log, sqrt

import pytest

import satisfice as sf
from satisfice.noise.half_normal import log_evidence_normal

TINY = 1e-40
"""An error rate at which next to nothing is decided."""


def said_of(value: float, pulls: int, threshold: str = "x >= 0 : normal(1)", **given: int) -> str:
    """The sentence about the only configuration, after so many results that are all the same."""
    search = sf.Search(sf.problem_of([threshold], TINY), ["a"], **given)
    for _ in range(pulls):
        search.fold(0, (value,))
    assert search.verdict.guess is not None
    return search.verdict.guess.missing


def at_score(score: float, pulls: int = 100) -> str:
    return said_of(score / sqrt(pulls), pulls)


def test_of_estimates_within_two_standard_errors_of_a_limit_it_is_said_that_they_sit_on_it():
    on_it, misses = "x sits on its limit: a tolerance would end it", "x rather misses its limit"
    assert [at_score(score) for score in (-2.01, -1.99, 0.0, 1.99)] == [misses, on_it, on_it, on_it]
    assert at_score(2.01) == "too early to say what it takes, after 100 evaluations of it"
    wider = [said_of(value, 100, "x >= 0 ~ 0.1 : normal(1)") for value in (-0.1 - 0.201, -0.1 - 0.199, -0.1)]
    assert wider == [misses, *["x sits on the end of its tolerance: a larger tolerance would end it"] * 2]


def test_with_fewer_than_thirty_results_it_is_too_early():
    assert said_of(0.0, 29) == "too early to say what it takes, after 29 evaluations of it"
    assert said_of(0.0, 30) == "x sits on its limit: a tolerance would end it"


@pytest.mark.parametrize("pulls", [40, 160])
def test_from_a_twentieth_of_the_evidence_on_the_rest_is_estimated_in_proportion(pulls):
    """To one digit, or two below a hundred."""
    search = sf.Search(sf.problem_of(["x >= 0 : normal(1)"], TINY), ["a"])
    level, found = search._parts.judge.accept_level, {}
    for step in range(1, 100):
        value = 0.1 * step / sqrt(pulls)
        progress = log_evidence_normal(pulls, pulls * value) / level
        if 0.03 < progress < 0.9:
            found[progress] = said_of(value, pulls)
    for progress, said in found.items():
        if progress <= 0.05:
            assert said.startswith("too early to say"), progress
        else:
            left = pulls * (1.0 / progress - 1.0)
            digits = float(f"{left:.{1 if left < 100 else 0}e}")
            assert said == f"about {digits:,.0f} more evaluations of it at present estimates"
    assert min(found) < 0.05 < max(found)


def test_what_rather_fails_is_said_where_more_speaks_against_it_than_for_it():
    assert said_of(-0.1, 400) == "x rather misses its limit"
    assert said_of(-0.1, 400, "x >= 0 ~ 0.3 : normal(1)").startswith("about "), "within tolerance more clearly"


def test_of_enough_evidence_before_the_least_number_of_results_the_rest_of_these_is_missing():
    assert said_of(30.0, 4, min_evaluations=9) == "5 more evaluations of it: nothing is accepted before it has 9"
    assert said_of(30.0, 8, min_evaluations=9) == "1 more evaluation of it: nothing is accepted before it has 9"


def test_the_tolerance_counts_in_standard_errors_of_results_whatever_their_spread():
    """Of zeros and ones: the signed root of twice the relative entropy, and the tolerance over their own spread."""
    pulls, told = 400, set()
    for ones in range(280, 335, 2):
        chance = (ones + 0.5) / (pulls + 1)
        root = sqrt(2.0 * (chance * log(chance / 0.8) + (1.0 - chance) * log((1.0 - chance) / 0.2)))
        score = sqrt(pulls) * ((root if chance > 0.8 else -root) + 0.05 / sqrt(chance * (1.0 - chance)))
        search = sf.Search(sf.problem_of(["x >= 0.8 ~ 0.05 : bernoulli"], TINY), ["a"])
        for number in range(pulls):
            search.fold(0, (float((number + 1) * ones // pulls - number * ones // pulls),))
        status, said = search.status(0), search.verdict.guess.missing
        if max(*status.accept_progress, *status.reject_progress) <= 0.05:
            misses, early = said == "x rather misses its limit", said.startswith("too early")
            assert (misses, early) == (score < -2.0, score > 2.0), (ones, score)
            told.add((misses, early))
    assert told == {(False, False), (False, True)}
