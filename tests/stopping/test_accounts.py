"""Capital transfer as entries in a ledger: what is dealt, lent, waited for and given back, by hand."""

from math import exp, log

import numpy as np
import pytest

import satisfice as sf
from satisfice.noise.half_normal import log_evidence_normal

ARMS, DEALT = 4, 0.2 / 4


@pytest.fixture
def table():
    """The judge of four arms with two metrics, sums of which the second arm's look good, an empty memory, pulls."""
    judge = (
        sf.TransferredEvidence()
        .judge(sf.problem_of(["a >= 0 : normal(1)", "b >= 0 : normal(1)"], 0.05), ARMS)
        .extended(20)
    )
    deficits, memory = np.zeros((ARMS, 2)), np.zeros((ARMS, judge.memory_columns(2)))
    deficits[1], deficits[2] = (-6.0, -4.0), (-3.0, -9.0)
    judge.forget(memory)
    return judge, deficits, np.zeros((ARMS, 2, 1)), memory, np.array([1, 10, 10, 1])


def evidence(deficits, arm):
    return [exp(log_evidence_normal(10, -deficit)) for deficit in deficits[arm]]


def row(weights, principal=0.0, amount=0.0, starts_at=0.0):
    return [0.0, 0.0, *map(log, weights), principal, amount, starts_at]


def test_at_first_every_arm_has_its_part_and_nobody_the_pot(table):
    judge, _, _, memory, _ = table
    assert memory[:, :7] == pytest.approx(np.array([row([DEALT, DEALT])] * ARMS))
    assert judge.holder(memory) == -1


def test_the_pot_goes_to_an_arm_that_looks_good_and_on_to_another_no_more_than_was_lent(table):
    judge, deficits, more, memory, pulls = table
    judge.entrust(deficits, more, memory, pulls, 1, 10)
    first = evidence(deficits, 1)
    assert memory[1, :7] == pytest.approx(row([DEALT + 0.8 / each for each in first], principal=0.8))
    assert (judge.holder(memory), judge.increases(memory, 1)) == (1, True)
    deficits[1] = (-5.0, -1.0)  # results that came since
    now = evidence(deficits, 1)
    given = min(0.8, *(0.8 / before * after for before, after in zip(first, now, strict=True)))
    assert given < 0.8
    judge.entrust(deficits, more, memory, pulls, 2, 10)
    left = [0.8 / before - given / after for before, after in zip(first, now, strict=True)]
    assert memory[1, :7] == pytest.approx(row([DEALT + max(each, 0.0) for each in left], principal=0.8 - given))
    assert memory[2, :7] == pytest.approx(
        row([DEALT + given / each for each in evidence(deficits, 2)], principal=given)
    )
    assert judge.holder(memory) == 2


def test_what_is_under_way_has_to_be_folded_before_the_pot_counts(table):
    judge, deficits, more, memory, pulls = table
    judge.entrust(deficits, more, memory, pulls, 1, 12)
    assert memory[1, :7] == pytest.approx(row([DEALT, DEALT], amount=0.8, starts_at=12.0))
    assert not judge.increases(memory, 1)
    assert not judge.accepts(deficits, more, memory.copy(), 1, 11, 0.0)
    judge.start(deficits, more, memory, 1, 11)
    assert memory[1, 6] == 12.0
    judge.start(deficits, more, memory, 1, 12)
    weights = [DEALT + 0.8 / exp(log_evidence_normal(12, -deficit)) for deficit in deficits[1]]
    assert memory[1, :7] == pytest.approx(row(weights, principal=0.8))
    assert judge.increases(memory, 1)


def test_an_arm_that_does_not_look_good_is_given_nothing(table):
    judge, deficits, more, memory, pulls = table
    deficits[3] = (1.0, -1.0)
    before = memory.copy()
    judge.entrust(deficits, more, memory, pulls, 3, 1)
    assert np.array_equal(memory, before)


def test_results_that_are_all_exactly_at_the_limit_look_good_to_nobody():
    """Their spread is nothing, whatever is added to a margin of that many spreads."""
    judge = sf.TransferredEvidence().judge(sf.problem_of(["a >= 0.5 ~ 0.1 : bounded(0, 1)"], 0.05), ARMS).extended(20)
    search = sf.Search(sf.problem_of(["a >= 0.5 ~ 0.1 : bounded(0, 1)"], 0.05), ["one", "other"])
    assert not judge.trusts(np.zeros((ARMS, 1)), np.zeros((ARMS, 1, judge.evidence.noise.extra)), 1, 6)
    for _ in range(12):
        search.tell(search.ask(), {"a": 0.5})
    assert search.outcome is sf.Outcome.UNDECIDED
