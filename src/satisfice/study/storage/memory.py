"""Event logs in memory: gone with the process."""

from collections.abc import Iterator, Mapping, Sequence
from threading import RLock

from satisfice.errors import UnknownStudy
from satisfice.study.errors import deleted, no_such_study, study_exists
from satisfice.study.events import Event, stored
from satisfice.study.storage.protocol import Beat, Decide, StudySummary, summary_of


class MemoryLog:
    """A list of events behind a lock, as the texts that they are: a fraction of the room."""

    def __init__(self, first: Event) -> None:
        self._rows: list[tuple[int, str, str, str]] = []
        self._beats: dict[int, Beat] = {}
        self._lock = RLock()
        self._deleted: UnknownStudy | None = None
        self._append(first)

    def read(self, after: int) -> Iterator[Event]:
        with self._lock:
            self._check_there()
            rows = self._rows[after:]
        return (stored(*row) for row in rows)

    def extend(self, after: int, decide: Decide) -> None:
        with self._lock:
            self._check_there()
            for event in decide([stored(*row) for row in self._rows[after:]]):
                self._append(event)

    def beat(self, beats: Mapping[int, Beat]) -> None:
        with self._lock:
            self._beats.update(beats)

    def beats(self) -> dict[int, Beat]:
        with self._lock:
            return dict(self._beats)

    def forget_beats(self, numbers: Sequence[int]) -> None:
        with self._lock:
            for number in numbers:
                self._beats.pop(number, None)

    def delete(self, why: UnknownStudy) -> None:
        """Keep nothing more, and say why to whoever still has the log."""
        with self._lock:
            self._deleted = why
            self._rows.clear()

    def close(self) -> None:
        """Nothing to close."""

    def _check_there(self) -> None:
        if self._deleted is not None:
            raise self._deleted

    def _append(self, event: Event) -> None:
        self._rows.append((event.position, event.kind, event.body, event.digest))


class MemoryStorage:
    """Logs by name, in this process."""

    def __init__(self, address: str = "memory", *, create: bool = True) -> None:
        self._logs: dict[str, MemoryLog] = {}
        self._lock = RLock()

    def __str__(self) -> str:
        return "memory"

    def create(self, name: str, first: Event) -> MemoryLog:
        with self._lock:
            if name in self._logs:
                raise study_exists(name, "memory")
            return self._logs.setdefault(name, MemoryLog(first))

    def open(self, name: str) -> MemoryLog:
        with self._lock:
            if name not in self._logs:
                raise no_such_study(name, self._logs, "memory")
            return self._logs[name]

    def delete(self, name: str) -> None:
        with self._lock:
            self.open(name)
            self._logs.pop(name).delete(deleted(name, "memory"))

    def studies(self) -> tuple[StudySummary, ...]:
        with self._lock:
            logs = sorted(self._logs.items())
        return tuple(summary_of(name, log.read(0)) for name, log in logs)

    def close(self) -> None:
        """Nothing to close."""
