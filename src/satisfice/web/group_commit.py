"""Group commit: the one place where the steps of many workers become durable, all that wait in one transaction."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import repeat
from math import inf
from operator import itemgetter
from threading import Condition, Lock, Thread
from typing import Any, NamedTuple

from satisfice.errors import SatisficeError, StorageError, StorageUnreachable, UnknownStudy
from satisfice.given import shown, why_unwritable
from satisfice.search.verdict import Outcome
from satisfice.study import Pull, Study
from satisfice.study.create import only_name
from satisfice.study.storage.protocol import Storage
from satisfice.study.transaction import Step

log = logging.getLogger(__name__)

MOST_TOGETHER = 256
"""Steps in one transaction: more would let the first of them wait for long."""

MOST_OPEN = 100
"""Studies that are kept in memory; the one that was asked for longest ago is closed first."""

Make = Callable[[Study], Step]
Act = Callable[[Study], Any]


class Answer(NamedTuple):
    """What a step came to, once it is durable."""

    pulls: list[Pull]
    outcome: str
    stopped: str | None


class Wanted(NamedTuple):
    """Something to do with the study, or to make of what somebody sent a step to take."""

    act: Act
    is_step: bool = False


class Waiting(NamedTuple):
    """What somebody waits for in an event loop."""

    wanted: Wanted
    future: "asyncio.Future[Any]"
    loop: asyncio.AbstractEventLoop


def answers_to(study: Study, batch: Sequence[Wanted]) -> list[Any]:
    """What each comes to, its steps once they are durable, together; an error is what refused it."""
    answers: list[Any] = []
    steps: list[tuple[float, int, Step]] = []
    for place, one in enumerate(batch):
        made = _tried(study, one.act, study)
        answers.append(made)
        if one.is_step and isinstance(made, Step):
            steps.append((_first_asked(made), place, made))
    if not steps:
        return answers
    steps.sort(key=itemgetter(0))
    taken = _tried(study, study.take, [step for _, _, step in steps])
    said = _tried(study, _said, study)
    outcome, stopped = said if isinstance(said, tuple) else (str(Outcome.UNDECIDED), None)
    for (_, place, _), pulls in zip(steps, taken if isinstance(taken, list) else repeat(taken)):  # noqa: B905 - endless
        answers[place] = Answer(pulls, outcome, stopped) if isinstance(pulls, list) else pulls
    return answers


def _said(study: Study) -> tuple[str, str | None]:
    """The verdict so far, and why the study stopped if it did."""
    return str(study.outcome), study.stopped_as_seen


def _first_asked(step: Step) -> float:
    """Which result of a step was asked for first: told in the order of asking, none waits for another of the batch."""
    return step.settled[0][0].number if step.settled else inf  # they are in that order themselves


def first_given(answered: tuple[Waiting, Any]) -> int:
    """Which pull of an answer was asked for first.

    Answers go out in that order, so that results come back in it: one that comes before an earlier one of its config
    has to wait for it, and with it all that come meanwhile are looked at again and again.
    """
    _, answer = answered
    return answer.pulls[0].number if isinstance(answer, Answer) and answer.pulls else -1


def _tried(study: Study, act: Callable[..., Any], *arguments: Any) -> Any:
    try:
        return act(*arguments)
    except SatisficeError as error:
        return error
    except Exception as error:
        log.exception("%s: a request failed", study.name)
        return error


class Committer:
    """Commits the steps of one study, all that wait at once, in a thread of its own, which alone has the study."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self._ready = Condition()
        self._waiting: list[Waiting] = []
        self._closed = False
        self._moved: asyncio.Event | None = None
        self.deleted = False
        self._thread = Thread(target=self._serve, name=f"committer {study.name:.40}", daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        return bool(self._waiting)

    async def step(self, make: Make) -> Answer:
        """The step that `make` makes, once it is durable; what refuses it is raised."""
        answer: Answer = await self._wait_for(Wanted(make, is_step=True))
        return answer

    async def act(self, act: Act) -> Any:
        """Anything else that needs the study."""
        return await self._wait_for(Wanted(act))

    async def moved(self, seconds: float) -> None:
        """Wait until a step was taken, for `seconds` at most."""
        self._moved = self._moved or asyncio.Event()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._moved.wait(), seconds)

    def close(self) -> None:
        with self._ready:
            self._closed = True
            self._ready.notify()
        self._thread.join(10.0)
        with suppress(StorageError):
            self.study.close()

    async def _wait_for(self, wanted: Wanted) -> Any:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        with self._ready:
            if self._closed:
                raise StorageUnreachable(
                    "The server has just closed this study. Nothing was recorded. Say the same again."
                )
            self._waiting.append(Waiting(wanted, future, loop))
            self._ready.notify()
        return await future

    def _serve(self) -> None:
        while True:
            with self._ready:
                while not self._waiting and not self._closed:
                    self._ready.wait()
                if not self._waiting:
                    return
                batch, self._waiting = self._waiting[:MOST_TOGETHER], self._waiting[MOST_TOGETHER:]
            answers = answers_to(self.study, [one.wanted for one in batch])
            self.deleted = self.deleted or any(isinstance(answer, UnknownStudy) for answer in answers)
            with suppress(RuntimeError):  # the loop has ended
                answered = sorted(zip(batch, answers, strict=True), key=first_given)
                batch[0].loop.call_soon_threadsafe(self._hand_out, answered)

    def _hand_out(self, answered: list[tuple[Waiting, Any]]) -> None:
        for one, answer in answered:
            if one.future.done():  # who waited is gone
                continue
            if isinstance(answer, Exception):
                one.future.set_exception(answer)
            else:
                one.future.set_result(answer)
        if self._moved is not None:
            self._moved.set()
            self._moved = None


class Committers:
    """The committers of a storage's studies, each opened when it is asked for."""

    def __init__(self, storage: Storage, *, trust_code: bool = False) -> None:
        self.storage, self.trust = storage, trust_code
        self._lock, self._opening = Lock(), Lock()
        self._open: OrderedDict[str, Committer] = OrderedDict()

    def known(self, name: str) -> Committer | None:
        """The committer of a study, if it is open."""
        with self._lock:
            found = self._open.get(name)
            if found is None or found.deleted:
                return None
            self._open.move_to_end(name)
            return found

    def committer(self, name: str | None) -> Committer:
        """The committer of a study, or of the only one; UnknownStudy if there is none."""
        if name is not None and why_unwritable(name):
            raise UnknownStudy(f"There is no study {shown(name, 60)} in {self.storage}.")
        called = only_name(self.storage) if name is None else name
        with self._opening:  # which takes long; meanwhile event loops look which ones are open
            found = self.known(called)
            if found is None:
                self.forget(called)
                study = Study(called, self.storage.open(called), trusted=self.trust)
                self._make_room()
                found = Committer(study)
                with self._lock:
                    self._open[called] = found
            return found

    def forget(self, name: str) -> None:
        """Close the committer of a study that is there no more."""
        with self._lock:
            committer = self._open.pop(name, None)
        if committer is not None:
            committer.close()

    def close(self) -> None:
        with self._opening, self._lock:
            for committer in self._open.values():
                committer.close()
            self._open.clear()

    def _make_room(self) -> None:
        while len(self._open) >= MOST_OPEN:
            with self._lock:
                idle = next((name for name, committer in self._open.items() if not committer.busy), None)
            if idle is None:
                return
            self.forget(idle)
