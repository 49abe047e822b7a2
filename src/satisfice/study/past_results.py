"""The results that a study has had, kept to be drawn again: where it is simulated on, they stand for those to come."""

from bisect import bisect
from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import NamedTuple, TypeVar

import numpy as np

from satisfice.problem.results import Row
from satisfice.statistics.raw import Raw, is_count, is_list, share_counted
from satisfice.study.events import Event, Kind
from satisfice.study.policy import Then, policy_of_content
from satisfice.study.pull import measured_in
from satisfice.study.spec import Spec

LEAST_RESULTS = 5
"""Where no configuration has as many results it is too early."""

USUAL, WORTH, MOST_UNLIKE = 0.2, 5.0, 2.0
"""The variance between configurations over that within one: what is usual, how many configurations that counts for,
and the most that a metric may say. From studies that `python -m benchmarks.forecasts` is not judged on."""

UNSURE = 0.7
"""How uncertain it is what lines have in common: the standard deviation of the logarithm of `strangers`."""

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


T = TypeVar("T")


class Urn:
    """The results of one simulated run.

    The next result of a line is one of those it had, the ones drawn before included, or, as if there were `strangers`
    more of them, a result of any line (Blackwell and MacQueen 1973). So each line has a distribution of its own in each
    run: a draw from the Dirichlet process after its results, shrunk towards what all lines have in common. How much
    that is, and which lines there might have been in place of these (Rubin's Bayesian bootstrap, 1981), is uncertain
    too, and drawn once for each run.
    """

    def __init__(self, source: "Source", rng: np.random.Generator) -> None:
        self._source, self._rng = source, rng
        self._strangers = [each * float(np.exp(UNSURE * rng.normal())) for each in source.strangers]
        weights = [rng.exponential(size=len(lines)).cumsum() for lines in source.lines]
        self._shares = [(each / each[-1]).tolist() for each in weights]
        self._drawn: dict[int, list[Kept]] = {}
        self._numbers: list[float] = []

    def __call__(self, line: int) -> Kept:
        own, drawn = self._source.results.get(line, ()), self._drawn.setdefault(line, [])
        group = line % self._source.groups
        place = self._number() * (len(own) + len(drawn) + self._strangers[group])
        if place < len(own):
            result = own[int(place)]
        elif place < len(own) + len(drawn):
            result = drawn[int(place) - len(own)]
        else:
            stranger = self._source.lines[group][bisect(self._shares[group], self._number())]
            result = self._one_of(self._source.results[stranger])
            if own or drawn:
                result = self._as_of(group, result, self._one_of(own or drawn))
        drawn.append(result)
        return result

    def _as_of(self, group: int, result: Kept, own: Kept) -> Kept:
        """A stranger's result with what each line has of its own: its cost, and metrics that never vary."""
        steady = self._source.steady[group]
        values = tuple(own.values[at] if at in steady else raw for at, raw in enumerate(result.values))
        return Kept(values, result.baseline, own.cost)

    def _one_of(self, each: Sequence[T]) -> T:
        return each[int(self._number() * len(each))]

    def _number(self) -> float:
        if not self._numbers:
            self._numbers = self._rng.random(256).tolist()
        return self._numbers.pop()


class Source:
    """What simulated runs draw from: the results of each line, and how much lines have in common.

    By group, `lines` are those with results, `steady` the places of metrics that are the same in all results of a line,
    and `strangers` how many results of any line count beside a line's own.
    """

    def __init__(self, results: Mapping[int, Sequence[Kept]], groups: int) -> None:
        self.results, self.groups = results, groups
        known = [line for line in sorted(results) if results[line]]
        self.lines = [[line for line in known if line % groups == group] for group in range(groups)]
        each = [[results[line] for line in lines] for lines in self.lines]
        self.steady, self.strangers = [*map(_steady, each)], [*map(_strangers, each)]

    @property
    def is_rich(self) -> bool:
        """Whether there is anything to draw from."""
        return all(any(len(self.results[line]) >= LEAST_RESULTS for line in lines) for lines in self.lines)

    def drawn(self, rng: np.random.Generator) -> Urn:
        return Urn(self, rng)


def _steady(each: Sequence[Sequence[Kept]]) -> set[int]:
    if all(len(results) == 1 for results in each):  # of no line, too
        return set()
    first = [results[0].values for results in each]
    return {
        place
        for place in range(len(first[0]))
        if all(one.values[place] == own[place] for results, own in zip(each, first, strict=True) for one in results)
    }


def _strangers(each: Sequence[Sequence[Kept]]) -> float:
    """The variance within lines over that between their means, which is Buehlmann's (1967) weight of what all share.

    It is that of the metric in which lines differ most, since results are drawn as a whole. Where there are few lines
    it is little known, and taken to be nearer to what is usual.
    """
    if len(each) < 2:
        return 1 / USUAL
    columns = zip(*(zip(*(result.values for result in results), strict=True) for results in each), strict=True)
    steady = _steady(each)
    ratios = [_unlikeness(column) for place, column in enumerate(columns) if place not in steady]
    ratio = max(ratios) if ratios else USUAL
    return (WORTH + len(each) - 1) / (WORTH * USUAL + (len(each) - 1) * ratio)


def _unlikeness(column: Sequence[Sequence[Raw | None]]) -> float:
    """The variance between the means of lines over that within, of what was measured of one metric.

    By the analysis of variance for unequal numbers of results.
    """
    measured = ([_number(raw) for raw in results if raw is not None] for results in column)
    lines = [np.array(numbers) for numbers in measured if numbers]
    counts, total = np.array([len(one) for one in lines], dtype=float), sum(map(len, lines))
    if len(lines) < 2 or total == len(lines):
        return USUAL
    means = np.array([one.mean() for one in lines])
    with np.errstate(all="ignore"):  # of what never varies, or of failures that count as huge
        within = sum(np.square(one - one.mean()).sum() for one in lines) / (total - len(lines))
        excess = counts @ np.square(means - counts @ means / total) - (len(lines) - 1) * within
        ratio = excess / (total - np.square(counts).sum() / total) / within
    return float(np.clip(ratio, 0.0, MOST_UNLIKE)) if np.isfinite(ratio) else USUAL


def _number(raw: Raw) -> float:
    return share_counted(raw) if is_count(raw) else float(np.mean(raw))
