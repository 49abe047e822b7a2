"""The state of a study: nothing but a replay of its events.

Each arm's results enter its evidence in the order in which they were asked for, whatever the order in which they
arrive: results that come early are held until those before them are there. Where the stopping rule moves evidence from
arm to arm, all results wait in one line: that another arm's result is late says something about it, and a transfer must
not know. The state is a function of the events alone.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from satisfice.errors import DamagedLog
from satisfice.search.search import Search
from satisfice.search.verdict import Outcome
from satisfice.study.events import BEFORE_ALL, Event, Kind, canonical, check_seal, sealed
from satisfice.study.spec import OnError, Spec

State = dict[str, NDArray[Any]]


@dataclass
class OpenPull:
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


class Replay:
    """A study's state after the event at `position`, whose digest is `head`.

    With `choosing`, each ask that is replayed is chosen anew: `chosen` is what the rule says, for whoever compares.
    """

    def __init__(self, spec: Spec, *, choosing: bool = False) -> None:
        self.spec, self._choosing = spec, choosing
        self.search: Search = spec.search()
        self.position, self.head = 0, BEFORE_ALL
        arms = len(spec.configs)
        self.asked = np.zeros(arms, dtype=np.int64)
        self.folded = np.zeros(arms, dtype=np.int64)
        self.unfolded = np.zeros(arms, dtype=np.int64)
        self.open: dict[int, OpenPull] = {}
        self.free: set[int] = set()
        self.held: dict[int, dict[int, tuple[int, tuple[float, ...]]]] = {}
        self.next_number = 0
        self.told = self.failed = self.reissued = 0
        self.chosen: int | None = None
        self.ended = False
        self.answer: dict[str, Any] | None = None
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

    def apply(self, event: Event) -> None:
        """Take in the next event of the log."""
        check_seal(event, self.head, self.position + 1)
        if event.kind == Kind.ASKED:
            if self._choosing:
                self.chosen = self.next_arm()
            else:
                self.search.note_choice(self.next_number, self.unfolded)
        try:
            self._do[event.kind](event.content)
        except (KeyError, TypeError, IndexError) as error:
            raise DamagedLog(f"Event {event.position} ({event.kind}) makes no sense here: {error!r}.") from error
        self.position, self.head = event.position, event.digest

    def record(self, kind: Kind, content: dict[str, Any]) -> Event:
        """Make the next event and take it in."""
        event = sealed(self.head, self.position + 1, kind, content)
        self._do[kind](content)
        self.position, self.head = event.position, event.digest
        return event

    def next_arm(self) -> int | None:
        """The arm of the next new pull."""
        return self.search.choose(self.next_number, self.unfolded)

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
        folded = int(self.folded.sum())
        return Counts(
            asked=self.next_number,
            told=self.told,
            folded=folded,
            held=0 if self.ended else self.told - folded,
            late=self.told - folded if self.ended else 0,
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
        arm, number = content["arm"], content["number"]
        if number != self.next_number or content["arm_number"] != self.asked[arm]:
            raise KeyError(f"ask {number} is not the next one")
        self.asked[arm] += 1
        self.unfolded[arm] += 1
        self.next_number += 1
        at = content["at"]
        self.open[number] = OpenPull(
            number, arm, content["arm_number"], 0, 0, content["worker"], at, at + content["lease"]
        )

    def _reissued(self, content: dict[str, Any]) -> None:
        pull = self.open[content["number"]]
        if content["attempt"] != pull.attempt + 1:
            raise KeyError(f"pull {pull.number} is at attempt {pull.attempt}")
        pull.attempt, pull.worker, pull.at = content["attempt"], content["worker"], content["at"]
        pull.expires = pull.at + content["lease"]
        self.free.discard(pull.number)
        self.reissued += 1

    def _told(self, content: dict[str, Any]) -> None:
        self._settle(self._pull(content), tuple(content["values"]))

    def _failed(self, content: dict[str, Any]) -> None:
        pull = self._pull(content)
        self.failed += 1
        if content["then"] == OnError.WORST:
            if self._worst is None:
                raise KeyError("failures are not worst results in this study")
            self._settle(pull, self._worst)
            return
        pull.failures += 1
        self._set_free(pull)
        if content["then"] == OnError.STOP:
            self.stopped = content["reason"]

    def _set_free(self, pull: OpenPull) -> None:
        pull.worker, pull.expires = None, 0.0
        self.free.add(pull.number)

    def _resumed(self, content: dict[str, Any]) -> None:
        self.stopped = None
        for pull in self.open.values():
            pull.failures = 0

    def _verdict(self, content: dict[str, Any]) -> None:
        self.answer, self.ended = content, True

    def _settle(self, pull: OpenPull, values: tuple[float, ...]) -> None:
        """A pull has its results: fold them, and those that waited for them, in the order of asking."""
        del self.open[pull.number]
        self.free.discard(pull.number)
        self.told += 1
        if self.ended:
            return
        line, place = (0, pull.number) if self._one_line else (pull.arm, pull.arm_number)
        waiting = self.held.setdefault(line, {})
        waiting[place] = (pull.arm, values)
        while not self.ended and (due := self._due(line)) in waiting:
            arm, values = waiting.pop(due)
            self.search.fold(arm, values)
            self.folded[arm] += 1
            self.unfolded[arm] -= 1
            self.ended = self.search.outcome is not Outcome.UNDECIDED
        if not waiting:
            del self.held[line]

    def _due(self, line: int) -> int:
        """Whose turn it is in a line: an arm's own number, or that of the ask."""
        return int(self.folded.sum() if self._one_line else self.folded[line])

    def state(self) -> State:
        """Everything, exactly, as arrays."""
        rest = {
            "position": self.position,
            "head": self.head,
            "open": [asdict(pull) for pull in self.open.values()],
            "held": [
                [line, [[place, arm, *values] for place, (arm, values) in some.items()]]
                for line, some in self.held.items()
            ],
            "counts": [self.next_number, self.told, self.failed, self.reissued],
            "ended": self.ended,
            "answer": self.answer,
            "stopped": self.stopped,
        }
        state = {f"search.{name}": array for name, array in self.search.state().items()}
        state["asked"], state["folded"] = self.asked.copy(), self.folded.copy()
        state["rest"] = np.frombuffer(canonical(rest).encode(), dtype=np.uint8)
        return state

    def restore(self, state: State) -> None:
        """Be as the replay was whose state this is."""
        rest = json.loads(state["rest"].tobytes().decode())
        self.search.restore(
            {name.removeprefix("search."): array for name, array in state.items() if name.startswith("search.")}
        )
        self.asked, self.folded = state["asked"].copy(), state["folded"].copy()
        self.unfolded = self.asked - self.folded
        self.position, self.head = rest["position"], rest["head"]
        self.open = {content["number"]: OpenPull(**content) for content in rest["open"]}
        self.free = {number for number, pull in self.open.items() if pull.worker is None}
        self.held = {line: {place: (arm, tuple(values)) for place, arm, *values in some} for line, some in rest["held"]}
        self.next_number, self.told, self.failed, self.reissued = rest["counts"]
        self.ended, self.answer, self.stopped = rest["ended"], rest["answer"], rest["stopped"]
