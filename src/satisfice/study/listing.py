"""The studies of a storage with what each came to: one list, for the command line and for the page."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from satisfice.errors import SatisficeError, StorageError, StorageUnreachable, UntrustedCode
from satisfice.study.event_checks import is_text, is_time, is_whole
from satisfice.study.storage.protocol import (
    EventLog,
    KeepsSummaries,
    ListsItself,
    SharesAConnection,
    Storage,
    StudySummary,
)
from satisfice.study.study import Study
from satisfice.study.summary import KeptSummary, said_in, said_of, summary_to_keep
from satisfice.study.trust import Trusted

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class StudyRow:
    """A study in a list: `outcome` is None until it was opened, and where `trouble` says why it cannot be.

    `named` is the verdict's config or configs in words, and `untrusted` is code without which it is not opened.
    """

    name: str
    created: str
    events: int
    identity: str = ""
    outcome: str | None = None
    named: str | None = None
    config: str | None = None
    accepted: tuple[str, ...] = ()
    configs: int | None = None
    evaluations: int | None = None
    running: int = 0
    trouble: str = ""
    untrusted: tuple[str, ...] = ()

    @property
    def minute(self) -> str:
        """When it was created, in short."""
        return self.created[: len("2026-01-01 00:00")]

    def as_content(self) -> dict[str, Any]:
        """The row as JSON can write it."""
        return asdict(self)


class StudyList:
    """The studies of one storage; each is opened once, and again when its log has grown."""

    def __init__(self, storage: Storage, trusted: Trusted = False) -> None:
        self._storage, self._trusted = storage, trusted
        self._found: dict[tuple[str, str, int], dict[str, Any]] = {}
        self._to_keep: list[KeptSummary] = []

    def rows(self) -> list[StudyRow]:
        """What is known of each, by name; those with neither outcome nor trouble are still to be found out."""
        there = self._storage.studies()
        known = {key: self._found[key] for key in map(_key, there) if key in self._found}
        self._found = known
        return [StudyRow(**{**_named(one), **known.get(_key(one), {})}) for one in there]

    def find_out(self) -> None:
        """Open those that are new or have grown, one after the other; what is wrong with one is said in its row.

        What is kept beside their logs needs none of that, and what was found out is kept there.
        """
        keeps = self._storage if isinstance(self._storage, KeepsSummaries) else None
        there = [one for one in self._storage.studies() if _key(one) not in self._found]
        known = keeps.summaries() if keeps is not None and there else {}
        for one in there:
            if one.identity in known and (said := said_in(known[one.identity])) is not None:
                self._found[_key(one)] = _row_of(said)
        there = [one for one in there if _key(one) not in self._found]
        if not there:
            return
        with _opener(self._storage) as opened:
            for one in there:
                self._found[_key(one)] = self._said_of(one, opened)
        if keeps is not None and self._to_keep:
            with suppress(StorageError):  # it may be read only
                keeps.keep_summaries(self._to_keep)
        self._to_keep.clear()

    def complete(self) -> list[StudyRow]:
        """All that is known of each, found out now."""
        if isinstance(self._storage, ListsItself):
            return [StudyRow(**one) for one in self._storage.listed()]
        self.find_out()
        return self.rows()

    def _said_of(self, one: StudySummary, opened: Callable[[str], EventLog]) -> dict[str, Any]:
        try:
            with Study(one.name, opened(one.name), trusted=self._trusted) as study:
                view = study.view()
                self._to_keep += [found] if (found := summary_to_keep(view)) is not None else []
                return _row_of(said_of(view))
        except StorageUnreachable:
            raise
        except UntrustedCode as error:
            return {"trouble": str(error), "untrusted": error.names}
        except Exception as error:  # whatever stands in a log, the other studies are shown
            sentence = isinstance(error, SatisficeError)
            return {
                "trouble": str(error) if sentence else f"It cannot be read: {type(error).__name__}: {error!s:.200}."
            }


def _row_of(said: dict[str, Any]) -> dict[str, Any]:
    """What is said of a study as fields of its row."""
    fields = {name: value for name, value in said.items() if name != "created_at"}
    return fields | {"created": moment(said["created_at"]), "accepted": tuple(said["accepted"])}


def moment(at: float) -> str:
    """A time, in that of the whole world; nothing for what is no time."""
    return f"{EPOCH + timedelta(seconds=at):%Y-%m-%d %H:%M:%S} UTC" if is_time(at) else ""


def _key(one: StudySummary) -> tuple[str, str, int]:
    """What another study of that name, or more events, change."""
    return one.name, one.identity, one.events


def _named(one: StudySummary) -> dict[str, Any]:
    """What a storage says of a study, as far as that can be."""
    name = one.name if is_text(one.name) else repr(one.name)
    return {
        "name": name,
        "created": moment(one.created_at),
        "events": one.events if is_whole(one.events) else 0,
        "identity": str(one.identity),
    }


@contextmanager
def _opener(storage: Storage) -> Iterator[Callable[[str], EventLog]]:
    """How the logs of many studies are opened, over one connection where the storage has that."""
    if not isinstance(storage, SharesAConnection):
        yield storage.open
        return
    with storage.sharing() as opened:
        yield opened
