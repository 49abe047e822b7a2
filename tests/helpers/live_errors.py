"""How often live searches and studies are wrong on the instances of `edge_cases`, where they are as often as can be."""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any

import numpy as np

import satisfice as sf
from tests.helpers.driving import told_run
from tests.helpers.edge_cases import Edge

Duration = Callable[[np.random.Generator, float], float]
"""How long an evaluation takes, given how many standard deviations its first result is beyond the threshold."""

Said = Callable[[sf.Pull, dict[str, float]], dict[str, float]]

DURATIONS: dict[str, Duration] = {
    "random": lambda rng, beyond: float(rng.exponential()),
    "passing results first": lambda rng, beyond: max(10.0 - 3.0 * beyond, 0.01),
    "failing results first": lambda rng, beyond: max(10.0 + 3.0 * beyond, 0.01),
}


def is_wrong(case: Edge, verdict: sf.Verdict) -> bool:
    """By the letters of the shape: a failing arm was accepted, or good ones rejected where that counts."""
    words = {str(place): word for place, word in enumerate(case.shape)}
    failing = {name for name, word in words.items() if set(word) & set("ef")}
    good = {name for name, word in words.items() if set(word) <= set("gh")}
    if case.goal == "all":
        return bool(failing & set(verdict.accepted) or good & set(verdict.rejected))
    wanted = 1 if case.goal == "any" else case.goal
    return bool(failing & set(verdict.accepted)) or (verdict.outcome is sf.Outcome.NONE and len(good) >= wanted)


def names_of(case: Edge) -> list[str]:
    return [str(place) for place in range(len(case.shape))]


def search_is_wrong(case: Edge, run: int) -> bool:
    """One search, asked and told one evaluation at a time."""
    instance = sf.Instance.of(case.problem(), case.instance().arms, arm_names=names_of(case))
    search = sf.Search(instance.problem, instance.arm_names, rule=case.rule, stopping=case.stopping, seed=run)
    told_run(search, instance, np.random.default_rng([case.seed, run]), case.budget)
    return is_wrong(case, search.verdict)


class Evaluations:
    """What is under way: results are drawn when they are asked for, and come back when they are ready."""

    def __init__(self, case: Edge, run: int, duration: Duration) -> None:
        self.case, self.duration = case, duration
        self.rng = np.random.default_rng([case.seed, run])
        self.arms = case.instance().arms
        self.now, self.begun = 0.0, 0
        self.ends: list[tuple[float, int, object, list[float]]] = []

    def begin(self, place: int, ticket: object) -> None:
        results = np.empty(len(self.case.shape[0]))
        self.arms.draw(self.rng, place, results)
        beyond = (results[0] - self.case.law.threshold) / self.case.law.sd
        heappush(self.ends, (self.now + self.duration(self.rng, beyond), self.begun, ticket, results.tolist()))
        self.begun += 1

    def next_end(self) -> tuple[object, list[float]]:
        self.now, _, ticket, results = heappop(self.ends)
        return ticket, results


def study_is_wrong(
    case: Edge, run: int, *, under_way: int, durations: str, said: Said | None = None, **given: Any
) -> bool:
    """One study in memory with so many evaluations under way, told as they come back.

    `said` makes results of what was drawn for a pull, where that is not all there is to tell.
    """
    asked = {"thresholds": case.problem().metrics, "error_rate": case.error_rate, "goal": case.goal, "rule": case.rule}
    study = sf.create_study(
        names_of(case), **asked | {"stopping": case.stopping, "seed": run, "storage": "memory"} | given
    )
    at_work, metrics = Evaluations(case, run, DURATIONS[durations]), case.problem().metric_names
    while True:
        wanted = min(under_way - len(at_work.ends), case.budget - at_work.begun)
        for pull in study.ask(wanted) if wanted > 0 else []:
            at_work.begin(int(pull.name), pull)
        if not at_work.ends or study.outcome is not sf.Outcome.UNDECIDED:
            return is_wrong(case, study.verdict())
        pull, drawn = at_work.next_end()
        results = dict(zip(metrics, drawn, strict=True))
        study.tell(pull, results if said is None else said(pull, results))


def hasty_search_is_wrong(case: Edge, run: int, *, under_way: int, durations: str) -> bool:
    """The mistake to be caught: a search whose results are folded as they come back."""
    search = sf.Search(case.problem(), names_of(case), rule=case.rule, stopping=case.stopping, seed=run)
    at_work = Evaluations(case, run, DURATIONS[durations])
    outstanding = np.zeros(len(case.shape), dtype=np.int64)
    while search.outcome is sf.Outcome.UNDECIDED:
        while len(at_work.ends) < under_way and at_work.begun < case.budget:
            place = search.choose(at_work.begun, outstanding)
            outstanding[place] += 1
            at_work.begin(place, place)
        if not at_work.ends:
            break
        place, results = at_work.next_end()
        outstanding[place] -= 1
        search.fold(place, results)
    return is_wrong(case, search.verdict)
