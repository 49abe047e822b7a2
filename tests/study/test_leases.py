"""Leases: lost pulls come again under their number, and whoever lost them is refused politely."""

import os
import subprocess
import sys
import time
from typing import Any

import pytest

import satisfice as sf
from satisfice.errors import PullAlreadyTold, PullReissued, StorageError
from satisfice.study.events import Event
from satisfice.study.leases import Presence, presence_of, worker_name
from satisfice.study.storage.memory import MemoryLog, MemoryStorage
from tests.helpers.parts import Clock, endless, results_of, study_in

IMPORT = "from satisfice.study.leases import worker_name"


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_an_expired_pull_is_issued_again_under_its_number(storage: Any, clock: Clock) -> None:
    study = study_in(storage, clock=clock, lease_seconds=60)
    lost, kept = study.ask(2)
    clock.now += 59
    assert study.ask().number == 2
    study.tell(kept, results_of(kept))
    clock.now += 2
    again = study.ask()
    assert (again.number, again.arm_number, again.attempt, again.name) == (0, 0, 1, lost.name)
    with pytest.raises(PullReissued, match=r"Pull 0 was taken back .* Nothing was recorded"):
        study.tell(lost, results_of(lost))
    study.tell(again, results_of(again))
    study.tell(again, results_of(again))
    with pytest.raises(PullReissued):
        study.tell(lost, results_of(lost))
    with pytest.raises(PullAlreadyTold):
        study.tell(again, {"speed": 9.0, "loss": 1.0})
    assert study.counts() == (3, 2, 2, 0, 0, 0, 1, 1, 1, 0)
    assert any("given out again" in words for words in study.verdict().assumptions)
    assert sf.verify(storage).ok


def test_a_late_tell_is_fine_as_long_as_nobody_else_has_the_pull(storage: Any, clock: Clock) -> None:
    study = study_in(storage, clock=clock)
    pull = study.ask()
    clock.now += 1e6
    study.tell(pull, results_of(pull))
    assert study.counts().told == 1


def test_signs_of_life_keep_a_pull(storage: Any, clock: Clock) -> None:
    study, other = study_in(storage, clock=clock), study_in(storage, clock=clock, load_if_exists=True)
    pull = study.ask()
    for _ in range(5):
        clock.now += 50
        study.heartbeat(pull)
        new = other.ask()
        assert new.attempt == 0
        other.tell(new, results_of(new))
        clock.now += 5
    clock.now += 61
    again = other.ask()
    assert (again.number, again.attempt) == (0, 1)
    with pytest.raises(PullReissued):
        study.heartbeat(pull)


def test_signs_of_life_of_one_pull_outlast_another_that_was_told(storage: Any, clock: Clock) -> None:
    study, other = study_in(storage, clock=clock), study_in(storage, clock=clock, load_if_exists=True)
    told, kept = study.ask(2)
    clock.now += 50
    study.heartbeat(told, kept)  # until 110
    study.tell(told, results_of(told))
    assert other.ask().number == 2
    clock.now += 59
    assert other.ask().number == 3  # the sign of life is new to it
    clock.now += 2
    assert sf.load_study(storage, clock=clock).ask().number == 4  # who has just come has seen nobody silent
    clock.now += 30
    assert other.ask().number == 2  # of which nobody heard
    assert set(study._log.beats()) == {kept.number}  # what is past is forgotten, and nothing else
    clock.now += 29
    assert (again := other.ask()).number == kept.number
    assert again.attempt == 1


def test_signs_of_life_count_although_one_of_the_pulls_was_given_away(storage: Any, clock: Clock) -> None:
    """Those of the others counted for nothing once, so that a worker with many pulls lost all of them with one."""
    study, other = study_in(storage, clock=clock), study_in(storage, clock=clock, load_if_exists=True)
    gone, kept = study.ask(2)
    other.release(gone)
    assert other.ask().attempt == 1
    clock.now += 50
    with pytest.raises(PullReissued, match="Pull 0"):
        study.heartbeat(gone, kept)
    clock.now += 59
    assert {pull.number for pull in other.ask(3)} == {0, 2, 3}, "the sign of life is new to it"


class Full(MemoryLog):
    """A log that writes nothing for a while."""

    full = False

    def extend(self, after: int, decide: Any) -> None:
        def refused(news: Any) -> Any:
            decide(news)
            raise StorageError("The disk is full.")

        super().extend(after, refused if self.full else decide)


