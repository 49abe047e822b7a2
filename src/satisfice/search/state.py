"""The state of a search: all that is known, decided and asked, as arrays."""

from collections.abc import Mapping
from itertools import accumulate, pairwise
from math import prod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satisfice.arrays import Floats, Integers
from satisfice.catalogue import by_class, offers
from satisfice.noise.kinds import NoiseTable
from satisfice.problem.problem import NO_LIMIT, Problem
from satisfice.problem.units import Setting
from satisfice.rules.protocol import OPENING, SamplingRule
from satisfice.search.costs import opening_order, weights_of
from satisfice.search.pooling import first_pooling
from satisfice.search.tournament import clear, tournament_size
from satisfice.stopping.decision import KEEP
from satisfice.stopping.protocol import Judge, forget_all, memory_columns

TOTAL, UNDECIDED, ACCEPTED, POOL_AT, UNSCORED, LAST, ASKS, ASKED, NEXT_OPENED, SEED, RULED_OUT = range(11)
"""The places of `counts`: results folded, arms not decided, arms accepted, at how many results variances are pooled
next, how many arms wait for a new score and the last of them, choices made, the arm asked for and not told, or -1,
the first place in the order of opening whose arm is new, what that order follows from, and how many arms a result that
is certain has ruled out."""
COUNTS = 11
SEEDS = 2**63


SCRATCH = ("results", "results_within", "weights", "calm", "held", "held_scores", "earlier")
"""Fields that are of use during one step only, or never change."""

OF_UNDECIDED = ("margins", "tolerances")
"""What steers the choice among undecided arms, and says nothing of others."""

SECOND = {"deficits_within": "deficits", "more_within": "more", "results_within": "results"}
"""Fields that are others' second names unless some limit and its tolerance look at different numbers."""


class SearchState(NamedTuple):
    """What is known of K arms with M metrics.

    `deficits` (K, M), `more` (K, M, X) and `pulls` (K,) are the sums of what says that a limit is missed,
    `deficits_within` and `more_within` of what says that it is kept up to the tolerance: the same arrays unless the
    noise is `two_sided`. `decisions` (K,) what was decided, after `decided_at` (K,) results in all, on `rests_on` (K,)
    of its own if that was before all of them were folded; `ahead` (K,) how many results that wait for an earlier one
    are in its score for choosing, and in nothing else; `memory` (K, C) the judge's own. `board` is the tournament of
    scores; `shortfalls`, `excesses` and `bonuses` (K,) serve clock rules; `margins` and `tolerances` (K, M), in
    standard deviations of one result, rules that look at margins; `pooled` (2, M) is what arms say of each other's
    variance; `unscored` (K,) is 1 where a drawn score is out of date. `results` and `results_within` (M,) are one
    evaluation as deficits, `weights` (M,) the numbers of observations that it sums up; `held` and `held_scores` (K,)
    are of use during a choice only, `calm` (2, M) during a simulated streak, `counts` is named above. `earlier` (2, K,
    M) are the margins of earlier results and how many results each is worth at first, `earlier_worth` (K, M) what they
    are worth now; both without arms where there are no earlier results.
    """

    deficits: Floats
    deficits_within: Floats
    more: Floats
    more_within: Floats
    memory: Floats
    margins: Floats
    tolerances: Floats
    pooled: Floats
    board: Floats
    shortfalls: Floats
    excesses: Floats
    bonuses: Floats
    results: Floats
    results_within: Floats
    weights: Floats
    calm: Floats
    held_scores: Floats
    earlier: Floats
    earlier_worth: Floats
    pulls: Integers
    decisions: Integers
    decided_at: Integers
    rests_on: Integers
    ahead: Integers
    unscored: Integers
    held: Integers
    counts: Integers


class Parts(NamedTuple):
    """What a search works with: the rule, the judge, the noise, and what follows from the problem.

    `bonuses` is the rule's bonus by an arm's number of pulls; index 0 is not used. `costs` are what an evaluation of
    each arm costs, (K,), or (1,) if all are the same, and `opening` (K,) is the order in which arms are evaluated for
    the first time, without entries if that is their own. No arm is accepted before its result number `least`, nor
    evaluated more than `most` times, after which all is known of it.
    """

    rule: SamplingRule
    judge: Judge
    noise: NoiseTable
    setting: Setting
    tolerances: Floats
    bonuses: Floats
    costs: Floats
    opening: Integers
    least: int
    most: int


def parts_of(
    rule: SamplingRule,
    judge: Judge,
    problem: Problem,
    arms: int,
    bonuses: Floats,
    costs: Floats | None = None,
    *,
    least: int = 1,
) -> Parts:
    """The parts of a search among that many arms; `costs` are the weights of their scores."""
    tolerances = np.array(problem.standardisation().tolerances)
    weights = weights_of(None) if costs is None else costs
    opening = opening_order(weights, np.arange(arms if bool((weights != weights[0]).any()) else 0))
    noise, setting = problem.noise(arms), problem.setting(arms)
    most = NO_LIMIT if problem.groups else problem.most_evaluations  # groups have limits of their own
    return Parts(rule, judge, noise, setting, tolerances, bonuses, weights, opening, least, most)


