"""How a study came to what it knows: evidence and evaluations over time, raw results, failures, from its log."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from math import nan
from time import monotonic
from typing import Any, NamedTuple

from satisfice.search.diagnostics import Stream, streams_of
from satisfice.search.verdict import Outcome
from satisfice.statistics.raw import BEYOND
from satisfice.study import Study, StudyView
from satisfice.study.events import Event, Kind
from satisfice.study.past_results import PastResults
from satisfice.study.policy import Then
from satisfice.study.pull import measured_in
from satisfice.study.state import StudyState

MOST_SAMPLES = 240
"""With more moments than that every other one is forgotten."""

MOST_REASONS = 1000
"""Of failures that are told apart."""

CHUNK = 500
"""Events that are read at a time."""


class Point(NamedTuple):
    """A configuration after a number of evaluations of the whole study.

    `leaning` is the share of the evidence that a decision takes, positive for passing and negative for failing.
    """

    folded: int
    leaning: float
    pulls: int


class History:
    """What happened in a study, read from its log once, from its beginning on and as far as there was time for.

    Until it is as far as the view that it is to reach it keeps a state of its own; from then on it looks at views.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._streams = streams_of(study.problem)
        self._state: StudyState | None = StudyState(study.spec)
        self._arms: dict[int, tuple[int, int]] = {}
        self._raw: dict[int, list[array[float]]] = {}
        self._every, self._next = 1, 1
        self._moved: set[int] = set()
        self._reading: Iterator[Event] = iter(())
        self.past = PastResults(study.spec)
        self.position = 0
        self.samples: list[int] = []
        self.points: dict[int, list[Point]] = {}
        self.failures: Counter[tuple[str, str]] = Counter()
        self.other_failures = 0
        self.last_told_at: float | None = None
        self.revision = 0

    @property
    def streams(self) -> list[Stream]:
        """The numbers of an evaluation that are looked at."""
        return self._streams

    def follow(self, view: StudyView, *, seconds: float) -> bool:
        """Read on towards the view for about `seconds`; whether it was reached."""
        until = monotonic() + seconds
        while self.position < view.position:
            before = self.position
            self._take(islice(self._reading, CHUNK))
            if self.position == before:
                self._reading = self._study.events(view.position, after=before)
                self._take(islice(self._reading, CHUNK))
            if self.position == before or monotonic() >= until:
                break
        if self.position < view.position:
            return False
        if self._state is not None:
            self._sample_state(self._state)
            self._state = None
        folded = view.counts.folded
        if self._moved and (folded >= self._next or view.outcome is not Outcome.UNDECIDED):
            names = view.spec.names
            self._sample(folded, lambda arm: (view.leaning(names[arm]), view.evaluations[names[arm]]))
        return True

    def _take(self, events: Iterable[Event]) -> None:
        state = self._state
        for event in events:
            self.position = event.position
            if state is not None:
                state.apply(event)
            self._note(event)
            if state is not None and state.told >= self._next and self._moved:
                self._sample_state(state)

    def _note(self, event: Event) -> None:
        content = event.content
        self.past.note(event)
        if event.kind == Kind.ASKED:
            self._arms[content["number"]] = (content["arm"], content["arm_number"])
        elif event.kind in (Kind.TOLD, Kind.FAILED):
            arm, place = self._arms[content["number"]]
            self.last_told_at = content["at"]
            if event.kind == Kind.TOLD:
                self._keep(arm, place, content)
                del self._arms[content["number"]]
                self._moved.add(arm)
            else:
                self._fail(arm, content)

    def _keep(self, arm: int, place: int, content: dict[str, Any]) -> None:
        measured = measured_in(content)
        columns = self._raw.setdefault(arm, [array("d") for _ in self._streams])
        for column, stream in zip(columns, self._streams, strict=True):
            number = stream.number(measured.values, measured.baseline)
            column.extend([nan] * (place + 1 - len(column)))
            column[place] = number if abs(number) < BEYOND else nan

    def _fail(self, arm: int, content: dict[str, Any]) -> None:
        key = (self._study.spec.names[arm], str(content["reason"])[:300])
        if key in self.failures or len(self.failures) < MOST_REASONS:
            self.failures[key] += 1
        else:
            self.other_failures += 1
        if content["then"] == Then.WORST:
            self._arms.pop(content["number"], None)
            self._moved.add(arm)

    def _sample_state(self, state: StudyState) -> None:
        pulls = state.search.pulls
        self._sample(int(pulls.sum()), lambda arm: (state.search.leaning(arm), int(pulls[arm])))

    def _sample(self, folded: int, known: Callable[[int], tuple[float, int]]) -> None:
        """Note where the configurations are that had results since the last time."""
        for arm in self._moved:
            self.points.setdefault(arm, []).append(Point(folded, *known(arm)))
        self._moved.clear()
        self.samples.append(folded)
        if len(self.samples) > MOST_SAMPLES:
            self._thin()
        self._next = folded + self._every
        self.revision += 1

    def _thin(self) -> None:
        """Forget every other moment; of each configuration what it came to last stays."""
        self._every *= 2
        kept = set(self.samples[1::2])
        self.samples = self.samples[1::2]
        self.points = {
            arm: [one for place, one in enumerate(points) if one.folded in kept or place == len(points) - 1]
            for arm, points in self.points.items()
        }

    def results(self, arm: int) -> "list[array[float]]":
        """The numbers of a configuration in the order in which they were asked for, a column for each stream."""
        return self._raw.get(arm, [array("d") for _ in self._streams])
