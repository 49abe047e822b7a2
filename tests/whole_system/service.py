"""The service of a world, which alone takes the steps of its clients, and clients on a network that cannot be trusted.

What the service does with requests is the package's own (`web.group_commit.answers_to`, `web.asked.step_of`); threads,
sockets and the event loop around it are simulated. It ends at any moment: between requests, in the middle of a
transaction before or after that is durable, and before its answers are sent. Requests and answers get lost, come late
or twice; a client that hears nothing sends the same again.
"""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from satisfice.errors import PullAlreadyTold, PullReissued, StorageError
from satisfice.search.verdict import Outcome
from satisfice.study.step import Step
from satisfice.study.study import Study
from satisfice.web.asked import step_of
from satisfice.web.group_commit import MOST_TOGETHER, Answer, Wanted, answers_to
from tests.whole_system.workers import Process

if TYPE_CHECKING:
    from tests.whole_system.world import World

Reply = Callable[[Any], None]
PATIENCE_SECONDS = 5.0


class Service(Process):
    """One process that has the study, and takes in one transaction what came while it was busy with the last."""

    def begin(self) -> None:
        self._study: Study | None = None
        self._waiting: list[tuple[Wanted, Reply]] = []
        self._busy, self._up = False, True

    def crash(self) -> None:
        self._up = False
        super().crash()

    def receive(self, wanted: Wanted, reply: Reply) -> None:
        """A request that arrives; where nobody listens, nothing comes of it."""
        if self._up:
            self._waiting.append((wanted, reply))
            if not self._busy:
                self._busy = True
                self.soon(0.001, self._take)

    def _take(self) -> None:
        batch, self._waiting = self._waiting[:MOST_TOGETHER], self._waiting[MOST_TOGETHER:]
        self.world.most_together = max(self.world.most_together, len(batch))
        answers = self._answers([wanted for wanted, _ in batch])
        replies = [(reply, answer) for (_, reply), answer in zip(batch, answers, strict=True)]
        self.soon(self.world.rng.uniform(0.005, 0.5), lambda: self._hand_out(replies))

    def _answers(self, batch: list[Wanted]) -> list[Any]:
        try:
            if self._study is None:
                self._study = self.world.opened(self)
        except StorageError as error:
            return [error] * len(batch)
        return answers_to(self._study, batch)

    def _hand_out(self, replies: list[tuple[Reply, Any]]) -> None:
        for reply, answer in replies:
            reply(answer)
        self._busy = bool(self._waiting)
        if self._busy:
            self.soon(0.001, self._take)


class Client(Process):
    """Asks for some pulls, evaluates them at the same time, and tells all while it asks for the next."""

    def __init__(self, world: "World", number: int) -> None:
        self._label, self._size, self._request = f"client {number}", world.rng.choice([1, 1, 2, 4]), 0
        super().__init__(world)

    def begin(self) -> None:
        self._request += 1  # nobody is left whom an answer could reach
        self._running: dict[str, None] = {}
        self._done: dict[str, dict[str, float] | None] = {}
        self._together = True
        self.soon(0.1, self._exchange)
        self.soon(self.world.lease / 3, self._beat)

    def _exchange(self) -> None:
        """Tell what is done, one after the other if some of it was refused, and ask for more with the last."""
        told = dict(self._done) if self._together else dict(list(self._done.items())[:1])
        content = {
            "tell": [{"pull": pull, "results": found} for pull, found in told.items() if found is not None],
            "fail": [{"pull": pull, "reason": "no luck"} for pull, found in told.items() if found is None],
            "ask": self._size if len(told) == len(self._done) else 0,
            "worker": self._label,
        }
        sent = json.dumps(content)
        self._send(
            Wanted(lambda study: step_of(study, json.loads(sent)), is_step=True),
            lambda answer: self._answered(told, answer),
            self._exchange,
        )

    def _answered(self, told: dict[str, dict[str, float] | None], answer: Any) -> None:
        if isinstance(answer, PullReissued | PullAlreadyTold):
            if len(told) == 1:
                self._done = {pull: found for pull, found in self._done.items() if pull not in told}
            self._together = False
            self.soon(0.01, self._exchange)
            return
        if isinstance(answer, StorageError):
            self.later(self._exchange)
            return
        if isinstance(answer, Exception):
            raise answer
        for pull, found in told.items():
            del self._done[pull]
            if found is not None:
                self.world.ledger.acknowledged[_key_of(pull)] = list(found.values())
        self._go_on(answer)

    def _go_on(self, answer: Answer) -> None:
        self.world.heard(Outcome(answer.outcome))
        if self._done:
            self.soon(0.01, self._exchange)
        elif answer.stopped is not None:
            resume = Wanted(lambda study: Step(resumes=True), is_step=True)
            self._send(resume, lambda _: self.later(self._exchange), self._exchange)
        elif not answer.pulls:
            self.later(self._exchange)
        self._together = self._together or not self._done
        for pull in answer.pulls:
            found, seconds = self.world.evaluated(pull.number, pull.attempt, pull.name)
            result = None if self.world.happens(0.05) else found
            self._running[pull.id] = None
            self.soon(seconds, lambda pull=pull, result=result: self._finished(pull.id, result))  # type: ignore[misc]

    def _finished(self, pull: str, result: dict[str, float] | None) -> None:
        del self._running[pull]
        self._done[pull] = result
        if not self._running:
            self._exchange()

    def _beat(self) -> None:
        """Signs of life of all that it holds, in one request."""
        if held := [*self._running, *self._done]:
            self._deliver(Wanted(lambda study: study.heartbeat(*held)), lambda _: None)
        self.soon(self.world.lease / 3, self._beat)

    def _send(self, wanted: Wanted, on_answer: Reply, again: Callable[[], None]) -> None:
        """Let a request go; its first answer counts if it comes in time, and otherwise it is made again."""
        self._request += 1
        request = self._request

        def first(act: Callable[[], None]) -> None:
            if request == self._request:
                self._request += 1
                act()

        self._deliver(wanted, lambda answer: self.soon(self._latency(), lambda: first(lambda: on_answer(answer))))
        self.soon(PATIENCE_SECONDS, lambda: first(again))

    def _deliver(self, wanted: Wanted, reply: Reply) -> None:
        service = self.world.service
        assert service is not None
        for _ in range(2 if self.world.happens(0.05) else 1):
            if not self.world.happens(0.03):
                self.world.after(self._latency(), lambda: service.receive(wanted, self._may_be_lost(reply)))

    def _may_be_lost(self, reply: Reply) -> Reply:
        return lambda answer: None if self.world.happens(0.03) else reply(answer)

    def _latency(self) -> float:
        return self.world.rng.uniform(1, 40) if self.world.happens(0.02) else self.world.rng.uniform(0.005, 0.2)


def _key_of(pull: str) -> tuple[int, int]:
    _, number, attempt = pull.split(":")
    return int(number), int(attempt)
