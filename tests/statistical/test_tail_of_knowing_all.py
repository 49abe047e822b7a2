"""How much longer than the median a search can take: one of a thousand passes, and the searcher knows all but which."""

from heapq import heapify, heappop, heappush
from math import inf, log

import numpy as np
import pytest

import satisfice as sf
from benchmarks.evaluations.family import ONE_GOOD, chosen_members

ARMS, MARGIN, ERROR_RATE = 1000, 0.5, 0.05
RUNS = 4000


def evaluations(rng: np.random.Generator) -> int:
    """The arm that is likeliest to be the one is next, until it is with a probability of 95 %."""
    good, enough, count = int(rng.integers(ARMS)), log((ARMS - 1) * (1 / ERROR_RATE - 1)), 0
    likelihoods = [(0.0, arm) for arm in rng.permutation(ARMS).tolist()]
    heapify(likelihoods)
    while True:
        minus_log_ratio, arm = heappop(likelihoods)
        ratio, mean = -minus_log_ratio, MARGIN if arm == good else -MARGIN
        next_best = -likelihoods[0][0] if likelihoods else -inf
        while ratio >= next_best:
            ratio += 2 * MARGIN * (mean + float(rng.standard_normal()))
            count += 1
            if ratio >= enough:
                return count
        heappush(likelihoods, (-ratio, arm))


@pytest.mark.full
def test_who_knows_all_but_which_one_has_a_longer_tail_than_we_and_is_little_quicker() -> None:
    rng = np.random.default_rng(1)
    theirs = np.array([evaluations(rng) for _ in range(RUNS)])
    member = chosen_members([ONE_GOOD])[0]
    ours = sf.simulate(member.instance.problem, member.instance.arms, repetitions=RUNS, seed=1).summaries[0]
    median, late = np.quantile(theirs, [0.5, 0.99])
    said = f"mean {theirs.mean():.0f}, median {median:.0f}, 99 % {late:.0f}"
    assert late / median > 4.3, said
    assert ours.quantile_99 / ours.median < late / median, said
    assert theirs.mean() < ours.mean < 1.25 * theirs.mean(), said
    assert ours.quantile_99 < 1.25 * late, said