def new_state(parts: Parts, *, extra: int, warm: bool = False, seed: int = 0) -> SearchState:
    """A state in which nothing is known, with `extra` further sums for each metric, and room for earlier results.

    The order of opening follows from the seed.
    """
    state = room_for_state(parts, extra=extra, warm=warm)
    forget(state, parts)
    state.counts[SEED] = seed % SEEDS
    return state


def room_for_state(parts: Parts, *, extra: int, warm: bool = False) -> SearchState:
    """The arrays of a state, before `forget` has made it one in which nothing is known.

    In one piece: numpy asks for huge pages where an array is large.
    """
    arms, metrics = parts.setting.arms, parts.setting.metrics
    table = (arms, metrics)
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(SearchState._fields, (arms,))
    shapes |= dict.fromkeys(("deficits", "deficits_within", "margins", "tolerances"), table)
    shapes |= dict.fromkeys(("more", "more_within"), (arms, metrics, extra))
    shapes |= dict.fromkeys(("results", "results_within", "weights"), (metrics,))
    if not parts.noise.two_sided:
        shapes |= dict.fromkeys(SECOND, (0,))
    shapes |= {
        "memory": (arms, memory_columns(parts.judge, metrics)),
        "pooled": (2, metrics),
        "calm": (2, metrics),
        "board": (2 * tournament_size(arms), 2),
        "counts": (COUNTS,),
    }
    known = arms if warm else 0
    shapes |= {"earlier": (2, known, metrics), "earlier_worth": (known, metrics)}
    ends = list(accumulate(map(prod, shapes.values()), initial=0))
    piece, parted = np.zeros(ends[-1]), zip(pairwise(ends), shapes.values(), strict=True)
    arrays: list[Any] = [piece[start:end].reshape(shape) for (start, end), shape in parted]
    whole = SearchState._fields.index("pulls")
    state = SearchState(*arrays[:whole], *(array.view(np.int64) for array in arrays[whole:]))
    state.weights[:] = 1.0
    return with_second_names(state, parts.noise)


def _all(rule: object, arms: int) -> int:
    return arms


def _none(rule: object, arms: int) -> int:
    return 0


first_round = by_class(lambda rule: _none if offers(rule, OPENING) else _all)
"""(rule, K) -> how many arms are evaluated once before any is chosen."""


def kept_fields(noise: NoiseTable) -> list[str]:
    """The fields that make up a state between two steps."""
    twice = () if noise.two_sided else tuple(SECOND)
    return [name for name in SearchState._fields if name not in SCRATCH and name not in twice]


def with_second_names(state: SearchState, noise: NoiseTable) -> SearchState:
    """The state with the same arrays for missing and for keeping a limit, unless results have a number for each."""
    if noise.two_sided:
        return state
    return state._replace(**{name: getattr(state, first) for name, first in SECOND.items()})


def forget(state: SearchState, parts: Parts) -> None:
    """The state before the first result."""
    arms = state.pulls.shape[0]
    state.deficits[:] = 0.0
    state.more[:] = 0.0
    if parts.noise.two_sided:
        state.deficits_within[:] = 0.0
        state.more_within[:] = 0.0
    state.pooled[:] = 0.0
    state.pulls[:] = 0
    state.decisions[:] = KEEP
    state.rests_on[:] = 0
    state.ahead[:] = 0
    state.unscored[:] = 0
    clear(state.board)
    forget_all(parts.judge, state.memory)
    state.counts[TOTAL] = 0
    state.counts[UNDECIDED] = arms
    state.counts[ACCEPTED] = 0
    state.counts[POOL_AT] = first_pooling(arms, first_round(parts.rule, arms)) if parts.noise.pools else 0
    state.counts[UNSCORED] = 0
    state.counts[LAST] = 0
    state.counts[ASKS] = 0
    state.counts[ASKED] = -1
    state.counts[NEXT_OPENED] = 0
    state.counts[RULED_OUT] = 0


def arrays_of(state: SearchState, noise: NoiseTable) -> dict[str, NDArray[Any]]:
    """All that is kept of a state, by name.

    But for the margins of decided arms, which nobody looks at: they are those of the last choice before it, and who
    merely follows a log makes none.
    """
    kept = {name: getattr(state, name) for name in kept_fields(noise)}
    undecided = state.decisions == KEEP
    return kept | {name: np.where(undecided[:, None], kept[name], 0.0) for name in OF_UNDECIDED}


def restored(state: SearchState, noise: NoiseTable, arrays: Mapping[str, NDArray[Any]]) -> SearchState:
    """The state with those arrays in place of its own."""
    kept = {name: np.array(arrays[name]) for name in kept_fields(noise)}
    return with_second_names(state._replace(**kept), noise)
