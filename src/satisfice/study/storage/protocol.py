"""The event log: what a study needs of its storage, and which storage a URL names."""

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from satisfice.catalogue import resolve_storage
from satisfice.errors import DamagedLog, StorageError
from satisfice.study.events import Event
from satisfice.study.storage.passwords import STORAGE, keep_secret, shown_address

if TYPE_CHECKING:
    from satisfice.study.summary import KeptSummary

Decide = Callable[[Sequence[Event]], Sequence[Event]]
Follow = Callable[[Sequence[Event]], None]


class Snapshot(NamedTuple):
    """The state of a study after an event, whose digest it has, as bytes; worth something only if the log says so."""

    position: int
    digest: str
    version: str
    data: bytes


class Beat(NamedTuple):
    """A sign of life of an attempt at a pull: a number that is another one each time."""

    attempt: int
    sign: float


class EventLog(Protocol):
    """An append-only list of events with two verbs, `read` and `extend`.

    A log may also be a `KeepsSnapshots`, a `KeepsHeartbeats`, a `KeepsIndex` or a `KeepsUp`.
    `satisfice.testing.check_storage` checks an implementation, and docs/how-to/add-a-storage.md writes one.
    """

    def read(self, after: int, /) -> Iterator[Event]:
        """The events after a position, in order; may be called from within `decide`."""

    def extend(self, after: int, decide: Decide, /) -> None:
        """Call `decide` with the events after a position and append the events that it returns.

        Nobody else appends in between; what was appended is durable when this returns, and nothing was if it raises.
        """

    def close(self) -> None: ...


@runtime_checkable
class KeepsSnapshots(Protocol):
    """A log that opens quickly however long it is; a snapshot may be lost without any effect on what the study says."""

    def snapshot(self) -> Snapshot | None:
        """The latest snapshot that was kept."""

    def keep(self, snapshot: Snapshot, /) -> None: ...


@runtime_checkable
class KeepsHeartbeats(Protocol):
    """A log through which workers in other processes say that they are alive; what they said may be lost."""

    def beat(self, beats: Mapping[int, Beat], /) -> None:
        """Note signs of life by the number of the pull."""

    def beats(self) -> dict[int, Beat]: ...

    def forget_beats(self, numbers: Sequence[int], /) -> None: ...


@runtime_checkable
class KeepsIndex(Protocol):
    """A log that finds the events of a pull without reading all, and notices when its last event was removed."""

    def about(self, number: int, /) -> Iterable[Event]:
        """The events about a pull, in order; may be called from within `decide`."""

    def head(self) -> tuple[int, str]:
        """Position and digest of the last event, kept apart from the events."""


@runtime_checkable
class KeepsUp(Protocol):
    """A log where whoever waits for a turn learns meanwhile what others append, and has little to read in it."""

    def extend_following(self, after: int, follow: Follow, decide: Decide, /) -> None:
        """As `extend`; `follow` may be called with new events before, any number of times, and `decide` with the rest.

        What was followed is in the log, whatever becomes of the step.
        """


class StudySummary(NamedTuple):
    """A study in a list of studies."""

    name: str
    identity: str
    created_at: float
    events: int


def summary_of(name: str, log: Iterable[Event]) -> StudySummary:
    """A study in a list of studies, from all its events; those that cannot be read hide no other study."""
    first, events = Event(0, "", {}, "", ""), 0
    with suppress(DamagedLog):
        for events, event in enumerate(log, start=1):
            first = event if events == 1 else first
    at = first.content.get("at")
    return StudySummary(name, str(first.content.get("identity", "")), at if isinstance(at, float) else 0.0, events)


@runtime_checkable
class Storage(Protocol):
    """A place that holds event logs by name; as a text it says where that is, without passwords."""

    def create(self, name: str, first: Event, /) -> EventLog:
        """A new log with its first event; StudyExists if there is one of that name."""

    def open(self, name: str, /) -> EventLog:
        """The log of that name; UnknownStudy if there is none."""

    def studies(self) -> tuple[StudySummary, ...]: ...

    def close(self) -> None: ...


@runtime_checkable
class Deletes(Protocol):
    """A storage that can delete a study, with all that it keeps of it; UnknownStudy if there is none of that name."""

    def delete(self, name: str, /) -> None: ...


@runtime_checkable
class CopiesItself(Protocol):
    """A storage that can copy all that it has into an SQLite file at once, while others write to it."""

    def copy_into(self, other: sqlite3.Connection, /) -> bool:
        """Make the copy; False, and none was made, if it cannot after all."""


@runtime_checkable
class SharesAConnection(Protocol):
    """A storage that opens many logs over one connection."""

    def sharing(self) -> AbstractContextManager[Callable[[str], EventLog]]:
        """Within it: a function that opens the log of a name, to be read."""


@runtime_checkable
class KeepsSummaries(Protocol):
    """A storage that keeps what lists say of its studies; it may be lost without any effect on what a study says."""

    def summaries(self) -> "Mapping[str, KeptSummary]":
        """By identity, those whose study's log ends where they were taken."""

    def keep_summaries(self, found: "Sequence[KeptSummary]", /) -> None: ...


@runtime_checkable
class KeepsSummary(Protocol):
    """A log that keeps what lists say of its study."""

    def keep_summary(self, found: "KeptSummary", /) -> None: ...


@runtime_checkable
class ListsItself(Protocol):
    """A storage that says of all its studies what they came to, as rows of `listing.StudyRow`."""

    def listed(self) -> list[dict[str, Any]]: ...


StorageLike = Storage | str | os.PathLike[str] | None
"""A storage, its address, a file for SQLite, or that of the environment."""


def open_storage(storage: StorageLike = None, *, create: bool = True, read_only: bool = False) -> Storage:
    """The storage that a URL or a path names; None: that of the environment, else memory. A storage is itself.

    Without `create`, a database file or tables that are not there are not made. With `read_only` a storage that takes
    such an argument, as databases do, lets nothing be written through it.
    """
    if storage is None:
        storage = os.environ.get(STORAGE) or "memory"
    if isinstance(storage, os.PathLike):
        storage = _address_of(os.fspath(storage))
    if isinstance(storage, str):
        keep_secret(storage)
    try:
        opened = _made(storage, create, read_only) if isinstance(storage, str) else storage
    except TypeError as error:
        raise StorageError(
            f"Expected {shown_address(storage)} to name a class that is made from an address and create=True or False: "
            f"{error}."
        ) from error
    if not isinstance(opened, Storage):
        raise StorageError(f"Expected a storage URL such as 'sqlite:///study.db', got {shown_address(storage):.60}.")
    return opened


def _address_of(path: str) -> str:
    """The address of a database file."""
    if "?" in path or "#" in path:
        raise StorageError(
            f"The path of a storage cannot have a ? or a # in it, got {path!r}. Rename the file or folder."
        )
    return f"sqlite:///{path}"


def _made(address: str, create: bool, read_only: bool) -> object:
    maker = resolve_storage(address)
    knows = read_only and "read_only" in signature(maker).parameters
    return maker(address, create=create and not read_only, **({"read_only": True} if knows else {}))
