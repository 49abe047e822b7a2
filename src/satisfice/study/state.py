"""The state of a study: what its events, applied one after the other, lead to.

Each config's results enter its evidence in the order in which they were asked for, whatever the order in which they
arrive: results that come early are held until those before them are there. Held results steer the choice, and decide
where the missing ones cannot change that. Where metrics are measured in groups each config and group has a line of its
own (`search.grouped` says why that is enough). The state is a function of the events alone.

It becomes arrays and comes back exactly, for snapshots and for undoing a step.
"""

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from satisfice.errors import DamagedLog, SatisficeError
from satisfice.problem.results import Row
from satisfice.search.search import Search
from satisfice.search.verdict import Outcome
from satisfice.study.event_checks import NONSENSE, check_event, search_of
from satisfice.study.events import BEFORE_ALL, Event, Kind, canonical, check_seal, sealed
from satisfice.study.ledger import Counts, Ledger
from satisfice.study.policy import FailureKind, Policy, Then, policy_of_content
from satisfice.study.pull import Measured, OpenPull, measured_in
from satisfice.study.repeats import Repeats
from satisfice.study.spec import Spec


class StudyState:
    """A study after the event at `position`, whose digest is `head`.

    How many results are in the evidence, how many asks there were and whether there is a verdict, the search knows.
    `waiting` (K,), with G groups (K G,), counts the evaluations that were asked for and are not in the evidence; `held`
    are results that came early, by line and place in it; `answered` says that the log has the verdict. `stopped` says
    why the study stopped, `over` that it did so for good, and `in_a_row` how many evaluations failed since the last
    result, once one `worked`, or somebody went on all the same; `measured` says that there was a result. By how much
    clocks disagree at least, `skew` says. With a `judge`, which is asked before each event that is applied, each ask is
    chosen anew: `chosen` is what the rule says, for whoever compares.
    """

    def __init__(self, spec: Spec, *, judge: Callable[[Event], None] | None = None) -> None:
        self.spec, self._judge = spec, judge
        self.search: Search = search_of(spec)
        self.groups, self._group_names = self.search.groups, spec.groups
        self.ledger = Ledger(spec.costs, self.search, len(spec.configs))
        self.position, self.head = 0, BEFORE_ALL
        self.waiting = np.zeros(len(spec.configs) * self.groups, dtype=np.int64)
        self.open: dict[int, OpenPull] = {}
        self.free: set[int] = set()
        self.held: dict[int, dict[int, Measured]] = {}
        self.told = self.failed = self.reissued = self.lost = self.released = self.in_a_row = 0
        self.chosen: int | None = None
        self.answered = self.worked = self.over = self.measured = False
        self.stopped: str | None = None
        self.latest_at = self.skew = 0.0
        self.policies: tuple[Policy, ...] = (spec.policy,)
        self.repeats = Repeats(spec)
        self._looks_ahead = not spec.groups
        self._do: dict[str, Callable[[dict[str, Any]], None]] = {
            **dict.fromkeys((Kind.CREATED, Kind.SNAPSHOT), lambda content: None),
            Kind.ASKED: self._asked,
            Kind.TOLD: self._told,
            Kind.FAILED: self._failed,
            Kind.REISSUED: self._reissued,
            Kind.RELEASED: self._released,
            Kind.REPEATED: self._repeated,
            Kind.RESUMED: self._resumed,
            Kind.POLICY: self._policy,
            Kind.VERDICT: self._verdict,
        }

    @property
    def ended(self) -> bool:
        """Whether there is a verdict."""
        return self.search.outcome is not Outcome.UNDECIDED

    @property
    def policy(self) -> Policy:
        """What failures lead to now."""
        return self.policies[-1]

    def apply(self, event: Event) -> None:
        """Take in the next event of the log, if it could have been recorded here."""
        check_seal(event, self.head, self.position + 1)
        try:
            check_event(event, self)
            if self._judge is not None:
                self._judge(event)
            if event.kind == Kind.ASKED and self._judge is not None:
                self.chosen = self.next_line()
            elif event.kind == Kind.ASKED:
                self.search.take_choice(self.search.asks, self.waiting, event.content["arm"])
            self._take(event.kind, event.content)
        except NONSENSE as error:
            if isinstance(error, SatisficeError):
                raise
            raise DamagedLog(f"Event {event.position} ({event.kind}) makes no sense here: {error!r}.") from error
        self.position, self.head = event.position, event.digest

    def record(self, kind: Kind, content: dict[str, Any]) -> Event:
        """Make the next event and take it in; an ask's config was chosen by `next_line` right before."""
        event = sealed(self.head, self.position + 1, kind, content)
        self._take(kind, content)
        self.position, self.head = event.position, event.digest
        return event

    def next_line(self) -> int | None:
        """The config of the next new pull, as a line; None if there is no money for it. The ask is counted with it."""
        return self.search.choose(self.search.asks, self.waiting, left=self.left())

    def left(self) -> float:
        """What is left of the budget, once those under way have cost what is expected."""
        return self.ledger.left(self.policy.max_cost, self.open.values())

    def ask_of(self, line: int) -> dict[str, Any]:
        """What an event says of the config that is asked for, and of the group if there are such."""
        arm, group = divmod(line, self.groups)
        named = {"groups": [self._group_names[group]]} if self._group_names else {}
        return {"arm": arm, "arm_number": self._asked_before(line), **named}

    def line_in(self, content: dict[str, Any]) -> int:
        """The line that an event asks for."""
        names, named = self._group_names, content.get("groups", ())
        if len(named) != bool(names):
            raise KeyError(f"it names the groups {named!r:.60}")
        return int(content["arm"]) * self.groups + (names.index(*named) if names else 0)

    def _asked_before(self, line: int) -> int:
        return int(self.waiting.item(line) + self.search.folded.item(line))

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
        folded, ended = self.search.used, self.ended
        return Counts(
            asked=self.search.asks,
            told=self.told,
            folded=folded,
            held=0 if ended else self.told - folded,
            late=self.told - folded if ended else 0,
            failed=self.failed,
            reissued=self.reissued,
            outstanding=len(self.open),
            lost=self.lost,
            released=self.released,
        )

    def _take(self, kind: str, content: dict[str, Any]) -> None:
        self._do[kind](content)
        if (at := content["at"]) >= self.latest_at:
            self.latest_at = at
        else:
            self.skew = max(self.skew, self.latest_at - at)

    def _pull(self, content: dict[str, Any]) -> OpenPull:
        pull = self.open[content["number"]]
        if pull.attempt != content["attempt"]:
            raise KeyError(f"pull {pull.number} is at attempt {pull.attempt}")
        return pull

    def _asked(self, content: dict[str, Any]) -> None:
        line, number, at = self.line_in(content), content["number"], content["at"]
        if number != self.search.asks - 1 or content["arm_number"] != self._asked_before(line):
            raise KeyError(f"ask {number} is not the next one")
        self.waiting[line] += 1
        arm, group = divmod(line, self.groups)
        grant = (content["worker"], at, content["lease"])
        self.open[number] = OpenPull(number, arm, content["arm_number"], 0, 0, 0, *grant, group)

    def _reissued(self, content: dict[str, Any]) -> None:
        pull, at = self.open[content["number"]], content["at"]
        if content["attempt"] != pull.attempt + 1:
            raise KeyError(f"pull {pull.number} is at attempt {pull.attempt}")
        lost = pull.worker is not None
        if lost:
            self.lost += 1
            self.ledger.charge(pull.line(self.groups), None)
        grant = {"worker": content["worker"], "at": at, "lease": content["lease"]}
        self.open[pull.number] = pull._replace(attempt=content["attempt"], losses=pull.losses + lost, **grant)
        self.free.discard(pull.number)
        self.reissued += 1

    def _released(self, content: dict[str, Any]) -> None:
        self._set_free(self._pull(content))
        self.released += not self.ended

    def _told(self, content: dict[str, Any]) -> None:
        self.in_a_row, self.worked, self.measured = 0, True, True
        pull = self._pull(content)
        self.ledger.charge(pull.line(self.groups), content.get("cost"))
        measured = measured_in(content)
        line = pull.line(self.groups)
        difference = self.repeats.difference(pull, measured) or self.search.contradiction(line, *measured[:2])
        if difference is not None and not self.ended:
            self._stop_for_good(difference)
        self.search.note_first(line, *measured[:2])
        self._settle(pull, measured)

    def _repeated(self, content: dict[str, Any]) -> None:
        """The result of an attempt that was given up: that of the other one is there already, or is still to come."""
        number, values = content["number"], tuple(content["values"])
        if "told" not in content:
            self.repeats.late[number] = values
        elif not self.ended:
            self._stop_for_good(content["stops"])

    def _stop_for_good(self, why: str) -> None:
        self.stopped, self.over = why, True

    def _failed(self, content: dict[str, Any]) -> None:
        pull, then, kind = self._pull(content), content["then"], content.get("failure")
        lost, counted = kind == FailureKind.LOST, kind != FailureKind.NOT_MEASURED
        self.failed += 1
        self.in_a_row += 1
        self.lost += lost
        if "cost" in content or counted:
            self.ledger.charge(pull.line(self.groups), content.get("cost"))
        if then == Then.WORST:
            worst = self.policy.worst_values(self.search.problem.by_group[pull.group], pull.arm_number)
            if worst is None:
                raise KeyError("failures are not worst results in this study")
            self._settle(pull, Measured(worst))
            return
        self._set_free(pull._replace(failures=pull.failures + counted, losses=pull.losses + lost))
        if then in (Then.STOP, Then.END):
            self.stopped, self.over = content.get("stops", content["reason"]), then == Then.END

    def _set_free(self, pull: OpenPull) -> None:
        self.open[pull.number] = pull._replace(worker=None)
        self.free.add(pull.number)

    def _resumed(self, content: dict[str, Any]) -> None:
        if self.over:
            raise KeyError("the study stopped for good")
        self.stopped, self.in_a_row, self.worked = None, 0, True
        self.open = {number: pull._replace(failures=0, losses=0) for number, pull in self.open.items()}

    def _policy(self, content: dict[str, Any]) -> None:
        self.policies = (*self.policies, policy_of_content(content["policy"]))

    def _verdict(self, content: dict[str, Any]) -> None:
        self.answered = True

    def _settle(self, pull: OpenPull, measured: Measured) -> None:
        """A pull has its results: fold them, and those that waited for them, in the order of asking."""
        del self.open[pull.number]
        self.free.discard(pull.number)
        self.told += 1
        if self.ended or self.over:
            return
        line, place = pull.line(self.groups), pull.arm_number
        if line not in self.held and place == self._due(line):  # its turn, and none waits for it: most often
            self._fold(line, measured)
            return
        early = self.held.setdefault(line, {})
        early[place] = measured
        while (due := self._due(line)) in early:
            self._fold(line, early.pop(due))
            if self.ended:
                break
        if not early:
            del self.held[line]
        elif self._looks_ahead and not self.ended:
            self.search.hold(line, len(early), partial(self._in_line, line))

    def _fold(self, line: int, measured: Measured) -> None:
        self.search.fold(line, measured.values, measured.baseline)
        self.waiting[line] -= 1

    def _in_line(self, line: int) -> Iterator[tuple[Row, Row] | None]:
        """The results of a config that have come before their turn, one after the other; None where one is missing."""
        early, due = self.held.get(line, {}), self._due(line)
        left = len(early)
        for place in range(due, due + int(self.waiting[line])):
            if not left:
                return
            found = early.get(place)
            left -= found is not None
            yield None if found is None else (found.values, found.baseline)

    def _due(self, line: int) -> int:
        """The number of the config's own pull whose turn it is."""
        return int(self.search.folded.item(line))

    def show_held(self) -> None:
        """Let the search look at the results that wait, after they were restored."""
        for line in self.held if self._looks_ahead else ():
            self.search.steer_by(line, partial(self._in_line, line))


