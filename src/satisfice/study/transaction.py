"""One step of a study: which events follow from results, failures and requests for pulls.

A step is a value: taken here, together with others, or sent to a server. What follows from a failure is what the policy
says, with two exceptions: failures alone decide nothing, and a pull that takes its worker with it again and again is
not given out for ever. No evaluation begins that the budget has no money for.
"""

from collections.abc import Iterable, Sequence
from math import inf
from typing import NamedTuple

from satisfice.errors import PullAlreadyTold, PullReissued, UnknownPull
from satisfice.study.errors import stopped_for_good
from satisfice.study.events import Event, Kind
from satisfice.study.leases import Leases
from satisfice.study.ledger import StudyCost
from satisfice.study.policy import (
    FAILURES_IN_A_ROW,
    FIRST_FAILURES,
    FailureKind,
    OnLost,
    PolicyChanges,
    Then,
    changed_policy,
)
from satisfice.study.pull import Failure, Measured, OpenPull, Pull, PullKey, measured_in, pull_of, told_content
from satisfice.study.repeats import told_of
from satisfice.study.snapshots import Checkpoint
from satisfice.study.state import StudyState
from satisfice.study.storage.protocol import EventLog, KeepsIndex

ALONE = "nothing was measured yet, and failures alone would decide it"


def consequence_in(state: StudyState, pull: OpenPull, kind: str, by_exception: str = "") -> Then:
    """What one more failure of a pull leads to.

    Worst results are evidence about configs as long as something can be measured at all. While nothing ever was, a
    program that does not start looks like a config that fails, so that the study stops where it would be decided.
    """
    then = state.policy.consequence(kind, pull.failures, state.in_a_row, state.worked, by_exception)
    if then is Then.WORST and kind != FailureKind.RULED_OUT and decides_alone(state, pull, kind):
        return Then.STOP
    return Then.STOP if then is Then.RETRY and is_lost_too_often(pull, kind) else then


def is_lost_too_often(pull: OpenPull, kind: str) -> bool:
    """Whether a pull has lost so many workers, with this one, that it may be why."""
    return kind == FailureKind.LOST and pull.losses + 1 >= FAILURES_IN_A_ROW


def decides_alone(state: StudyState, pull: OpenPull, kind: str) -> bool:
    """Whether a worst result would decide a study that has nothing else."""
    if state.measured or state.ended:
        return False
    tried = Checkpoint(state).restored()
    failed = {"number": pull.number, "attempt": pull.attempt, "at": state.latest_at, "failure": kind, "reason": ""}
    tried.record(Kind.FAILED, {**failed, "then": str(Then.WORST)})
    return tried.ended


def has_room_again(state: StudyState, pull: OpenPull) -> bool:
    """Whether there is money to give out a pull once more; if its worker was lost, that attempt costs, too."""
    most = state.policy.max_cost
    if most is None:
        return True
    others = [other for other in state.open.values() if other.number != pull.number]
    attempts = 1 + (pull.worker is not None)
    return attempts * (state.search.costs.expected(pull.line(state.groups)) or 0.0) <= state.ledger.left(most, others)


def has_room_for(state: StudyState, line: int) -> bool:
    """Whether there is money for a new pull of a line."""
    return (state.search.costs.expected(line) or 0.0) <= state.left()


def cost_so_far(state: StudyState) -> StudyCost | None:
    """What was spent, and whether there is no money for the next evaluation."""
    left = state.left()
    is_spent = not state.ended and left < inf and not state.search.has_room(left, state.waiting)
    return state.ledger.so_far(state.policy.max_cost, is_spent)


Outcomes = Sequence[tuple[PullKey, Measured | Failure]]


