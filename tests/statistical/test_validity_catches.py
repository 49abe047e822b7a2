"""The tests of the tests: rules that are not sound are caught by the very check that sound ones pass."""

from math import sqrt
from typing import Any, NamedTuple

import pytest

import satisfice as sf
from satisfice.stopping.transfer import PRINCIPAL, TransferJudge
from tests.helpers.boastful import Boastful
from tests.helpers.edge_cases import LAWS, Edge, check_edge


@pytest.mark.parametrize("shape", [("e",), ("g",)])
@pytest.mark.parametrize("law", [name for name, law in LAWS.items() if law.tight])
def test_evidence_three_times_too_large_is_caught(law, shape):
    """One arm and one metric, where nothing but the evidence stands between the truth and the answer."""
    case = Edge(LAWS[law], shape, Boastful(), runs=800, budget=1500)
    check_edge(case.but(stopping=sf.Evidence()), tight=True)
    with pytest.raises(AssertionError, match=r"where 0\.2 is promised"):
        check_edge(case)


@pytest.mark.full
@pytest.mark.parametrize("law", ["normal", "signs", "coins"])
@pytest.mark.parametrize(("error_rate", "runs"), [(0.2, 3000), (0.05, 20_000)])
def test_transferred_evidence_three_times_too_large_is_caught(law, error_rate, runs):
    """At 5 % the sound rule is wrong in 2 % of runs on the boundary, and three times that takes many runs to see."""
    sound = sf.TransferredEvidence()
    case = Edge(LAWS[law], ("e", "e"), Boastful(sound), error_rate=error_rate, runs=runs, budget=3000)
    check_edge(case.but(stopping=sound), tight=True)
    with pytest.raises(AssertionError, match=f"where {error_rate} is promised"):
        check_edge(case)


class RichUncle(NamedTuple):
    """An adversary of transfers: the first arm until it has earned something, from then on the second."""

    score: float = 2.2

    def bonus(self, pulls, setting):
        return 0.0

    def margin_priority(self, margins, tolerances, arm, pulls, bonus):
        if arm > 0:
            return 0.0
        return 1.0 if margins[arm, 0] * sqrt(1.0 * pulls) < self.score else -1.0


given_with_the_cap = TransferJudge.given


class UncappedJudge(TransferJudge):
    """Transfers of all that became of the capital, profits too: no cap at the principal, so the proof fails."""

    __slots__ = ()

    def extended(self, length):
        return UncappedJudge(self.evidence.extended(length), self.dealt, self.trust)

    def given(self, deficits, more, memory, arm, pulls):
        memory[arm, 2 * deficits.shape[1] + PRINCIPAL] = 1e300
        return given_with_the_cap(self, deficits, more, memory, arm, pulls)


class Uncapped(NamedTuple):
    sound: Any = sf.TransferredEvidence()

    def judge(self, problem, arms):
        return UncappedJudge(*self.sound.judge(problem, arms))


@pytest.mark.full
def test_transfers_without_the_cap_at_the_principal_are_caught():
    """A good arm's profits buy the acceptance of one that fails."""
    law = LAWS["normal"]._replace(far=0.6)
    case = Edge(law, ("h", "e"), sf.TransferredEvidence(), RichUncle(), runs=2000, budget=2000)
    check_edge(case)
    with pytest.raises(AssertionError, match=r"where 0\.2 is promised"):
        check_edge(case.but(stopping=Uncapped()))
