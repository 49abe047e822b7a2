"""Thousands of small worlds in which much goes wrong; a failure names its seed, and the same seed fails again.

One of them again: python -m tests.whole_system.test_whole_system SEED.
"""

import gc
import sys
from collections.abc import Iterator, Sequence
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import pytest

import satisfice as sf
from satisfice.errors import StorageError
from satisfice.search import entrust, live_pending
from satisfice.stopping.decision import ACCEPT, REJECT
from satisfice.stopping.transfer import TransferJudge
from satisfice.study.durable import DurableState
from satisfice.study.events import Event
from satisfice.study.leases import Leases
from satisfice.study.state import StudyState
from tests.whole_system.history import faults_of, replayed
from tests.whole_system.storage import KeepingUp, WorldStorage
from tests.whole_system.world import World

SOME, BLOCK = 1000, 100
MANY, LARGE_BLOCK = 100_000, 1000


@pytest.fixture(autouse=True)
def _garbage_is_seldom_looked_for() -> Iterator[None]:
    """A world leaves little of it, and looking took a tenth of the time."""
    before = gc.get_threshold()
    gc.set_threshold(50_000)
    yield
    gc.set_threshold(*before)


def first_fault(seeds: range) -> str | None:
    """The first seed after which something is wrong, and what."""
    for seed in seeds:
        faults = faults_of(World(seed).play())
        if faults:
            return f"seed {seed}: {faults[0]}"
    return None


@pytest.mark.parametrize("start", range(0, SOME, BLOCK))
def test_nothing_goes_wrong_whatever_goes_wrong(start: int) -> None:
    assert first_fault(range(start, start + BLOCK)) is None


@pytest.mark.full
@pytest.mark.parametrize("start", range(SOME, MANY, LARGE_BLOCK))
def test_nothing_goes_wrong_in_many_worlds(start: int) -> None:
    assert first_fault(range(start, min(MANY, start + LARGE_BLOCK))) is None


def test_a_seed_is_a_world() -> None:
    one, other = World(5).play(), World(5).play()
    assert [row[2] for row in one.server.rows[1:]] == [row[2] for row in other.server.rows[1:]]
    assert one.now == other.now


def test_much_goes_wrong() -> None:
    """What the worlds are about does happen in them."""
    worlds = [World(seed).play() for seed in range(120)]
    kinds = {row[1] for world in worlds for row in world.server.rows}
    assert kinds >= {"created", "asked", "told", "failed", "reissued", "released", "verdict"}
    assert sum(any('"attempt":2' in row[2] for row in world.server.rows) for world in worlds) > 5
    assert any(world.now > 150 for world in worlds)
    assert sum(world.service is not None for world in worlds) > 20
    assert sum(world.most_together > 1 for world in worlds) > 10, "no steps of several clients became durable together"
    assert sum(world.keeps_up for world in worlds) > 40
    assert sum(world.followed for world in worlds) > 300, "who waited for a turn did not follow what others recorded"
    assert sum(world.overtaken for world in worlds) > 100, "nobody was recording between following and a turn"
    replays = [replayed(world) for world in worlds]
    assert sum(replay.moves > 1 for replay in replays) > 5, "no capital moved"
    assert sum(replay.waits for replay in replays) > 5, "no capital waited for what was asked for before"
    assert sum(replay.early for replay in replays) > 5, "no verdict came before a straggler"


def test_they_verify() -> None:
    for seed in range(10):
        world = World(seed).play()
        assert sf.verify(WorldStorage(world)).ok


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
    suppose = live_pending.suppose
    other = {ACCEPT: REJECT, REJECT: ACCEPT}
    monkeypatch.setattr(live_pending, "suppose", lambda state, noise, decision: suppose(state, noise, other[decision]))


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
]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_made_on_purpose_are_found(mistake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mistake(monkeypatch)
    fault = first_fault(range(10_000))
    assert fault is not None
    seed = int(fault.partition(":")[0].removeprefix("seed "))
    assert first_fault(range(seed, seed + 1)) == fault


if __name__ == "__main__":
    print(first_fault(range(int(sys.argv[1]), int(sys.argv[1]) + 1)) or "Nothing is wrong.")
