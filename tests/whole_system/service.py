"""The services of a world, which take the steps of their clients, and clients on a network that cannot be trusted.

What the service does with requests is the package's own (`web.group_commit.answers_to`, `web.asked.step_of`); threads,
sockets and the event loop around it are simulated. It ends at any moment: between requests, in the middle of a
transaction before or after that is durable, and before its answers are sent. Requests and answers get lost, come late
or twice; a client that hears nothing sends the same again, to another service if there are two. Now and then somebody
else has evaluated the same pull by mistake, and tells at the same time what that gave. What a service answers is
compared with what is on disk by then.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from satisfice.errors import PullAlreadyTold, PullReissued, StorageError
from satisfice.search.verdict import Outcome
from satisfice.study.study import Study
from satisfice.study.transaction import Step
from satisfice.web.group_commit import MOST_TOGETHER, Answer, Wanted, answers_to
from satisfice.web.steps import step_of
from tests.whole_system.truth import Said
from tests.whole_system.workers import Process

if TYPE_CHECKING:
    from tests.whole_system.world import World

Reply = Callable[[Any], None]
PATIENCE_SECONDS, IMPATIENCE_SECONDS = 5.0, 0.3
"""After which clients say the same again; where they hardly wait, often before the first is durable."""


class Request(NamedTuple):
    """Something to do with the study, and the results that it tells."""

    wanted: Wanted
    said: Said


def exchange(**content: Any) -> Request:
    """A request that tells, gives back and asks."""
    sent = json.dumps(content)
    said: Said = {_key_of(one["pull"]): list(one["results"].values()) for one in content.get("tell", ())}
    said |= {_key_of(one["pull"]): None for one in content.get("fail", ())}
    return Request(Wanted(lambda study: step_of(study, json.loads(sent)), is_step=True), said)


class Service(Process):
    """One process that has the study, and takes in one transaction what came while it was busy with the last."""

    def begin(self) -> None:
        self._study: Study | None = None
        self._waiting: list[tuple[Request, Reply]] = []
        self._busy, self._up = False, True

    def crash(self) -> None:
        self._up = False
        super().crash()

    def receive(self, request: Request, reply: Reply) -> None:
        """A request that arrives; where nobody listens, nothing comes of it."""
        if self._up:
            self._waiting.append((request, reply))
            if not self._busy:
                self._busy = True
                self.soon(0.001, self._take)

    def _take(self) -> None:
        batch, self._waiting = self._waiting[:MOST_TOGETHER], self._waiting[MOST_TOGETHER:]
        self.world.most_together = max(self.world.most_together, len(batch))
        answers = self._answers([request for request, _ in batch])
        replies = [(reply, answer) for (_, reply), answer in zip(batch, answers, strict=True)]
        self.soon(self.world.rng.uniform(0.005, 0.5), lambda: self._hand_out(replies))

    def _answers(self, batch: list[Request]) -> list[Any]:
        try:
            if self._study is None:
                self._study = self.world.opened(self)
        except StorageError as error:
            return [error] * len(batch)
        answers = answers_to(self._study, [request.wanted for request in batch])
        self._count(batch, answers)
        for request, answer in zip(batch, answers, strict=True):
            self.world.check(self._untrue(request, answer))
        return answers

    def _untrue(self, request: Request, answer: Any) -> Iterator[str]:
        """What is not true of an answer that is about to be sent."""
        disk = self.world.disk
        if isinstance(answer, Answer):
            decided = answer.outcome != Outcome.UNDECIDED
            yield from disk.done(request.said)
            yield from disk.given((pull.number, pull.attempt) for pull in answer.pulls)
            yield from disk.known(self, decided=decided, stopped=answer.stopped is not None)
        elif isinstance(answer, Exception) and request.said:
            yield from disk.refused(request.said, answer)

    def _count(self, batch: list[Request], answers: list[Any]) -> None:
        """What the worlds are about."""
        told = Counter((key, str(found)) for request in batch for key, found in request.said.items())
        often, several = self.world.answers, Counter(key for key, _ in told)
        often["told twice together"] += sum(times > 1 for times in told.values())
        often["others together"] += sum(times > 1 for times in several.values())
        often.update(type(answer).__name__ for answer in answers)

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
        request = exchange(
            tell=[{"pull": pull, "results": found} for pull, found in told.items() if found is not None],
            fail=[{"pull": pull, "reason": "no luck"} for pull, found in told.items() if found is None],
            ask=self._size if len(told) == len(self._done) else 0,
            worker=self._label,
        )
        self._send(request, lambda answer: self._answered(told, answer), self._exchange)

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
            resume = Request(Wanted(lambda study: Step(resumes=True), is_step=True), {})
            self._send(resume, lambda _: self.later(self._exchange), self._exchange)
        elif not answer.pulls:
            self.later(self._exchange)
        self._together = self._together or not self._done
        for pull in answer.pulls:
            found, seconds = self.world.evaluated(pull.number, pull.attempt, pull.name)
            result = None if self.world.happens(0.05) else found
            self._running[pull.id] = None
            self.soon(seconds, lambda pull=pull, result=result: self._finished(pull.id, result))  # type: ignore[misc]
            if self.world.happens(0.03):
                other = self.world.evaluated_again(pull.number, pull.attempt, pull.name)
                self.soon(seconds, lambda pull=pull, other=other: self._came_to_something_else(pull.id, other))  # type: ignore[misc]
            if self.world.happens(0.02):
                self.soon(seconds, lambda pull=pull: self._gave_back(pull.id))  # type: ignore[misc]

    def _finished(self, pull: str, result: dict[str, float] | None) -> None:
        del self._running[pull]
        self._done[pull] = result
        if not self._running:
            self._exchange()

    def _came_to_something_else(self, pull: str, found: dict[str, float]) -> None:
        """Somebody else who evaluated the same by mistake; he does not care what he is answered."""
        self._deliver(exchange(tell=[{"pull": pull, "results": found}]), lambda _: None)

    def _gave_back(self, pull: str) -> None:
        self._deliver(exchange(release=[pull]), lambda _: None)

    def _beat(self) -> None:
        """Signs of life of all that it holds, in one request."""
        if held := [*self._running, *self._done]:
            self._deliver(Request(Wanted(lambda study: study.heartbeat(*held)), {}), lambda _: None)
        self.soon(self.world.lease / 3, self._beat)

    def _send(self, request: Request, on_answer: Reply, again: Callable[[], None]) -> None:
        """Let a request go; its first answer counts if it comes in time, and otherwise it is made again."""
        self._request += 1
        number = self._request

        def first(act: Callable[[], None]) -> None:
            if number == self._request:
                self._request += 1
                act()

        self._deliver(request, lambda answer: self.soon(self._latency(), lambda: first(lambda: on_answer(answer))))
        patience = IMPATIENCE_SECONDS if self.world.happens(0.1) else PATIENCE_SECONDS
        self.soon(patience, lambda: first(again))

    def _deliver(self, request: Request, reply: Reply) -> None:
        for _ in range(2 if self.world.happens(0.05) else 1):
            service = self.world.rng.choice(self.world.services)
            if not self.world.happens(0.03):
                arrives = partial(service.receive, request, self._may_be_lost(reply))
                self.world.after(self._latency(), arrives)

    def _may_be_lost(self, reply: Reply) -> Reply:
        return lambda answer: None if self.world.happens(0.03) else reply(answer)

    def _latency(self) -> float:
        return self.world.rng.uniform(1, 40) if self.world.happens(0.02) else self.world.rng.uniform(0.005, 0.2)


def _key_of(pull: str) -> tuple[int, int]:
    _, number, attempt = pull.split(":")
    return int(number), int(attempt)
