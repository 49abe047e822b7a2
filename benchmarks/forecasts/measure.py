"""How often a study ended within what was forecast: of simulated runs as long as the study itself, no time limit."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from benchmarks.forecasts.studies import Life, beginnings, lived
from satisfice.show.forecast import forecast as line_forecast
from satisfice.study.forecast import Beginning, place_of, runs_of
from satisfice.study.past_results import Source

RUNS = 19
"""Of that many runs the tenth is the median, and the eighteenth is what nine of ten keep to, exactly."""

TIMES = (20, 50, 100, 200, 500, 1000)
"""Evaluations after which a forecast is made, wherever the study is not at its end by then."""
PARTS = (0.2, 0.5, 0.8)
"""Parts of a study's own length, which nobody knows before it ends."""


class Said(NamedTuple):
    """A forecast, and what came: when it was made, among how many configurations, and whether the study kept to it.

    `ratio` is what was left over the forecast by evidence alone, None where there was none.
    """

    when: float
    configs: int
    median: bool
    most: bool
    ratio: float | None


def said_of(life: Life, beginning: Beginning, when: float) -> Said | None:
    """The forecast at one time; None if it is too early for one."""
    source, rng = Source(beginning.results, 1), np.random.default_rng(beginning.at)
    if not source.is_rich:
        return None
    left = life.length - beginning.at
    runs = islice(runs_of(beginning, source, rng, left - 1), RUNS) if left > 1 else ()
    shorter = sum(run.ended for run in runs)
    search = beginning.spec.search()
    search.restore(beginning.arrays)
    line = line_forecast(search.problem.goal, search.statuses(), lambda config: None)
    return Said(
        when,
        len(beginning.spec.names),
        shorter < place_of(0.5, RUNS),
        shorter < place_of(0.9, RUNS),
        None if line is None else left / max(1, line.evaluations),
    )


def measured(seed: int, studies: int) -> Iterator[Said]:
    """What was said of that many studies that ended, at fixed times and after parts of their length."""
    ended, number = 0, 0
    while ended < studies:
        life = lived(np.random.default_rng([seed, number]))
        number += 1
        if life is None:
            continue
        ended += 1
        whens: Sequence[float] = [*(time for time in TIMES if time < life.length), *PARTS]
        at = {when: round(when * life.length) if when in PARTS else round(when) for when in whens}
        for beginning in beginnings(life, list(at.values())):
            for when in [when for when in whens if at[when] == beginning.at]:
                if (said := said_of(life, beginning, when)) is not None:
                    yield said
