"""Which simulated answers count as wrong: by these every error rate in this project is counted."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.stopping.decision import ACCEPT, KEEP, REJECT

MEANS = [[1.0, -1.0], [-0.5, -1.0], [-1.5, -1.0], [1.0, 0.2], [1.0, 2.0]]
GOOD, NEAR, FAILS, NEAR_TOO, FAILS_TOO = range(5)
"""The first passes both limits, the second and fourth are within tolerance, and two others miss one by more."""


def instance(goal) -> sf.Instance:
    problem = sf.problem_of(["a >= 0 ~ 1 : normal(1)", "b <= 0 ~ 0.5 : normal(1)"], 0.1, goal=goal)
    return sf.Instance.of(problem, sf.arms_for(problem, MEANS))


def wrong(goal, *answers) -> list[bool]:
    """Whether each answer is: the name of an arm, None for NONE, "" for none, or decisions about all arms."""
    found = np.array([each if isinstance(each, int) else -1 for each in answers])
    none = np.array([each is None for each in answers])
    decided = np.array([each if isinstance(each, tuple) else (KEEP,) * len(MEANS) for each in answers])
    return instance(goal).is_wrong(found, none, decided).tolist()


def test_one_that_passes():
    """Who is within tolerance may be named, and NONE is wrong as long as one passes."""
    assert wrong("any", GOOD, NEAR, NEAR_TOO, FAILS, FAILS_TOO) == [False, False, False, True, True]
    assert wrong("any", "", None) == [False, True]
    problem = sf.problem_of(["a >= 0 ~ 1 : normal(1)", "b <= 0 ~ 0.5 : normal(1)"])
    near = sf.Instance.of(problem, sf.arms_for(problem, MEANS[1:]))
    assert near.is_wrong(np.array([-1, -1]), np.array([True, False])).tolist() == [False, False]


@pytest.mark.parametrize(
    ("decisions", "is_wrong"),
    [
        ((ACCEPT, ACCEPT, REJECT, REJECT, REJECT), False),
        ((ACCEPT, REJECT, REJECT, ACCEPT, REJECT), False),
        ((REJECT, REJECT, REJECT, REJECT, REJECT), True),
        ((ACCEPT, REJECT, ACCEPT, REJECT, REJECT), True),
        ((KEEP, KEEP, KEEP, KEEP, ACCEPT), True),
        ((KEEP, KEEP, REJECT, KEEP, REJECT), False),
    ],
)
def test_all_that_pass(decisions, is_wrong):
    """One that passes rejected, or one that fails accepted; in between either is right."""
    assert wrong("all", decisions) == [is_wrong]


def test_several_that_pass():
    """Each that is accepted must be within tolerance; that there are too few is wrong only if there are enough."""
    accepted = (ACCEPT, ACCEPT, KEEP, KEEP, KEEP)
    assert wrong(2, accepted, (ACCEPT, KEEP, KEEP, KEEP, ACCEPT), None) == [False, True, False]
    assert wrong(1, None, (REJECT, ACCEPT, KEEP, KEEP, KEEP)) == [True, False]
