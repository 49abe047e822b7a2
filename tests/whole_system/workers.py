"""Workers that have the storage themselves, and owners of a study, who change their minds about its policy."""

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

import satisfice as sf
from satisfice.errors import PullAlreadyTold, PullReissued, StorageError, StudyStopped
from satisfice.study.policy import PolicyChanges
from satisfice.study.study import Study

if TYPE_CHECKING:
    from tests.whole_system.world import World


POLL_SECONDS = 0.1
NO_LIMIT: PolicyChanges = {"max_evaluations": None}


class Crashed(BaseException):
    """The process is gone in the middle of what it did."""


class Process:
    """Something that does one thing after the other, and that crashes, is suspended and has a clock of its own."""

    def __init__(self, world: "World") -> None:
        self.world, self.clock = world, world.new_clock()
        self._life = 0
        self._waiting_life: int | None = None
        self._asleep_until = 0.0
        self.start()

    def start(self) -> None:
        self._life += 1
        self.took = 0  # the position of the log after the last step
        self.begin()

    def begin(self) -> None:
        """What a process that was just started does, knowing nothing."""

    def crash(self) -> None:
        self._life += 1  # nothing that it had in mind happens
        self.world.after(self.world.rng.uniform(0.1, 20), self.start)

    def sleep(self, seconds: float) -> None:
        self._asleep_until = self.world.now + seconds

    def wait(self, seconds: float) -> None:
        """Wait in the middle of a step while others act; who crashes meanwhile does not come back to it."""
        life, until = self._life, self.world.now + seconds
        self._waiting_life = life
        while life == self._life and self.world.now < (until := max(until, self._asleep_until)):
            self.world.pass_time(until)
            self.world.now = max(self.world.now, until)
        self._waiting_life = None
        if life != self._life:
            raise Crashed

    def soon(self, seconds: float, act: Callable[[], None]) -> None:
        life = self._life

        def awake() -> None:
            if life != self._life:
                return
            if self.world.now < self._asleep_until:
                self.world.after(self._asleep_until - self.world.now, awake)
            elif life == self._waiting_life:
                self.world.after(POLL_SECONDS, awake)
            else:
                self._do(act)

        self.world.after(seconds, awake)

    def _do(self, act: Callable[[], None]) -> None:
        life = self._life
        try:
            act()
        except Crashed:
            if life == self._life:
                self.crash()

    def later(self, act: Callable[[], None]) -> None:
        """Once more, after a while."""
        self.soon(self.world.rng.uniform(0.1, 3), act)


class Worker(Process):
    """Asks, evaluates, says that it lives, and tells; whatever it does not hear back, it does again."""

    def __init__(self, world: "World", number: int) -> None:
        self._label = f"worker {number}"
        super().__init__(world)

    def begin(self) -> None:
        self._study: Study | None = None
        self._holding: sf.Pull | None = None
        self.soon(0.1, self._ask)

    def _ask(self) -> None:
        try:
            if self._study is None:
                self._study = self.world.opened(self)
            pull = self._study.ask(worker=self._label)
        except StudyStopped:
            self.world.check(self.world.disk.known(self, decided=False, stopped=True))
            self._resume()
            return
        except StorageError:
            self.later(self._ask)
            return
        if pull is None:
            self.world.heard(self._study.outcome)
            if not self.world.ended:
                self.world.check(self.world.disk.known(self, decided=False, stopped=False))
            self.later(self._ask)  # as much as there may be was asked for, and somebody may allow more
            return
        self._holding = pull
        self.world.check(self.world.disk.given([(pull.number, pull.attempt)]))
        found, seconds = self.world.evaluated(pull.number, pull.attempt, pull.name)
        self.soon(self._study.lease_seconds / 3, lambda: self._beat(pull))
        done = self._fail if self.world.happens(0.05) else self._tell
        self.soon(seconds, lambda: done(pull, found))

    def _resume(self) -> None:
        assert self._study is not None
        with suppress(StorageError):
            self._study.resume()
        self.later(self._ask)

    def _beat(self, pull: sf.Pull) -> None:
        if self._holding is not pull or self._study is None:
            return
        with suppress(StorageError, PullReissued, PullAlreadyTold):
            self._study.heartbeat(pull)
        self.soon(self._study.lease_seconds / 3, lambda: self._beat(pull))

    def _tell(self, pull: sf.Pull, found: dict[str, float]) -> None:
        assert self._study is not None
        try:
            for _ in range(2 if self.world.happens(0.1) else 1):
                self._study.tell(pull, found)
        except StorageError:
            self.later(lambda: self._tell(pull, found))
            return
        except (PullReissued, PullAlreadyTold) as error:  # it was too slow
            self.world.check(self.world.disk.refused({(pull.number, pull.attempt): list(found.values())}, error))
        else:
            self.world.check(self.world.disk.done({(pull.number, pull.attempt): list(found.values())}))
            self.world.ledger.acknowledged[pull.number, pull.attempt] = list(found.values())
        self._go_on()

    def _fail(self, pull: sf.Pull, found: dict[str, float]) -> None:
        assert self._study is not None
        try:
            self._study.fail(pull, "no luck")
        except StorageError:
            self.later(lambda: self._fail(pull, found))
            return
        except (PullReissued, PullAlreadyTold) as error:
            self.world.check(self.world.disk.refused({(pull.number, pull.attempt): None}, error))
        self._go_on()

    def _go_on(self) -> None:
        self._holding = None
        self.soon(0.05, self._ask)


class Owner(Process):
    """Says anew now and then what failures and losses lead to, or allows more evaluations; in the end, any number."""

    def begin(self) -> None:
        self._study: Study | None = None
        self.soon(self.world.rng.uniform(1, 20), lambda: self._change(self.world.change_of_mind()))

    def _change(self, changes: PolicyChanges) -> None:
        try:
            if self._study is None:
                self._study = self.world.opened(self)
            self._study.change_policy(**changes)
        except StorageError:
            self.later(lambda: self._change(changes))
            return
        if changes != NO_LIMIT:
            self.soon(self.world.rng.uniform(1, 20), lambda: self._change(self.world.change_of_mind()))
