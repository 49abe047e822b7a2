"""Why results must count in the order in which they were asked for: python examples/late_results.py

One configuration whose mean latency is right at its limit, where it must be accepted in at most 5 % of all studies. An
evaluation takes as long as the latency that it measures, so quick results, which are the good ones, come back first.
"""

from collections.abc import Iterator
from heapq import heapify, heappop, heappush

import numpy as np

import satisfice as sf

LIMIT = "latency_ms <= 100 : normal(10)"
ERROR_RATE = 0.05


def arrivals(rng: np.random.Generator, mean: float, at_a_time: int, total: int) -> Iterator[tuple[int, float]]:
    """Evaluations in the order in which they end: the number of the ask, and the result, which is the duration."""
    results = rng.normal(mean, 10.0, total)
    ends = [(results[number], number) for number in range(min(at_a_time, total))]
    heapify(ends)
    asked = len(ends)
    while ends:
        now, number = heappop(ends)
        yield number, float(results[number])
        if asked < total:
            heappush(ends, (now + results[asked], asked))
            asked += 1


def accepted(rng: np.random.Generator, at_a_time: int, total: int, *, in_ask_order: bool) -> bool:
    """Whether the configuration is accepted, folding results in one order or the other."""
    search = sf.Search(sf.problem_of([LIMIT], ERROR_RATE), ["borderline"], rule="uniform", stopping="evidence")
    held: dict[int, float] = {}
    folded = 0
    for place, (number, result) in enumerate(arrivals(rng, 100.0, at_a_time, total)):
        held[number if in_ask_order else place] = result
        while folded in held and search.outcome is sf.Outcome.UNDECIDED:
            search.fold(0, (held.pop(folded),))
            folded += 1
    return search.outcome is sf.Outcome.FOUND


def false_accepts(runs: int, at_a_time: int, *, in_ask_order: bool, total: int = 600, seed: int = 7) -> int:
    """How many of so many studies accept it."""
    rngs = [np.random.default_rng([seed, run]) for run in range(runs)]
    return sum(accepted(rng, at_a_time, total, in_ask_order=in_ask_order) for rng in rngs)


if __name__ == "__main__":
    for at_a_time in (1, 32, 256):
        in_turn, as_they_come = (false_accepts(100, at_a_time, in_ask_order=order) for order in (True, False))
        print(f"{at_a_time:3} at a time: accepted in {in_turn} % in ask order, {as_they_come} % in order of arrival")
