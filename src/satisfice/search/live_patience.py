"""How long nothing can be decided about an arm of a live search: until then its results need not be looked at."""

from collections.abc import Sequence
from math import inf

from satisfice.catalogue import by_class, offers
from satisfice.noise.kinds import NoiseTable
from satisfice.noise.process import TOLERANCE
from satisfice.search.state import SearchState
from satisfice.stopping.protocol import Gains, Judge, PatientJudge

MOST_RESULTS = 512
"""How many wait at most: they are kept until they are folded."""


class Patience:
    """What further results of an arm may add to its evidence until something could be decided, metric by metric."""

    def __init__(self, within: Gains, below: Gains, tolerances: Sequence[float]) -> None:
        most = max(each for each, _ in (*within, *below))
        self._left = MOST_RESULTS if most == 0.0 else int(1.0 / most)
        sides = zip(within, below, tolerances, strict=True)
        units = [(place, one[1], other[1], end) for place, (one, other, end) in enumerate(sides)]
        self._units = [each for each in units if max(each[1:3]) > 0.0]
        self._within, self._below = [0.0] * len(units), [0.0] * len(units)

    def has_room_for(self, results: Sequence[float], within: Sequence[float]) -> bool:
        """Whether one more result, two deficits for each metric, can decide nothing; what it may add is spent then."""
        self._left -= 1
        room = self._left >= 0
        for metric, unit, unit_below, end in self._units:
            if (missed := results[metric]) > 0.0:
                self._below[metric] = spent = self._below[metric] + unit_below * missed
                room = room and spent <= 1.0
            if (passed := end - within[metric]) > 0.0:
                self._within[metric] = spent = self._within[metric] + unit * passed
                room = room and spent <= 1.0
        return room


def _patience(judge: PatientJudge, state: SearchState, noise: NoiseTable, arm: int, pulls: int) -> Patience | None:
    within = judge.gains_within(state.deficits_within, state.more_within, state.memory, arm, pulls)
    below = judge.gains_below(state.deficits, state.more, arm, pulls) if within else []
    if not within or not below or max(max(each, unit) for each, unit in (*within, *below)) == inf:
        return None
    return Patience(within, below, [noise.numbers[metric][TOLERANCE] for metric in range(len(within))])


def _none(judge: Judge, state: SearchState, noise: NoiseTable, arm: int, pulls: int) -> None:
    """Every result is looked at."""


patience_with = by_class(lambda judge: _patience if offers(judge, ("gains_within", "gains_below")) else _none)
"""(judge, state, noise, arm, pulls) -> the patience with an arm after `pulls` results, None where there is none."""
