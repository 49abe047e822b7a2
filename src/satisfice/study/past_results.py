"""The results that a study has had, kept to be drawn again: where it is simulated on, they stand for those to come."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, NamedTuple

import numpy as np

from satisfice.problem.results import Row
from satisfice.statistics.raw import Raw, is_count, is_list, share_counted
from satisfice.study.events import Event, Kind
from satisfice.study.policy import Then, policy_of_content
from satisfice.study.pull import measured_in
from satisfice.study.spec import Spec

LEAST_RESULTS = 5
"""With fewer results of a configuration others have to stand for it; where none has as many, it is too early."""

MOST_KEPT, MOST_NUMBERS = 1000, 300_000
"""Results of a configuration, and numbers of all, that are kept to draw from; of more a fair sample."""


class Kept(NamedTuple):
    """What one evaluation returned and cost, to be drawn again."""

    values: Row
    baseline: Row = ()
    cost: float | None = None


class PastResults:
    """The results of a study by line, a fair sample of them where there are many, as its events say."""

    def __init__(self, spec: Spec) -> None:
        self._groups, self._problems, self._policy = spec.groups, spec.problem().by_group, spec.policy
        self._asked: dict[int, tuple[int, int]] = {}
        self._seen: dict[int, int] = {}
        self._numbers = 0
        self._random = Random(0)
        self.by_line: dict[int, list[Kept]] = {}

    def follow(self, events: Iterable[Event]) -> None:
        for event in events:
            self.note(event)

    def note(self, event: Event) -> None:
        """Take in an event, in the order of the log; what was asked before the first one is left out."""
        content = event.content
        if event.kind == Kind.ASKED:
            group = sum(map(self._groups.index, content.get("groups", ())))
            line = content["arm"] * max(1, len(self._groups)) + group
            self._asked[content["number"]] = line, content["arm_number"]
        elif event.kind == Kind.TOLD and (asked := self._asked.pop(content["number"], None)) is not None:
            measured = measured_in(content)
            self._keep(asked[0], Kept(measured.values, measured.baseline, measured.cost))
        elif event.kind == Kind.FAILED and content["then"] == Then.WORST:
            asked = self._asked.pop(content["number"], None)
            if asked is not None and (worst := self._worst(*asked)) is not None:
                self._keep(asked[0], Kept(worst, (), content.get("cost")))
        elif event.kind == Kind.POLICY:
            self._policy = policy_of_content(content["policy"])

    def _worst(self, line: int, arm_number: int) -> Row | None:
        return self._policy.worst_values(self._problems[line % len(self._problems)], arm_number)

    def _keep(self, line: int, result: Kept) -> None:
        kept = self.by_line.setdefault(line, [])
        seen = self._seen[line] = self._seen.get(line, 0) + 1
        room = len(kept) < (MOST_KEPT if self._numbers < MOST_NUMBERS else LEAST_RESULTS)
        if room:
            kept.append(result)
            self._numbers += _size(result)
        elif (place := self._random.randrange(seen)) < len(kept):
            kept[place] = result


def _size(result: Kept) -> int:
    return sum(len(one) if is_list(one) else 1 for one in (*result.values, *result.baseline))


class Drawn:
    """The results of one simulated run."""

    def __init__(self, source: "Source", rng: np.random.Generator) -> None:
        self._source, self._rng = source, rng
        self._by_line: dict[int, Iterator[Kept]] = {}

    def __call__(self, line: int) -> Kept:
        if line not in self._by_line:
            self._by_line[line] = self._again(self._source.results_for(line, self._rng))
        return next(self._by_line[line])

    def _again(self, results: Sequence[Kept]) -> Iterator[Kept]:
        sample = self._rng.integers(len(results), size=len(results))
        while True:
            for place in sample[self._rng.integers(len(sample), size=64)].tolist():
                yield results[place]


class Source:
    """Whose results stand for those of each line: its own, or those of another that is like it."""

    def __init__(self, results: Mapping[int, Sequence[Kept]], groups: int) -> None:
        self._results, self._groups = results, groups
        self._rich: list[list[int]] = []
        self._known: list[list[int]] = []
        self._centres: dict[int, Any] = {}
        self._near: dict[int, int] = {}
        for group in range(groups):
            known = [line for line in sorted(results) if line % groups == group and results[line]]
            self._known.append(known)
            self._rich.append([line for line in known if len(results[line]) >= LEAST_RESULTS])
            if known:
                means = np.array([_centre(results[line]) for line in known])
                spread = means.std(axis=0)
                self._centres |= dict(zip(known, means / np.where(spread > 0, spread, 1.0), strict=True))

    @property
    def is_rich(self) -> bool:
        """Whether there is anything to draw from."""
        return all(self._rich)

    def drawn(self, rng: np.random.Generator) -> Drawn:
        return Drawn(self, rng)

    def results_for(self, line: int, rng: np.random.Generator) -> Sequence[Kept]:
        """The results that stand for those of a line in one run."""
        group = line % self._groups
        if not self._results.get(line):
            known = self._known[group]
            line = known[int(rng.integers(len(known)))]
        return self._results[self._nearest(line, group)]

    def _nearest(self, line: int, group: int) -> int:
        if len(self._results[line]) >= LEAST_RESULTS:
            return line
        if line not in self._near:
            own, rich = self._centres[line], self._rich[group]
            self._near[line] = min(rich, key=lambda one: float(np.square(self._centres[one] - own).sum()))
        return self._near[line]


def _centre(results: Sequence[Kept]) -> Any:
    """The mean results, each list by its own mean, each count by its share; of what was measured at all."""
    columns = zip(*(result.values for result in results), strict=True)
    each = ([_number(one) for one in column if one is not None] for column in columns)
    return np.array([float(np.mean(numbers)) if numbers else 0.0 for numbers in each])


def _number(raw: Raw) -> float:
    return share_counted(raw) if is_count(raw) else float(np.mean(raw))
