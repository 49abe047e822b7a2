"""What judges that go by evidence say of it: alone, with capital, and judges that do not."""

from math import isclose, log
from typing import NamedTuple

import numpy as np

import satisfice as sf
from satisfice.stopping import judge_of
from satisfice.stopping.by_evidence import (
    LEAST_LEVEL,
    evidence_of,
    goes_by_evidence_alone,
    in_accounts,
    shares_to_accept,
    with_evidence,
)

PROBLEM, ARMS = sf.problem_of(["a <= 1 : normal(1)", "b <= 1 : normal(2)"], 0.05), 4
ALONE, WITH_CAPITAL, BOUNDARY = (
    judge_of(stopping, PROBLEM, ARMS) for stopping in (sf.Evidence(), sf.TransferredEvidence(), sf.AlphaBoundary())
)
EVIDENCE = [2.0, -1.0]


class Lender(NamedTuple):
    """A judge of somebody else, which lends capital but has no evidence."""

    level: float = 1.0

    def memory_columns(self, metrics):
        return metrics

    def forget(self, memory): ...

    def holder(self, memory):
        return -1

    def entrust(self, deficits, more, memory, pulls, arm, asked): ...


def memory_of(judge):
    memory = np.zeros((ARMS, judge.memory_columns(2)))
    judge.forget(memory)
    memory[1, 2:4] = 0.5, 3.0
    return memory[1]


def test_who_goes_by_evidence_has_it():
    assert evidence_of(ALONE) is ALONE
    assert evidence_of(WITH_CAPITAL) is WITH_CAPITAL.evidence
    assert evidence_of(BOUNDARY) is None
    assert evidence_of(Lender()) is None
    assert [goes_by_evidence_alone(each) for each in (ALONE, WITH_CAPITAL, BOUNDARY)] == [True, False, False]


def test_evidence_is_changed_wherever_it_is():
    def changed(evidence):
        return evidence._replace(lone_level=7.0)

    for judge in (ALONE, WITH_CAPITAL):
        other = with_evidence(judge, changed)
        assert type(other) is type(judge)
        assert evidence_of(other).lone_level == 7.0
        assert evidence_of(judge).lone_level != 7.0
    for judge in (BOUNDARY, Lender()):
        assert with_evidence(judge, changed) is judge


def test_accounts_are_evidence_times_their_weight_and_the_number_of_arms():
    assert in_accounts(ALONE, EVIDENCE, np.zeros(2), ARMS) == EVIDENCE
    assert in_accounts(WITH_CAPITAL, EVIDENCE, None, ARMS) == EVIDENCE
    assert in_accounts(WITH_CAPITAL, EVIDENCE, memory_of(WITH_CAPITAL), ARMS) == [2.5 + log(4.0), 2.0 + log(4.0)]


def test_the_share_of_what_it_takes_to_accept():
    level = ALONE.accept_level
    assert shares_to_accept(ALONE, EVIDENCE, np.zeros(2), ARMS) == [2.0 / level, -1.0 / level]
    level = WITH_CAPITAL.evidence.accept_level
    assert shares_to_accept(WITH_CAPITAL, EVIDENCE, None, ARMS) == [2.0 / level, -1.0 / level]
    assert shares_to_accept(WITH_CAPITAL, EVIDENCE, memory_of(WITH_CAPITAL), ARMS) == [
        2.0 / (level - 0.5),
        -1.0 / max(level - 3.0, LEAST_LEVEL),
    ]


def test_before_anything_is_moved_a_share_of_one_is_an_account_that_is_full():
    judge = WITH_CAPITAL
    memory = np.zeros((ARMS, judge.memory_columns(2)))
    judge.forget(memory)
    level = evidence_of(judge).accept_level
    full = [level - float(weight) for weight in memory[0, 2:4]]
    assert all(isclose(share, 1.0) for share in shares_to_accept(judge, full, memory[0], ARMS))
