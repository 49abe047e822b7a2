"""Mistakes made on purpose in the package, which the worlds must show."""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import pytest

from satisfice.errors import StorageError
from satisfice.search import absorb, early_decision, entrust
from satisfice.stopping.decision import ACCEPT, REJECT
from satisfice.stopping.transfer import TransferJudge
from satisfice.study import durable, snapshots, state
from satisfice.study.durable import DurableState, standing_of
from satisfice.study.events import Event
from satisfice.study.leases import Leases
from satisfice.study.policy import Policy
from satisfice.study.state import StudyState
from satisfice.study.storage.protocol import Snapshot
from satisfice.study.transaction import Transaction
from tests.whole_system.storage import KeepingUp


def folded_as_they_come(monkeypatch: pytest.MonkeyPatch) -> None:
    def due(self: StudyState, line: int) -> int:
        return next(iter(self.held.get(line, {})), -1)

    monkeypatch.setattr(StudyState, "_due", due)


def leases_by_local_clocks(monkeypatch: pytest.MonkeyPatch) -> None:
    def is_lost(self: Any, pull: Any, presence: Any, elapsed: float) -> bool:
        return bool(self._clock.time() >= pull.at + pull.lease)

    monkeypatch.setattr(Leases, "_is_lost", is_lost)


def acknowledged_before_it_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    change = DurableState.change

    def hasty(self: DurableState, act: Any) -> Any:
        try:
            return change(self, act)
        except StorageError:
            return []

    monkeypatch.setattr(DurableState, "change", hasty)


