"""The state of a study: what its events, applied one after the other, lead to.

Each config's results enter its evidence in the order in which they were asked for, whatever the order in which they
arrive: results that come early are held until those before them are there. Where the stopping rule moves evidence from
config to config, all results wait in one line: that another config's result is late says something about it, and a
transfer must not know. The state is a function of the events alone.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satisfice.errors import DamagedLog
from satisfice.search.search import Search
from satisfice.search.verdict import Outcome
from satisfice.study.baseline import baseline_first
from satisfice.study.events import BEFORE_ALL, Event, Kind, canonical, check_seal, sealed
from satisfice.study.policy import OnError
from satisfice.study.pull import Measured, Pull
from satisfice.study.spec import Spec, spec_of_content

State = dict[str, NDArray[Any]]


class OpenPull(NamedTuple):
    """A pull that was asked for and is not settled; nobody works on it when `worker` is None."""

    number: int
    arm: int
    arm_number: int
    attempt: int
    failures: int
    worker: str | None
    at: float
    expires: float


class Counts(NamedTuple):
    """How many evaluations were asked for and what became of them.

    `told` are recorded results, worst results of failed evaluations included; `folded` of them are in the evidence,
    `held` wait for one that was asked earlier, and `late` were not needed for the verdict. `failed` counts failures,
    `reissued` pulls that were given out again.
    """

    asked: int
    told: int
    folded: int
    held: int
    late: int
    failed: int
    reissued: int
    outstanding: int


class StudyState:
    """A study after the event at `position`, whose digest is `head`.

    How many results are in the evidence, how many asks there were and whether there is a verdict, the search knows.
    `waiting` (K,) counts the evaluations of each config that were asked for and are not in its evidence; `held` are
    results that came early, by line and place in it; `answered` says that the log has the verdict. With `choosing`,
    each ask that is applied is chosen anew: `chosen` is what the rule says, for whoever compares.
    """

    def __init__(self, spec: Spec, *, choosing: bool = False) -> None:
        self.spec, self._choosing = spec, choosing
        self.search: Search = spec.search()
        self.position, self.head = 0, BEFORE_ALL
        self.waiting = np.zeros(len(spec.configs), dtype=np.int64)
        self.open: dict[int, OpenPull] = {}
        self.free: set[int] = set()
        self.held: dict[int, dict[int, tuple[int, Measured]]] = {}
        self.told = self.failed = self.reissued = 0
        self.chosen: int | None = None
        self.answered = False
        self.stopped: str | None = None
        self._worst = spec.worst_values()
        self._one_line = self.search.joins_arms
        self._do: dict[str, Callable[[dict[str, Any]], None]] = {
            Kind.CREATED: lambda content: None,
            Kind.ASKED: self._asked,
            Kind.TOLD: self._told,
            Kind.FAILED: self._failed,
            Kind.REISSUED: self._reissued,
            Kind.RELEASED: lambda content: self._set_free(self._pull(content)),
            Kind.RESUMED: self._resumed,
            Kind.VERDICT: self._verdict,
        }

    @property
    def ended(self) -> bool:
        """Whether there is a verdict."""
        return self.search.outcome is not Outcome.UNDECIDED

    def apply(self, event: Event) -> None:
        """Take in the next event of the log."""
        check_seal(event, self.head, self.position + 1)
        if event.kind == Kind.ASKED:
            if self._choosing:
                self.chosen = self.next_arm()
            else:
                self.search.note_choice(self.search.asks, self.waiting)
        try:
            self._do[event.kind](event.content)
        except (KeyError, TypeError, IndexError) as error:
            raise DamagedLog(f"Event {event.position} ({event.kind}) makes no sense here: {error!r}.") from error
        self.position, self.head = event.position, event.digest

    def record(self, kind: Kind, content: dict[str, Any]) -> Event:
        """Make the next event and take it in; an ask's config was chosen by `next_arm` right before."""
        event = sealed(self.head, self.position + 1, kind, content)
        self._do[kind](content)
        self.position, self.head = event.position, event.digest
        return event

    def next_arm(self) -> int | None:
        """The config of the next new pull; the ask is counted with it."""
        return self.search.choose(self.search.asks, self.waiting)

    def next_arm_number(self, arm: int) -> int:
        """How often the config was asked for so far."""
        return int(self.waiting[arm] + self.search.pulls[arm])

    def verdict_content(self) -> dict[str, Any]:
        """The verdict as an event has it."""
        verdict = self.search.verdict
        return {
            "outcome": str(verdict.outcome),
            "arm": verdict.arm,
            "accepted": list(verdict.accepted),
            "evaluations": verdict.evaluations,
        }

    def counts(self) -> Counts:
        folded = int(self.search.pulls.sum())
        ended = self.ended
        return Counts(
            asked=self.search.asks,
            told=self.told,
            folded=folded,
            held=0 if ended else self.told - folded,
            late=self.told - folded if ended else 0,
            failed=self.failed,
            reissued=self.reissued,
            outstanding=len(self.open),
        )

    def _pull(self, content: dict[str, Any]) -> OpenPull:
        pull = self.open[content["number"]]
        if pull.attempt != content["attempt"]:
            raise KeyError(f"pull {pull.number} is at attempt {pull.attempt}")
        return pull

    def _asked(self, content: dict[str, Any]) -> None:
        arm, number, at = content["arm"], content["number"], content["at"]
        if number != self.search.asks - 1 or content["arm_number"] != self.next_arm_number(arm):
            raise KeyError(f"ask {number} is not the next one")
        self.waiting[arm] += 1
        self.open[number] = OpenPull(
            number, arm, content["arm_number"], 0, 0, content["worker"], at, at + content["lease"]
        )

    def _reissued(self, content: dict[str, Any]) -> None:
        pull, at = self.open[content["number"]], content["at"]
        if content["attempt"] != pull.attempt + 1:
            raise KeyError(f"pull {pull.number} is at attempt {pull.attempt}")
        self.open[pull.number] = pull._replace(
            attempt=content["attempt"], worker=content["worker"], at=at, expires=at + content["lease"]
        )
        self.free.discard(pull.number)
        self.reissued += 1

    def _told(self, content: dict[str, Any]) -> None:
        self._settle(self._pull(content), measured_in(content))

    def _failed(self, content: dict[str, Any]) -> None:
        pull = self._pull(content)
        self.failed += 1
        if content["then"] == OnError.WORST:
            if self._worst is None:
                raise KeyError("failures are not worst results in this study")
            self._settle(pull, Measured(self._worst))
            return
        self._set_free(pull._replace(failures=pull.failures + 1))
        if content["then"] == OnError.STOP:
            self.stopped = content["reason"]

    def _set_free(self, pull: OpenPull) -> None:
        self.open[pull.number] = pull._replace(worker=None, expires=0.0)
        self.free.add(pull.number)

    def _resumed(self, content: dict[str, Any]) -> None:
        self.stopped = None
        self.open = {number: pull._replace(failures=0) for number, pull in self.open.items()}

    def _verdict(self, content: dict[str, Any]) -> None:
        self.answered = True

    def _settle(self, pull: OpenPull, measured: Measured) -> None:
        """A pull has its results: fold them, and those that waited for them, in the order of asking."""
        del self.open[pull.number]
        self.free.discard(pull.number)
        self.told += 1
        if self.ended:
            return
        line, place = (0, pull.number) if self._one_line else (pull.arm, pull.arm_number)
        early = self.held.setdefault(line, {})
        early[place] = (pull.arm, measured)
        while (due := self._due(line)) in early:
            arm, measured = early.pop(due)
            self.search.fold(arm, measured.values, measured.baseline)
            self.waiting[arm] -= 1
            if self.ended:
                break
        if not early:
            del self.held[line]

    def _due(self, line: int) -> int:
        """Whose turn it is in a line: a config's own number, or that of the ask."""
        return int(self.search.pulls.sum() if self._one_line else self.search.pulls[line])

    def state(self) -> State:
        """Everything, exactly, as arrays that stay as they are."""
        rest = {
            "position": self.position,
            "head": self.head,
            "open": list(self.open.values()),
            "held": [
                [line, [[place, arm, one.values, one.baseline] for place, (arm, one) in some.items()]]
                for line, some in self.held.items()
            ],
            "counts": [self.told, self.failed, self.reissued],
            "answered": self.answered,
            "stopped": self.stopped,
        }
        state = {f"search.{name}": np.array(array) for name, array in self.search.state().items()}
        state["waiting"] = self.waiting.copy()
        state["rest"] = np.frombuffer(canonical(rest).encode(), dtype=np.uint8)
        return state

    def restore(self, state: State) -> None:
        """Be as the state was that was written so."""
        rest = json.loads(state["rest"].tobytes().decode())
        self.search.restore(
            {name.removeprefix("search."): array for name, array in state.items() if name.startswith("search.")}
        )
        self.waiting = state["waiting"].copy()
        self.position, self.head = rest["position"], rest["head"]
        self.open = {fields[0]: OpenPull(*fields) for fields in rest["open"]}
        self.free = {number for number, pull in self.open.items() if pull.worker is None}
        self.held = {
            line: {place: (arm, Measured(tuple(values), tuple(beside))) for place, arm, values, beside in some}
            for line, some in rest["held"]
        }
        self.told, self.failed, self.reissued = rest["counts"]
        self.answered, self.stopped = rest["answered"], rest["stopped"]


def spec_of(first: Event) -> Spec:
    """The spec in the first event of a log."""
    if first.kind != Kind.CREATED or "spec" not in first.content:
        raise DamagedLog(f"Expected the log to begin with the study's spec, found an event {first.kind!r}.")
    try:
        return spec_of_content(first.content["spec"])
    except (KeyError, TypeError, ValueError) as error:
        raise DamagedLog(f"The spec in the first event of the log cannot be read: {error!r}.") from error


def measured_in(content: Mapping[str, Any]) -> Measured:
    """The results in an event that tells them."""
    return Measured(tuple(content["values"]), tuple(content.get("baseline", ())))


def pull_of(identity: str, spec: Spec, pull: OpenPull) -> Pull:
    """An open pull as whoever evaluates it gets it."""
    name, parameters = spec.configs[pull.arm]
    item = spec.items[pull.arm_number % len(spec.items)] if spec.items else None
    plain = Pull(identity, pull.number, pull.arm_number, pull.attempt, name, dict(parameters), item=item)
    if spec.baseline is None:
        return plain
    beside, own = spec.baseline
    first = baseline_first(spec.seed, pull.number)
    return replace(plain, baseline_name=beside, baseline_parameters=dict(own), baseline_first=first)
