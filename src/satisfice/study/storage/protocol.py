"""The event log: what a study needs of its storage, and which storage a URL names."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from satisfice.errors import StorageError
from satisfice.study.events import Event

ENVIRONMENT = "SATISFICE_STORAGE"
"""The variable that names the storage where none is given."""

Decide = Callable[[Sequence[Event]], Sequence[Event]]


class Snapshot(NamedTuple):
    """The state of a study after an event, as bytes; it is worth something only if the digest is that event's."""

    position: int
    digest: str
    version: str
    data: bytes


class Beat(NamedTuple):
    """Until when a worker's sign of life extends the lease of a pull."""

    attempt: int
    expires: float


class EventLog(Protocol):
    """An append-only list of events with two verbs, `read` and `extend`, and two kinds of notes in the margin.

    Notes, snapshots and signs of life, may be lost at any time without any effect on what the study says.
    `satisfice.testing.check_event_log` checks an implementation.
    """

    @property
    def keeps_snapshots(self) -> bool: ...

    def read(self, after: int, /) -> Iterator[Event]:
        """The events after a position, in order."""

    def extend(self, after: int, decide: Decide, /) -> None:
        """Call `decide` with the events after a position and append the events that it returns.

        Nobody else appends in between; what was appended is durable when this returns, and nothing was if it raises.
        """

    def about(self, number: int, /) -> list[Event]:
        """The events about a pull, in order; may be called from within `decide`."""

    def head(self) -> tuple[int, str]:
        """Position and digest of the last event, kept apart from the events."""

    def snapshot(self) -> Snapshot | None:
        """The latest snapshot that was kept."""

    def keep(self, snapshot: Snapshot, /) -> None: ...

    def beat(self, beats: Mapping[int, Beat], /) -> None:
        """Note signs of life by the number of the pull."""

    def beats(self) -> dict[int, Beat]: ...

    def forget_beats(self, numbers: Sequence[int], /) -> None: ...

    def close(self) -> None: ...


class StudySummary(NamedTuple):
    """A study in a list of studies."""

    name: str
    identity: str
    created_at: float
    events: int


class Storage(Protocol):
    """A place that holds event logs by name."""

    def create(self, name: str, first: Event, /) -> EventLog:
        """A new log with its first event; StudyExists if there is one of that name."""

    def open(self, name: str, /) -> EventLog:
        """The log of that name; UnknownStudy if there is none."""

    def studies(self) -> tuple[StudySummary, ...]: ...

    def close(self) -> None: ...


def open_storage(storage: Any = None, *, create: bool = True) -> Storage:
    """The storage that a URL names; None: that of the environment, else memory. A storage is itself.

    Without `create`, a database file or tables that are not there are not made.
    """
    if storage is None:
        storage = os.environ.get(ENVIRONMENT) or "memory"
    if not isinstance(storage, str):
        if hasattr(storage, "studies"):
            opened: Storage = storage
            return opened
        raise StorageError(f"Expected a storage URL such as 'sqlite:///study.db', got {storage!r:.60}.")
    if storage == "memory":
        from satisfice.study.storage.memory import MemoryStorage  # noqa: PLC0415 - only what is used is loaded

        return MemoryStorage()
    from satisfice.study.storage.sql import SQLStorage  # noqa: PLC0415 - a study in memory does without SQLAlchemy

    return SQLStorage(storage, create=create)