def answered_before_it_is_durable(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the service alone: whoever has the storage himself waits."""
    change_together = DurableState.change_together

    def hasty(self: DurableState, steps: Any) -> Any:
        try:
            return change_together(self, steps)
        except StorageError:
            return [[] for _ in steps]

    monkeypatch.setattr(DurableState, "change_together", hasty)


def capital_from_a_config_with_results_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrust, "may_give", lambda holder, under_way: True)


def capital_that_bets_on_what_was_asked_for_before(monkeypatch: pytest.MonkeyPatch) -> None:
    lend = TransferJudge.entrust

    def hasty(self: Any, deficits: Any, more: Any, memory: Any, pulls: Any, arm: int, asked: int) -> None:
        lend(self, deficits, more, memory, pulls, arm, int(pulls[arm]))

    monkeypatch.setattr(TransferJudge, "entrust", hasty)


def missing_results_taken_for_good_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    suppose = early_decision.suppose
    other = {ACCEPT: REJECT, REJECT: ACCEPT}
    monkeypatch.setattr(
        early_decision, "suppose", lambda state, noise, decision: suppose(state, noise, other[decision])
    )


def skipped_what_came_between_following_and_the_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_up = KeepingUp.extend_following

    def hasty(self: KeepingUp, after: int, follow: Any, decide: Any) -> None:
        pieces: list[Sequence[Event]] = []

        def note(news: Sequence[Event]) -> None:
            follow(news)
            pieces.append(news)

        keep_up(self, after, note, lambda news: decide([] if pieces else news))

    monkeypatch.setattr(KeepingUp, "extend_following", hasty)


def followed_again_after_a_step_that_broke_off(monkeypatch: pytest.MonkeyPatch) -> None:
    keep_up = KeepingUp.extend_following
    began: WeakKeyDictionary[KeepingUp, int] = WeakKeyDictionary()

    def forgetful(self: KeepingUp, after: int, follow: Any, decide: Any) -> None:
        began.setdefault(self, after)
        keep_up(self, began[self], follow, decide)
        del began[self]

    monkeypatch.setattr(KeepingUp, "extend_following", forgetful)


def kept_what_was_followed_by_half(monkeypatch: pytest.MonkeyPatch) -> None:
    halfway = forgiven(monkeypatch)
    keep_up = KeepingUp.extend_following

    def careless(self: KeepingUp, after: int, follow: Any, decide: Any) -> None:
        def note(news: Sequence[Event]) -> None:
            halfway.add(self)
            follow(news)
            halfway.discard(self)

        keep_up(self, after, note, decide)

    monkeypatch.setattr(KeepingUp, "extend_following", careless)


def kept_what_was_not_written_after_following(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was followed is in the log whatever becomes of the step; what the step itself made is not."""
    followed = forgiven(monkeypatch)
    keep_up = KeepingUp.extend_following

    def careless(self: KeepingUp, after: int, follow: Any, decide: Any) -> None:
        def note(news: Sequence[Event]) -> None:
            follow(news)
            followed.add(self)

        followed.discard(self)
        keep_up(self, after, note, decide)

    monkeypatch.setattr(KeepingUp, "extend_following", careless)


def believed_a_snapshot_that_the_log_says_nothing_of(monkeypatch: pytest.MonkeyPatch) -> None:
    def vouches(event: Event, snapshot: Snapshot) -> bool:
        return event.kind == "snapshot" and bool(event.content["of"] == snapshot.position)

    monkeypatch.setattr(snapshots, "vouches", vouches)


def skipped_what_came_after_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = snapshots.loaded

    def hasty(spec: Any, log: Any) -> StudyState:
        found, last = snapshots.latest(spec, log), list(log.read(0))[-1]
        if found is None:
            return loaded(spec, log)
        found.position, found.head = last.position, last.digest
        return found

    monkeypatch.setattr(durable, "loaded", hasty)


def forgot_policies_with_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever starts from a copy goes by the policy that the study was created with."""
    restore = state.restore

    def forgetful(state: StudyState, arrays: Any) -> None:
        restore(state, arrays)
        state.policies = state.policies[:1]

    monkeypatch.setattr(snapshots, "restore", forgetful)


def scored_before_pooling_what_waits_of_an_untried_config(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then a choice depends on when its process looked at the log; a mistake of ours, until a benchmark met it."""
    pooled = absorb.pool_when_due

    def forgetful(state: Any, parts: Any, total: int) -> None:
        ahead = state.ahead[state.pulls == 0]
        pooled(state, parts, total)
        state.ahead[state.pulls == 0] = ahead

    monkeypatch.setattr(absorb, "pool_when_due", forgetful)


def looked_in_the_log_alone_for_what_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """And not at what other steps of the same transaction have recorded; a mistake of ours."""

    def about(self: Any, number: int) -> list[Event]:
        return [event for event in self._log.read(0) if event.number == number]

    monkeypatch.setattr(Transaction, "_about", about)


def answered_from_an_old_copy_after_a_snapshot_that_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the step before it, which is recorded, has led to; a mistake of ours, until worlds met it."""
    monkeypatch.setattr(DurableState, "standing", lambda self: standing_of(self.seen()))


def said_anew_what_others_had_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    said = Policy.said
    monkeypatch.setattr(Policy, "said", lambda self, names: said(self, ("on_error", "on_lost", "retries", "jobs")))


def forgiven(monkeypatch: pytest.MonkeyPatch) -> WeakSet[Any]:
    """Logs of processes that go on with the state as it was when a step broke off."""
    logs: WeakSet[Any] = WeakSet()
    undo = DurableState._undo
    monkeypatch.setattr(DurableState, "_undo", lambda self: None if self._log in logs else undo(self))
    return logs


MISTAKES = [
    folded_as_they_come,
    leases_by_local_clocks,
    acknowledged_before_it_is_written,
    answered_before_it_is_durable,
    capital_from_a_config_with_results_out,
    capital_that_bets_on_what_was_asked_for_before,
    missing_results_taken_for_good_ones,
    skipped_what_came_between_following_and_the_turn,
    followed_again_after_a_step_that_broke_off,
    kept_what_was_followed_by_half,
    kept_what_was_not_written_after_following,
    believed_a_snapshot_that_the_log_says_nothing_of,
    skipped_what_came_after_a_snapshot,
    forgot_policies_with_a_copy,
    said_anew_what_others_had_changed,
    scored_before_pooling_what_waits_of_an_untried_config,
    looked_in_the_log_alone_for_what_is_recorded,
    answered_from_an_old_copy_after_a_snapshot_that_failed,
]