class Transaction:
    """Decides the events of one step, while nobody else takes one.

    `recorded` are the events that it makes, and `issued` the pulls that it gives out.

    What a step decides later depends on what it decided before: which config to ask for is chosen by a search that
    has this step's results in it. To try that on a copy would mean copying arrays with an entry for every config at
    every step. So a step is played on the state itself, behind the study's lock; if its events do not become durable,
    the study takes its state back from a checkpoint in memory (see `Study`), and nobody has seen it.
    """

    def __init__(
        self, identity: str, log: EventLog, leases: Leases, state: StudyState, *, now: float, lease: float
    ) -> None:
        self.identity, self.state = identity, state
        self._log, self._leases, self._now, self._lease = log, leases, now, lease
        self.recorded: list[Event] = []
        self.issued: list[OpenPull] = []
        self._repeats: dict[PullKey, dict[str, object]] = {}
        self._looked = False

    def settle(self, outcomes: Outcomes) -> None:
        """Take in results and failures; all are looked at before the first is recorded."""
        self._repeats.clear()  # a step that was refused leaves none
        once: dict[int, tuple[OpenPull, Measured | Failure]] = {}
        for key, outcome in outcomes:
            pull = self._unsettled(key, outcome)
            known = None if pull is None else once.setdefault(pull.number, (pull, outcome))[1]
            if pull is not None and known is not outcome and known != outcome:
                raise _came_twice(key)
        for pull, outcome in once.values():
            if isinstance(outcome, Failure):
                self._fail(pull, outcome)
            else:
                self._record(Kind.TOLD, pull, **told_content(outcome))
        for content in self._repeats.values():
            self._append(Kind.REPEATED, {**content, "at": self._now})
        self._answer()

    def issue(self, wanted: int, worker: str, limit: int | None) -> list[Pull]:
        """Give out at most `wanted` pulls: lost ones first, then new ones."""
        self._answer()  # what is known beforehand may be an answer
        state = self.state
        if state.ended or state.stopped is not None:
            return []
        limits = [most for most in (limit, state.policy.max_evaluations) if most is not None]
        most = min(limits, default=None)
        numbers: list[int] = []
        grant = {"worker": self._leases.named(worker), "lease": self._lease, "at": self._now}
        for pull in self._given_back():
            if len(numbers) == wanted or state.stopped is not None:
                break
            if not has_room_again(state, pull):
                wanted = len(numbers)
                break
            self._append(Kind.REISSUED, {"number": pull.number, "attempt": pull.attempt + 1, **grant})
            numbers.append(pull.number)
        while len(numbers) < wanted and (most is None or state.search.asks < most) and state.stopped is None:
            number, line = state.search.asks, state.next_line()
            if line is None:
                break
            self._append(Kind.ASKED, {"number": number, **state.ask_of(line), **grant})
            numbers.append(number)
        issued = [state.open[number] for number in numbers]
        self.issued.extend(issued)
        return [pull_of(self.identity, state.spec, pull) for pull in issued]

    def release(self, keys: Sequence[PullKey]) -> None:
        """Take pulls back; those that are settled or given to somebody else are left as they are."""
        for key in keys:
            pull = self.state.open.get(key.number)
            if key.identity == self.identity and pull is not None and pull.attempt == key.attempt and pull.worker:
                self._record(Kind.RELEASED, pull)

    def vouch(self, of: int, sha256: str) -> None:
        """Seal what the snapshot at a position is."""
        self._append(Kind.SNAPSHOT, {"of": of, "sha256": sha256, "at": self._now})

    def resume(self) -> None:
        if self.state.over:
            raise stopped_for_good(self.state.stopped or "")
        if self.state.stopped is not None:
            self._append(Kind.RESUMED, {"at": self._now})

    def change_policy(self, changes: PolicyChanges) -> None:
        """From now on failures lead to what the policy says with these changes; what they have led to stays.

        After the verdict nothing is open but whether checks that fail withhold it, and what the program is known by.
        """
        state = self.state
        policy = changed_policy(state.policy, state.spec.problem(), changes, priced=state.spec.cost is not None)
        if state.ended:
            policy = state.policy.afterwards(policy)
        if policy != state.policy:
            self._append(Kind.POLICY, {"policy": policy.as_content(), "at": self._now})

    def open_pull(self, key: PullKey) -> OpenPull:
        """The pull if it is still to be told; otherwise the error says why not."""
        pull = self._unsettled(key, None)
        if pull is None:
            raise PullAlreadyTold(f"Pull {key.number} is settled already.")
        return pull

    def _unsettled(self, key: PullKey, outcome: Measured | Failure | None) -> OpenPull | None:
        """The open pull of that key; None if the very same outcome is recorded already."""
        if key.identity != self.identity:
            raise UnknownPull(
                f"Pull {key.number} was asked for by another study, perhaps one of the same name that was deleted. "
                f"Expected one of this study, whose pulls have ids that begin with {self.identity}. Nothing was "
                "recorded."
            )
        pull = self.state.open.get(key.number)
        if pull is None and key.number >= self.state.search.asks:
            raise UnknownPull(
                f"Pull {key.number} was never asked for: this study has asked for {self.state.search.asks} so far. "
                "Nothing was recorded."
            )
        if pull is not None and pull.attempt == key.attempt and pull.worker is not None:
            return pull
        self._refuse_unless_same(key, pull, outcome)
        return None

    def _refuse_unless_same(self, key: PullKey, pull: OpenPull | None, outcome: Measured | Failure | None) -> None:
        events = self._about(key.number)
        own = [one for one in events if one.content.get("attempt") == key.attempt]
        settled = [one for one in own if one.kind in (Kind.TOLD, Kind.FAILED)]
        if any(_says(one, outcome) for one in own):
            return
        if settled:
            kept = settled[-1].content
            was = f"the results {kept['values']}" if "values" in kept else f"the failure {kept['reason']!r:.80}"
            raise PullAlreadyTold(
                f"Pull {key.number} was settled before, with {was}. A pull is told once; what was recorded stays. "
                "Ask for a new pull to evaluate again."
            )
        if pull is not None and pull.attempt < key.attempt:
            raise UnknownPull(
                f"Pull {key.number} has not been given out {key.attempt + 1} times. Nothing was recorded."
            )
        repeat = self._repeat(key, pull, outcome, events) if isinstance(outcome, Measured) else None
        if repeat is None:
            raise _taken_back(key, own)
        if self._repeats.setdefault(key, repeat) != repeat:
            raise _came_twice(key)

    def _about(self, number: int) -> list[Event]:
        """The events about a pull, with those of this transaction, which are not in the log yet."""
        log = self._log
        kept = log.about(number) if isinstance(log, KeepsIndex) else log.read(0)
        return [one for one in (*kept, *self.recorded) if one.number == number]

    def _repeat(
        self, key: PullKey, pull: OpenPull | None, outcome: Measured, events: Iterable[Event]
    ) -> dict[str, object] | None:
        """The result of an attempt that was given up, where it is to be compared with that of another attempt.

        It is kept while that one is out. If both are there, and are the same, there is nothing to say.
        """
        state = self.state
        if not state.spec.problem().set_size or state.over or state.ended:
            return None
        content: dict[str, object] = {**key._asdict(), "values": list(outcome.values)}
        del content["identity"]
        if pull is not None:
            return None if key.number in state.repeats.late else content
        told = told_of(state.spec, key.number, events)
        why = None if told is None else state.repeats.difference_from(told, outcome.values)
        return None if told is None or why is None else {**content, "told": list(told.values), "stops": why}

    def _given_back(self) -> list[OpenPull]:
        """What nobody works on; what was lost counts as the policy says, which may leave nothing to give out."""
        if self._looked:  # no lease ends while steps are taken together
            return [self.state.open[number] for number in sorted(self.state.free)]
        self._looked = True
        for pull in self._leases.unheard(self.state.open):
            self._record(Kind.RELEASED, pull)
        found = self._leases.lost(self.state.open, self.state.free)
        again = self.state.policy.on_lost == OnLost.REISSUE
        for pull in found:
            counts = pull.worker is not None and (not again or is_lost_too_often(pull, FailureKind.LOST))
            if counts and self.state.stopped is None and not self.state.ended:
                self._fail(pull, Failure("its worker was lost", FailureKind.LOST))
        self._answer()
        if again:
            return found if self.state.stopped is None else []
        return [] if self.state.ended else [pull for pull in found if pull.worker is None]

    def _fail(self, pull: OpenPull, failure: Failure) -> None:
        state = self.state
        said = failure.by_exception
        then = consequence_in(state, pull, failure.kind, said)
        more: dict[str, object] = {"traceback": failure.traceback} if failure.traceback else {}
        more |= {"by_exception": said} if said else {}
        more |= {"cost": failure.cost} if failure.cost is not None and state.spec.reported else {}
        if then in (Then.STOP, Then.END):
            more["stops"] = self._why_it_stops(pull, failure)
        self._record(Kind.FAILED, pull, reason=failure.reason, failure=str(failure.kind), then=str(then), **more)

    def _why_it_stops(self, pull: OpenPull, failure: Failure) -> str:
        row, name = self.state.in_a_row + 1, self.state.spec.names[pull.arm]
        if failure.kind == FailureKind.RULED_OUT:
            return f"{name!r} has a result that is ruled out: {failure.reason}"
        if row >= (FAILURES_IN_A_ROW if self.state.worked else FIRST_FAILURES):
            which = "last" if self.state.worked else "first"
            return f"the {which} {row} evaluations all failed, at the end one of {name!r}: {failure.reason}"
        if is_lost_too_often(pull, failure.kind):
            return f"evaluation {pull.number} of {name!r} was lost {pull.losses + 1} times: {failure.reason}"
        said = self.state.policy.consequence(
            failure.kind, pull.failures, row - 1, self.state.worked, failure.by_exception
        )
        if said is Then.WORST:
            return f"{ALONE}, now of {name!r}: {failure.reason}"
        return f"an evaluation of {name!r} failed: {failure.reason}"

    def _answer(self) -> None:
        """The verdict follows the results that lead to it."""
        if not self.state.answered and self.state.ended:
            self._append(Kind.VERDICT, {**self.state.verdict_content(), "at": self._now})

    def _record(self, kind: Kind, pull: OpenPull, **more: object) -> None:
        self._append(kind, {"number": pull.number, "attempt": pull.attempt, "at": self._now, **more})

    def _append(self, kind: Kind, content: dict[str, object]) -> None:
        self.recorded.append(self.state.record(kind, content))