State = dict[str, NDArray[Any]]


def arrays_of(state: StudyState) -> State:
    """Everything, exactly, as arrays that stay as they are."""
    rest = {
        "position": state.position,
        "head": state.head,
        "open": [pull if state.spec.groups else pull[:-1] for pull in state.open.values()],
        "held": [
            [line, [[place, one.values, one.baseline] for place, one in some.items()]]
            for line, some in state.held.items()
        ],
        "counts": [state.told, state.failed, state.reissued, state.lost, state.released, state.in_a_row],
        "flags": [state.answered, state.worked, state.over, state.measured],
        "stopped": state.stopped,
        "clocks": [state.latest_at, state.skew],
        "policies": [one.as_content() for one in state.policies[1:]],
        "repeats": state.repeats.content(),
    }
    arrays = {f"search.{name}": np.array(array) for name, array in state.search.state().items()}
    arrays |= {"waiting": state.waiting.copy(), **state.ledger.state()}
    arrays["rest"] = np.frombuffer(canonical(rest).encode(), dtype=np.uint8)
    return arrays


def restore(state: StudyState, arrays: State) -> None:
    """Make a state what the one was that these arrays are of."""
    rest = json.loads(arrays["rest"].tobytes().decode())
    state.search.restore(
        {name.removeprefix("search."): array for name, array in arrays.items() if name.startswith("search.")}
    )
    state.waiting = arrays["waiting"].copy()
    state.ledger.restore(arrays)
    state.position, state.head = rest["position"], rest["head"]
    state.open = {fields[0]: OpenPull(*fields) for fields in rest["open"]}
    state.free = {number for number, pull in state.open.items() if pull.worker is None}
    state.held = {
        line: {place: Measured(tuple(values), tuple(beside)) for place, values, beside in some}
        for line, some in rest["held"]
    }
    state.show_held()
    state.told, state.failed, state.reissued, state.lost, state.released, state.in_a_row = rest["counts"]
    state.answered, state.worked, state.over, state.measured = rest["flags"]
    state.stopped = rest["stopped"]
    state.latest_at, state.skew = rest["clocks"]
    state.repeats.restore(rest["repeats"])
    state.policies = (state.spec.policy, *(policy_of_content(one) for one in rest["policies"]))
