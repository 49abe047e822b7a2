"""The arm that looks best, if one had to be named now."""

from math import inf, sqrt

import numpy as np

from satisfice.noise.kinds import NoiseTable
from satisfice.search.absorb import margin_and_sd
from satisfice.search.state import SearchState
from satisfice.stopping.decision import REJECT


def best_guess(state: SearchState, noise: NoiseTable) -> int:
    """The arm, not rejected, whose weakest metric is the most standard errors beyond its threshold, or -1."""
    guess = -1
    best = -inf
    for arm in range(state.pulls.shape[0]):
        pulls = state.pulls[arm]
        if pulls > 0 and state.decisions[arm] != REJECT:
            weakest = inf
            for metric in range(state.deficits.shape[1]):
                weakest = min(weakest, margin_and_sd(state, noise, arm, metric, pulls)[0])
            weakest *= sqrt(1.0 * pulls)
            if weakest > best or guess < 0:
                guess = arm
                best = weakest
    return guess


def best_by_margins(state: SearchState) -> int:
    """The same from margins that are up to date, in one go for all arms."""
    candidates = (state.pulls > 0) & (state.decisions != REJECT)
    weakest = state.margins.min(axis=1) * np.sqrt(state.pulls)
    return int(np.argmax(np.where(candidates, weakest, -np.inf))) if candidates.any() else -1
