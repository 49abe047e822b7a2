"""The arm that looks best, if one had to be named now."""

from math import inf, sqrt

import numpy as np

from satisfice.noise.kinds import NoiseTable
from satisfice.rules.protocol import kind_of
from satisfice.search.absorb import margin_and_sd
from satisfice.search.state import Parts, SearchState
from satisfice.stopping.decision import KEEP


def best_guess(state: SearchState, noise: NoiseTable) -> int:
    """The undecided arm whose weakest metric is the most standard errors beyond its threshold, or -1."""
    guess = -1
    best = -inf
    for arm in range(state.pulls.shape[0]):
        pulls = state.pulls[arm]
        if pulls > 0 and state.decisions[arm] == KEEP:
            weakest = inf
            for metric in range(state.deficits.shape[1]):
                weakest = min(weakest, margin_and_sd(state, noise, arm, metric, pulls)[0])
            weakest *= sqrt(1.0 * pulls)
            if weakest > best or guess < 0:
                guess = arm
                best = weakest
    return guess


def best_by_margins(state: SearchState) -> int:
    """The same from margins that are up to date and of new results alone, in one go for all arms."""
    candidates = (state.pulls > 0) & (state.decisions == KEEP)
    weakest = state.margins.min(axis=1) * np.sqrt(state.pulls)
    return int(np.argmax(np.where(candidates, weakest, -np.inf))) if candidates.any() else -1


def best_place(state: SearchState, parts: Parts) -> int:
    """The best guess, from margins that are kept up to date if there are such, of new and folded results alone."""
    if kind_of(type(parts.rule)).by_margins and not state.earlier.size and not state.ahead.any():
        return best_by_margins(state)
    return best_guess(state, parts.noise)
