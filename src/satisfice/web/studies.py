"""The studies of a storage as a dashboard shows them: a list, and a feed of each that somebody looks at."""

import asyncio
from contextlib import suppress
from threading import Lock, Thread
from typing import Any

from starlette.concurrency import run_in_threadpool

from satisfice.errors import StorageError
from satisfice.study import Study
from satisfice.study.forecast import Forecast
from satisfice.study.listing import StudyList
from satisfice.study.storage.protocol import Storage
from satisfice.web.feed import Feed
from satisfice.web.forecaster import Forecaster

SOON_SECONDS = 0.4
"""How long who asks for the list waits for what is not known yet."""

MOST_FEEDS = 40
"""Studies that are kept in memory; those that nobody looks at are closed first."""


class Bell:
    """Rings for all who wait in an event loop; may be rung from any thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._event: asyncio.Event | None = None
        self.last_call = False

    def ring_for_the_last_time(self) -> None:
        """Who listens is to go."""
        self.last_call = True
        self.ring()

    def ring(self) -> None:
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._ring)

    def _ring(self) -> None:
        if self._event is not None:
            self._event.set()
            self._event = asyncio.Event()

    async def wait(self, seconds: float) -> bool:
        """Wait until it rings, for `seconds` at most; whether it rang."""
        self._loop = asyncio.get_running_loop()
        self._event = self._event or asyncio.Event()
        try:
            async with asyncio.timeout(seconds):  # wait_for would make a task for everybody who waits
                return await self._event.wait()
        except TimeoutError:
            return False


class Studies:
    """Reads the studies of one storage; it is to be opened for reading only."""

    def __init__(self, storage: Storage, *, trust_code: bool = False) -> None:
        self._storage, self._trust = storage, trust_code
        self._lock, self._forecasting = Lock(), asyncio.Lock()
        self._forecasts: dict[str, asyncio.Task[Forecast | None]] = {}
        self._feeds: dict[str, tuple[Feed, Bell]] = {}
        self._list = StudyList(storage, trust_code)
        self._finder: Thread | None = None

    @property
    def where(self) -> str:
        return str(self._storage)

    def listed(self, *, complete: bool = False) -> list[dict[str, Any]]:
        """The studies by name; unless the list is to be complete, what they say is found out meanwhile."""
        with self._lock:
            if self._finder is None or not self._finder.is_alive():
                self._finder = Thread(target=self._find_out, name="list of studies", daemon=True)
                self._finder.start()
        self._finder.join(None if complete else SOON_SECONDS)
        rows = self._list.rows()
        there = {(row.name, row.identity) for row in rows}
        with self._lock:
            for name in [name for name, (feed, _) in self._feeds.items() if (name, feed.identity) not in there]:
                self._forget(name)
        return [row.as_content() for row in rows]

    def feed(self, name: str) -> tuple[Feed, Bell]:
        """The feed of a study; UnknownStudy if there is none."""
        with self._lock:
            if name in self._feeds and not self._feeds[name][0].is_there():
                self._forget(name)
            if name not in self._feeds:
                self._make_room()
                bell = Bell()
                study = Study(name, self._storage.open(name), trusted=self._trust)
                self._feeds[name] = Feed(study, self.where, tell=bell.ring), bell
            return self._feeds[name]

    def forget(self, name: str) -> None:
        """Close the feed of a study that was deleted; who looks at it is told so when asking again."""
        with self._lock:
            self._forget(name)

    def _forget(self, name: str) -> None:
        feed, bell = self._feeds.pop(name, (None, None))
        if feed is not None and bell is not None:
            bell.ring_for_the_last_time()
            with suppress(StorageError):
                feed.close()

    async def forecast(self, name: str) -> Forecast | None:
        """A forecast of a study, made now; all who ask while it is made get the same one."""
        made = self._forecasts.get(name)
        if made is None:
            made = self._forecasts[name] = asyncio.create_task(self._forecast_alone(name))
            made.add_done_callback(lambda _: self._forecasts.pop(name))
        return await asyncio.shield(made)  # who leaves takes it from nobody

    async def _forecast_alone(self, name: str) -> Forecast | None:
        async with self._forecasting:  # for one study after another, in one thread
            return await run_in_threadpool(self._forecast, name)

    def _forecast(self, name: str) -> Forecast | None:
        with Study(name, self._storage.open(name), trusted=self._trust) as study:
            return Forecaster().once(study)

    def end_streams(self) -> None:
        """Let all who listen go; may be called from any thread."""
        for _, bell in list(self._feeds.values()):
            bell.ring_for_the_last_time()

    def close(self) -> None:
        with self._lock:
            for feed, _ in self._feeds.values():
                with suppress(StorageError):
                    feed.close()
            self._feeds.clear()

    def _make_room(self) -> None:
        idle = [name for name, (feed, _) in self._feeds.items() if not feed.readers]
        for name in idle[: max(0, len(self._feeds) + 1 - MOST_FEEDS)]:
            self._forget(name)  # who was about to look comes again

    def _find_out(self) -> None:
        with suppress(StorageError):  # the list itself says so
            self._list.find_out()