def test_signs_of_life_outlast_a_step_that_could_not_be_recorded(clock: Clock) -> None:
    """A step that told a pull and asked for more removed them, although it became nothing."""
    storage = MemoryStorage()
    study = study_in(storage, clock=clock)
    log = Full(next(iter(study.events())))
    study, other = (sf.Study("study", log, clock=clock) for _ in range(2))
    told, _ = study.ask(2)
    for _ in range(3):
        clock.now += 25
        study.heartbeat(told)
        log.full = True
        with pytest.raises(StorageError):
            other.exchange([(told, results_of(told))], ask=1)
        log.full = False
        assert set(log.beats()) == {told.number}


class Bare:
    """A log with the two verbs alone."""

    def __init__(self, log: MemoryLog) -> None:
        self.read, self.extend, self.close = log.read, log.extend, log.close


class BareStorage(MemoryStorage):
    def create(self, name: str, first: Event) -> Any:
        return Bare(super().create(name, first))

    def open(self, name: str) -> Any:
        return Bare(super().open(name))


def test_where_a_log_keeps_no_heartbeats_they_count_in_their_own_process(clock: Clock) -> None:
    storage = BareStorage()
    study, other = study_in(storage, clock=clock), study_in(storage, clock=clock, load_if_exists=True)
    pull, gone = study.ask(2)
    for _ in range(3):
        clock.now += 50
        study.heartbeat(pull)
    assert (again := study.ask()).number == gone.number
    assert again.attempt == 1
    assert study.ask().number == 2
    assert other.ask().number == 3
    clock.now += 61
    assert other.ask().number == pull.number
    with pytest.raises(PullReissued):
        study.tell(pull, results_of(pull))
    assert sf.verify(storage).ok


def test_signs_of_life_of_an_earlier_attempt_count_for_nothing(storage: Any, clock: Clock) -> None:
    study = study_in(storage, clock=clock)
    pull = study.ask()
    clock.now += 50
    study.heartbeat(pull)  # until 110
    study.release(pull)
    assert study.ask().attempt == 1  # until 110
    clock.now += 61
    assert study.ask().attempt == 2


def test_a_released_pull_is_the_next_one(storage: Any, clock: Clock) -> None:
    study = study_in(storage, clock=clock)
    pull, _ = study.ask(2)
    study.release(pull)
    with pytest.raises(PullReissued):
        study.tell(pull, results_of(pull))
    assert [one.worker is None for one in study.outstanding()] == [True, False]
    assert study.ask().id == f"{study.identity}:0:1"
    study.release(pull)  # somebody else's now: nothing happens
    assert study.ask().number == 2


def test_pulls_of_a_process_that_is_gone_are_issued_at_once(sqlite: str) -> None:
    study = study_in(sqlite)
    asks = "exchange((), ask=3, evaluates=True)"
    code = f"import satisfice as sf; print([p.number for p in sf.load_study({sqlite!r}).{asks}])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert out.stdout.strip() == "[0, 1, 2]"
    assert [(pull.number, pull.attempt) for pull in study.ask(4)] == [(0, 1), (1, 1), (2, 1), (3, 0)]


def test_a_pull_whose_id_was_handed_on_is_told_by_another_process(sqlite: str) -> None:
    """The process that asked has ended; it was taken for lost at once, and the result refused."""
    study = study_in(sqlite, lease_seconds=1000)
    code = f"import satisfice as sf; print(sf.load_study({sqlite!r}).ask().id)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert study.ask().number == 1
    study.tell(out.stdout.strip(), {"speed": 3.0, "loss": 0})
    assert study.counts().told == 1


def left_by_an_ended_process() -> str:
    """The name of one that asked for others, and has ended."""
    code = f"{IMPORT}; print(worker_name(evaluates=False))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    return out.stdout.strip()


def test_what_a_process_left_is_kept_by_signs_of_life(sqlite: str, clock: Clock) -> None:
    """Its lease ended with the clock of this machine, whoever sent heartbeats for it: long evaluations were lost."""
    study = study_in(sqlite, clock=clock, lease_seconds=60)
    study._left = left_by_an_ended_process()
    pull = study.ask()
    for _ in range(4):
        clock.now += 40
        study.heartbeat(pull.id)
        with sf.load_study(sqlite, clock=clock) as short_lived:
            assert short_lived.ask().number != pull.number
    study.tell(pull.id, results_of(pull))


