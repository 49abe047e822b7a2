"""The goal of several arms: m are found, or fewer than m pass, wrong no more often than promised.

As in `test_validity`, with means on the boundaries. NONE is most easily wrong with exactly m good arms, where one of
them wrongly rejected may be enough, and a wrong arm is most easily named with m - 1 good ones or fewer, where it is
needed. Wrong is also a failing arm among those accepted beside NONE, or until then.
"""

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest

import satisfice as sf
from satisfice.simulation.trial import NONE
from tests.helpers.edge_cases import LAWS, Edge, check_edge, check_rate
from tests.helpers.live_errors import search_is_wrong, study_is_wrong
from tests.helpers.quick_part import quick

SHAPES = {
    "two are good, two wanted": (("f", "g", "g", "f"), 2),
    "two of five are good, two wanted": (("ff", "gh", "gg", "ff", "ff"), 2),
    "all three are good, three wanted": (("g", "g", "g"), 3),
    "three are good, two wanted": (("gg", "gg", "gg", "ff"), 2),
    "one is good, two wanted": (("h", "e", "e", "e"), 2),
    "two are good, three wanted": (("hh", "eh", "he", "hh"), 3),
    "none is good, two wanted": (("e", "e", "e"), 2),
    "two are just good, two at the edge": (("e", "g", "g", "e"), 2),
}
LIKELY = (
    *("two are good, two wanted", "all three are good, three wanted"),
    *("one is good, two wanted", "none is good, two wanted"),
)
"""Where little is lost between the evidence and the answer: the rate must not be too small to be seen."""
SOME_AT_THE_EDGE = [shape for shape, (letters, _) in SHAPES.items() if "e" in "".join(letters)]
"""The default's, which many tests compile."""


NO_SCALE = tuple(
    law for law, each in LAWS.items() if each.declared.startswith(("poisson", "spread")) or each.declared == "normal"
)
"""Laws under which all arms cannot be looked at in turn: the rule that does so needs to know the noise scales."""


def rule_for(letters) -> sf.SamplingRule:
    """Good arms are most easily rejected by a rule that looks at all of them, failing ones accepted by the default."""
    return sf.Pandora() if "e" in "".join(letters) else sf.Uniform()


def case_of(shape: str, law: str = "normal", **changes) -> Edge:
    letters, wanted = SHAPES[shape]
    case = Edge(LAWS[law], letters, sf.Evidence(), rule_for(letters), goal=wanted, runs=800, budget=1200, seed=17)
    return case.but(**changes)


@pytest.mark.parametrize("shape", quick(SHAPES, *SOME_AT_THE_EDGE))
def test_on_the_boundaries(shape):
    check_edge(case_of(shape), tight=shape in LIKELY)


@pytest.mark.full
@pytest.mark.parametrize(
    ("shape", "law", "error_rate"), [*product(SHAPES, LAWS, [0.2]), *product(SHAPES, ("normal", "coins"), [0.05])]
)
def test_on_the_boundaries_at_length(shape, law, error_rate):
    tight = shape in LIKELY and LAWS[law].tight and error_rate == 0.2
    rule = sf.Pandora() if law in NO_SCALE else rule_for(SHAPES[shape][0])
    case = case_of(shape, law, rule=rule, runs=2000, budget=2000, error_rate=error_rate)
    check_edge(case, tight=tight and law not in NO_SCALE)


@pytest.mark.full
@pytest.mark.parametrize("shape", SHAPES)
def test_under_the_papers_boundary(shape):
    check_edge(case_of(shape, stopping=sf.AlphaBoundary(), rule=sf.MultiTUCB(), runs=2000, budget=2000))


@pytest.mark.full
@pytest.mark.parametrize("wanted", [2, 5, 10, 20])
def test_many_arms(wanted):
    """As many good arms as are wanted, the others at the edge; and all of them at the edge."""
    for shape in (("g",) * wanted + ("e",) * (20 - wanted), ("e",) * 20):
        check_edge(case_of("none is good, two wanted").but(shape=shape, goal=wanted, runs=1000, budget=6000))


LIVE = ("two are good, two wanted", "all three are good, three wanted", "none is good, two wanted")


@pytest.mark.parametrize("shape", LIVE)
def test_live_searches(shape):
    case = case_of(shape, budget=200)
    check_rate(np.array([search_is_wrong(case, run) for run in range(60)]), case.error_rate)


@pytest.mark.parametrize("shape", LIVE)
def test_studies_with_many_evaluations_under_way(shape):
    case = case_of(shape, "coins", budget=200)
    durations = "passing results first" if "e" in case.shape else "failing results first"
    wrong = [study_is_wrong(case, run, under_way=24, durations=durations) for run in range(40)]
    check_rate(np.array(wrong), case.error_rate)


class Undivided(NamedTuple):
    """Evidence with the shares of a search for one arm, whatever the goal: all of the reject share for each arm."""

    reject_share: float = 0.15

    def judge(self, problem, arms):
        return sf.Evidence(self.reject_share).judge(replace(problem, goal="any"), arms)


class Unshared(NamedTuple):
    """Evidence that accepts and rejects each arm with the whole error rate."""

    reject_share: float = 0.15

    def judge(self, problem, arms):
        alone = sf.Evidence(self.reject_share).judge(replace(problem, goal="any"), 1)
        return alone._replace(noise=problem.noise(arms))


@pytest.mark.parametrize(
    ("stopping", "shape", "wanted"),
    [(Undivided(), ("g",) * 80, 80), (Unshared(), ("g",) * 4, 4), (Unshared(), ("h", "e", "e", "e", "e"), 2)],
)
def test_shares_that_are_too_large_are_caught(stopping, shape, wanted):
    budget = max(4000, 300 * len(shape))
    case = Edge(LAWS["normal"], shape, stopping, sf.Uniform(), goal=wanted, runs=500, budget=budget, seed=17)
    with pytest.raises(AssertionError, match=r"where 0\.2 is promised"):
        check_edge(case)
    check_edge(case.but(stopping=sf.Evidence()))


def test_an_answer_that_comes_one_arm_too_early_is_caught():
    """A search for one arm more says NONE after one rejected arm fewer: two good ones of four are no reason for it."""
    case = case_of("two are good, two wanted")
    early = case.but(goal=3).result().endings == NONE
    with pytest.raises(AssertionError, match=r"where 0\.2 is promised"):
        check_rate(early, case.error_rate)
