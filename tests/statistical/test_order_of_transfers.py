"""Capital moves while results are out: every account that is compared is one that the arm has in the order of asking.

The proof in `stopping.transfer` needs three conditions. Here arms are asked for at random, with many evaluations under
way that last as long as their first metric says, and what a search compares with its level is computed once more from
the order of asking alone, by evidence that shares no code with it. Each condition broken in turn is caught.
"""

from heapq import heappop, heappush
from math import exp, log
from typing import Any, NamedTuple

import numpy as np
import pytest

import satisfice as sf
from satisfice.search import entrust as lending
from satisfice.stopping.transfer import AMOUNT, DEALT, TransferJudge
from tests.equivalence import naive_evidence as naive
from tests.helpers.close_calls import facts_of

ARMS, ASKS = 5, 400
SEEDS = range(4)
THRESHOLDS = ["a >= 0 ~ 0.125 : normal(1)", "b <= 0.5 ~ 0.125 : bernoulli"]
seen: list[tuple[Any, ...]] = []
"""("moved", giver or None, receiver, amount) and ("compared", arm, metric, pulls, ln of the account)."""


class Watched(TransferJudge):
    """The judge as it is, with a record of what it does."""

    __slots__ = ()

    def entrust(self, deficits, more, memory, pulls, arm, asked):
        giver = self.holder(memory)
        super().entrust(deficits, more, memory, pulls, arm, asked)
        if self.holder(memory) != giver and giver < 0:
            seen.append(("moved", None, arm, 1.0 - DEALT))

    def given(self, deficits, more, memory, arm, pulls):
        amount = super().given(deficits, more, memory, arm, pulls)
        seen.append(("moved", arm, None, amount))
        return amount

    def is_full(self, deficits, more, memory, arm, metric, pulls):
        weight = memory[arm, len(THRESHOLDS) + metric] + self.within(deficits, more, arm, metric, pulls)
        seen.append(("compared", arm, metric, pulls, weight))
        return super().is_full(deficits, more, memory, arm, metric, pulls)


class Early(Watched):
    """Breaks (ii): what arrives bets on pulls that were asked for before."""

    __slots__ = ()

    def entrust(self, deficits, more, memory, pulls, arm, asked):
        super().entrust(deficits, more, memory, pulls, arm, int(pulls[arm]))


class Idle(Watched):
    """Breaks (iii): what arrives counts before all that was asked for is there."""

    __slots__ = ()

    def is_full(self, deficits, more, memory, arm, metric, pulls):
        account = memory[arm, len(THRESHOLDS) + metric] + self.within(deficits, more, arm, metric, pulls)
        idle = memory[arm, 2 * len(THRESHOLDS) + AMOUNT]
        seen.append(("compared", arm, metric, pulls, log(exp(account) + idle)))
        return False


class Under(NamedTuple):
    """A stopping rule with one of these judges."""

    kind: Any = Watched

    def judge(self, problem, arms):
        return self.kind(*sf.TransferredEvidence().judge(problem, arms))


class Story(NamedTuple):
    """Results by arm in the order of asking, moves as (giver, its asks, receiver, its asks, amount), comparisons."""

    problem: sf.Problem
    tapes: list[list[tuple[float, float]]]
    moves: list[tuple[int | None, int, int, int, float]]
    compared: list[tuple[Any, ...]]
    out_at_moves: int


def told(kind: type, seed: int) -> Story:
    problem = sf.problem_of(THRESHOLDS, 1e-9)
    search = sf.Search(problem, [f"arm {arm}" for arm in range(ARMS)], stopping=Under(kind))
    rng, now, out_at_moves = np.random.default_rng(seed), 0.0, 0
    tapes: list[list[tuple[float, float]]] = [[] for _ in range(ARMS)]
    ended, folded = [set() for _ in range(ARMS)], [0] * ARMS
    waiting, ends, moves = np.zeros(ARMS, dtype=np.int64), [], []
    seen.clear()
    for number in range(ASKS):
        arm = int(rng.integers(ARMS))
        before = len(seen)
        search.take_choice(number, waiting, arm)
        if made := seen[before:]:
            giver, amount = made[0][1], made[0][3]
            moves.append((giver, len(tapes[giver]) if giver is not None else 0, arm, len(tapes[arm]), amount))
            out_at_moves += waiting[arm] > 0
        row = float(rng.normal(0.05)), float(rng.random() < 0.45)
        waiting[arm] += 1
        heappush(ends, (now + max(3.0 + row[0], 0.01) * rng.exponential(), arm, len(tapes[arm])))
        tapes[arm].append(row)
        while ends and (len(ends) > 6 or rng.random() < 0.3):
            now, over, place = heappop(ends)
            ended[over].add(place)
            while folded[over] in ended[over]:
                search.fold(over, tapes[over][folded[over]])
                folded[over] += 1
                waiting[over] -= 1
    return Story(problem, tapes, moves, [each[1:] for each in seen if each[0] == "compared"], out_at_moves)


def check_all(kind: type) -> None:
    for seed in SEEDS:
        check(told(kind, seed))


def check(story: Story) -> None:
    """Each account that was compared after an arm's first n results is what the arm has right after its n-th ask."""
    metrics = [facts_of(metric) for metric in story.problem.metrics]

    def log_evidence(arm: int, metric: int, n: int) -> float:
        if n == 0:
            return 0.0
        facts = metrics[metric]
        up = [naive.more_is_better(facts, row[metric]) for row in story.tapes[arm][:n]]
        return naive.log_evidence(facts, up, naive.more_is_better(facts, facts.threshold) - facts.tolerance)

    def in_order(arm: int, metric: int, n: int, *, arrived: bool) -> float:
        weight = DEALT / ARMS
        for giver, gave_at, receiver, got_at, amount in story.moves:
            if giver == arm and gave_at < n:
                weight -= amount / exp(log_evidence(arm, metric, gave_at))
            if receiver == arm and (got_at < n or (got_at == n and arrived)):
                weight += amount / exp(log_evidence(arm, metric, got_at))
        return log(max(weight, DEALT / ARMS)) + log_evidence(arm, metric, n)

    for arm, metric, n, account in story.compared:
        expected = [in_order(arm, metric, n, arrived=arrived) for arrived in (False, True)]
        assert min(abs(account - each) for each in expected) < 1e-6, "an account that the order of asking does not know"


def test_accounts_are_those_of_the_order_of_asking():
    stories = [told(Watched, seed) for seed in SEEDS]
    for story in stories:
        check(story)
    assert sum(len(story.moves) for story in stories) > 50
    assert sum(story.out_at_moves for story in stories) > 10, "the arm that received never had anything under way"


@pytest.mark.parametrize("kind", [Early, Idle])
def test_money_that_bets_or_counts_too_early_is_caught(kind):
    with pytest.raises(AssertionError, match="does not know"):
        check_all(kind)


def test_a_giver_with_results_out_is_caught(monkeypatch):
    """Breaks (i)."""
    monkeypatch.setattr(lending, "may_give", lambda holder, under_way: True)
    with pytest.raises(AssertionError, match="does not know"):
        check_all(Watched)