def test_what_a_process_left_is_lost_to_short_lived_ones_when_its_lease_ends(sqlite: str) -> None:
    """Nobody lives long enough to see a worker silent: on one machine its own clock is asked."""
    study = study_in(sqlite, lease_seconds=0.2)
    code = f"import satisfice as sf; print(sf.load_study({sqlite!r}).ask().number)"
    subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=os.environ)
    time.sleep(0.25)
    assert (study.ask().attempt, study.ask().attempt) == (1, 0)


@pytest.mark.parametrize("by", [3600.0, -3600.0])
def test_a_clock_that_is_set_decides_nothing_about_what_a_process_left(sqlite: str, clock: Clock, by: float) -> None:
    """Set on by an hour it was lost at once, set back it was idle for an hour more."""
    study = study_in(sqlite, clock=clock, lease_seconds=60)
    study._left = left_by_an_ended_process()
    assert study.ask().number == 0
    with sf.load_study(sqlite, clock=Set(clock.now + 59, by)) as short_lived:
        assert short_lived.ask().number == 1
    with sf.load_study(sqlite, clock=Set(clock.now + 61, by)) as short_lived:
        again = short_lived.ask()
    assert (again.number, again.attempt) == (0, 1)
    assert sf.verify(sqlite).ok


@pytest.mark.parametrize("ahead", [600.0, -600.0])
def test_a_clock_that_is_ahead_takes_nothing_away(storage: Any, ahead: float) -> None:
    """A host ten minutes ahead took every long evaluation away, and only short ones counted."""
    here, there = Clock(), Clock(1000.0 + ahead)
    study, other = endless(storage, clock=here), endless(storage, clock=there, load_if_exists=True)
    pull = study.ask()
    for second in range(59):
        here.now += 1
        there.now += 1
        new = other.ask()
        assert new.attempt == 0, second
        other.tell(new, results_of(new))
    study.heartbeat(pull)
    here.now += 30
    there.now += 30
    assert other.ask().attempt == 0
    study.tell(pull, results_of(pull))
    assert study.view().skew == pytest.approx(600, abs=90)
    assert any("clocks of the machines disagree" in words for words in study.view().warnings)
    assert sf.verify(storage).ok


class Set(Clock):
    """A clock that was set, by an hour back if nothing else is said: what is elapsed goes on."""

    def __init__(self, now: float, by: float = -3600.0) -> None:
        super().__init__(now)
        self._by = by

    def time(self) -> float:
        return self.now + self._by


def test_a_clock_that_is_set_back_delays_nothing(storage: Any) -> None:
    """Leases were extended by as much as the clock was set back."""
    clock = Clock()
    study = study_in(storage, clock=clock)
    lost = study.ask()
    back = Set(clock.now)
    other = study_in(storage, clock=back, load_if_exists=True)
    assert other.ask().number == 1
    back.now += 61
    assert (other.ask().number, lost.number) == (0, 0)


def test_nothing_is_issued_again_after_the_verdict(clock: Clock) -> None:
    study = study_in(configs=["good"], clock=clock)
    pulls = study.ask(120)
    study.exchange([(pull, results_of(pull)) for pull in pulls[:110]])
    assert study.outcome is sf.Outcome.FOUND
    clock.now += 1e6
    assert study.ask() is None
    study.tell(pulls[-1], results_of(pulls[-1]))


def is_gone(worker: str) -> bool:
    return presence_of(worker) is Presence.GONE


def test_who_is_gone() -> None:
    assert not is_gone(worker_name())
    assert not is_gone(worker_name("label"))
    child = subprocess.Popen(
        [sys.executable, "-c", f"{IMPORT}; print(worker_name('x'), flush=True); input()"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    name = child.stdout.readline().strip()
    assert not is_gone(name)
    child.kill()
    while not is_gone(name):  # a process that has ended and that nobody has asked about is gone, too
        pass
    child.communicate()
    assert is_gone(name)
    assert not is_gone(name.replace("@", "@elsewhere-"))
    assert not is_gone("a name that somebody made up")
    assert is_gone(worker_name().rpartition(".")[0] + ".1")  # the same number, started at another time