def _says(event: Event, outcome: Measured | Failure | None) -> bool:
    """Whether an event of the same attempt has recorded that outcome."""
    if isinstance(outcome, Failure):
        return event.kind == Kind.FAILED
    if event.kind == Kind.REPEATED:
        return outcome is not None and list(outcome.values) == event.content["values"]
    return event.kind == Kind.TOLD and outcome == measured_in(event.content)


def _came_twice(key: PullKey) -> PullAlreadyTold:
    return PullAlreadyTold(f"Pull {key.number} came twice in one step, with different results. Nothing was recorded.")


def _taken_back(key: PullKey, own: Sequence[Event]) -> PullReissued:
    released = any(one.kind == Kind.RELEASED for one in own)
    why = "was given back" if released else "was taken back since its worker was lost or silent for too long"
    lease = " If evaluations take longer than the lease, call heartbeat or give a longer lease_seconds."
    return PullReissued(
        f"Pull {key.number} {why}, and was or will be given to another one; only that one's results count. Nothing was "
        f"recorded. Just ask for the next pull.{'' if released else lease}"
    )


class Step(NamedTuple):
    """Results and failures to record, pulls to take back, and then at most `ask` pulls to give to a `worker`.

    `limit` is the most evaluations that the whole study may have. A step that `resumes`, or that says anew some of the
    `policy`, does that first.
    """

    settled: Outcomes = ()
    ask: int = 0
    worker: str = ""
    limit: int | None = None
    released: Sequence[PullKey] = ()
    resumes: bool = False
    policy: PolicyChanges | None = None

    def play(self, on: Transaction) -> list[Pull]:
        """Let its events follow; the pulls that are given out."""
        self.settle(on)
        return self.issue(on)

    def settle(self, on: Transaction) -> None:
        """Let those events follow that are about what was given out before."""
        if self.resumes:
            on.resume()
        if self.policy is not None:
            on.change_policy(self.policy)
        if self.settled or self.ask:
            on.settle(self.settled)
        if self.released:
            on.release(self.released)

    def issue(self, on: Transaction) -> list[Pull]:
        """Let the others follow; the pulls that are given out."""
        return on.issue(self.ask, self.worker, self.limit) if self.ask else []
