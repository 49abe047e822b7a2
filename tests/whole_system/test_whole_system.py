"""Thousands of small worlds in which much goes wrong; a failure names its seed, and the same seed fails again.

One of them again: python -m tests.whole_system.test_whole_system SEED.
"""

import gc
import sys
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest

from satisfice.errors import DamagedLog
from satisfice.study import snapshots
from satisfice.study.events import stored
from satisfice.study.state import StudyState
from satisfice.study.verify import ReplayChecker
from tests.whole_system.history import faults_of, replayed
from tests.whole_system.mistakes import MISTAKES
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
        world = World(seed).play()
        faults = [*faults_of(world), *unlike_a_replay(world)]
        if faults:
            return f"seed {seed}: {faults[0]}"
    return None


def unlike_a_replay(world: World) -> Iterator[str]:
    """What whoever asked did otherwise than `verify` does, and states that were copied and are not those of the log."""
    events = [stored(*row) for row in world.server.rows]
    copied = {event.content["of"]: event.content["sha256"] for event in events if event.kind == "snapshot"}
    replay = ReplayChecker("world", None, trust_code=False)
    for event in events:
        try:
            replay.take(event)
        except DamagedLog as error:
            yield str(error)
            return
        if event.position in copied and replay.state is not None:
            copy = snapshots.taken(replay.state)
            if snapshots.sha256_of(copy) != copied[event.position]:
                yield f"a process had another state after event {event.position} than the log leads to"


@pytest.mark.parametrize("start", range(0, SOME, BLOCK))
def test_nothing_goes_wrong_whatever_goes_wrong(start: int) -> None:
    assert first_fault(range(start, start + BLOCK)) is None


@pytest.mark.full
@pytest.mark.parametrize("start", range(SOME, MANY, LARGE_BLOCK))
def test_nothing_goes_wrong_in_many_worlds(start: int) -> None:
    assert first_fault(range(start, min(MANY, start + LARGE_BLOCK))) is None


def test_a_seed_is_a_world() -> None:
    one, other = World(5).play(), World(5).play()
    assert (one.server.rows, one.server.snapshots, one.now) == (other.server.rows, other.server.snapshots, other.now)
    assert one.server.snapshots


def test_much_goes_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the worlds are about does happen in them."""
    started: list[int] = []
    restored = snapshots.restored

    def counted(spec: Any, snapshot: Any) -> StudyState:
        started.append(snapshot.position)
        return restored(spec, snapshot)

    monkeypatch.setattr(snapshots, "restored", counted)
    worlds = [World(seed).play() for seed in range(200)]
    kinds = {row[1] for world in worlds for row in world.server.rows}
    assert kinds >= {"created", "asked", "told", "failed", "reissued", "released", "verdict"}
    assert sum(any('"attempt":2' in row[2] for row in world.server.rows) for world in worlds) > 9
    assert any(world.now > 150 for world in worlds)
    assert sum(bool(world.services) for world in worlds) > 34
    assert sum(world.most_together > 1 for world in worlds) > 17, "no steps of several clients became durable together"
    answers = sum((world.answers for world in worlds), Counter())
    assert sum(len(world.services) == 2 for world in worlds) > 17
    assert answers["told twice together"] > 17, "hardly anything was told twice in one transaction"
    assert answers["others together"] > 4, "no different results of a pull came together"
    assert min(answers["PullAlreadyTold"], answers["PullReissued"]) > 17
    assert sum(world.keeps_up for world in worlds) > 67
    assert sum(world.followed for world in worlds) > 500, "who waited for a turn did not follow what others recorded"
    assert sum(world.overtaken for world in worlds) > 167, "nobody was recording between following and a turn"
    happened = sum((world.snapshots for world in worlds), Counter())
    assert min(happened[what] for what in ("kept", "refused", "lost", "stale", "torn")) > 17, happened
    assert len(started) > 34, "hardly anybody started from a snapshot"
    policies = [sum(row[1] == "policy" for row in world.server.rows) for world in worlds]
    assert sum(policies) > 167
    assert sum(several > 1 for several in policies) > 34
    limits = [world.question.max_evaluations for world in worlds]
    assert sum(limit is not None for limit in limits) > 34
    asked = [sum(row[1] == "asked" for row in world.server.rows) for world in worlds]
    spent = [limit is not None and several > limit for limit, several in zip(limits, asked, strict=True)]
    assert sum(spent) > 17, "no budget was spent and raised"
    replays = [replayed(world) for world in worlds]
    assert sum(replay.moves > 1 for replay in replays) > 9, "no capital moved"
    assert sum(replay.waits for replay in replays) > 9, "no capital waited for what was asked for before"
    assert sum(replay.early for replay in replays) > 9, "no verdict came before a straggler"


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_made_on_purpose_are_found(mistake: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mistake(monkeypatch)
    fault = first_fault(range(2_000))
    assert fault is not None
    seed = int(fault.partition(":")[0].removeprefix("seed "))
    assert first_fault(range(seed, seed + 1)) == fault


if __name__ == "__main__":
    print(first_fault(range(int(sys.argv[1]), int(sys.argv[1]) + 1)) or "Nothing is wrong.")
