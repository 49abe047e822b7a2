"""A copy of a storage in an SQLite file of its own, made while others write to it."""

import os
import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from satisfice.errors import InvalidStorage, writing
from satisfice.study.errors import name_needed
from satisfice.study.storage.protocol import CopiesItself, KeepsSnapshots, Storage, open_storage
from satisfice.study.storage.sql_schema import make_private


def back_up(address: str, file: str | os.PathLike[str]) -> tuple[str, ...]:
    """Copy all studies of a storage into a new SQLite file that only its owner may read; their names.

    Each log is as it was at one moment and verifies. Of a database file that moment is the same for all of them.
    """
    with closing(_opened(address)) as source:
        names = tuple(found.name for found in source.studies())
        if not names:
            raise name_needed((), str(source))
        path = os.fspath(file)
        with writing("The copy", path):
            made = make_private(path)
        if not made:
            raise InvalidStorage(f"There is a file {path!r} already, and it is left as it is. Give another name.")
        try:
            return _copied_whole(source, Path(path)) or _copied_by_study(address, names, Path(path))
        except BaseException:
            for end in ("", "-journal", "-wal", "-shm"):
                with suppress(OSError):
                    os.unlink(f"{path}{end}")
            raise


def _opened(address: str) -> Storage:
    return open_storage(address, create=False, read_only=True)


def _copied_whole(source: Storage, file: Path) -> tuple[str, ...]:
    """The names in the copy; none if the storage copies no file at once."""
    if not isinstance(source, CopiesItself):
        return ()
    with closing(sqlite3.connect(file)) as other:
        if not source.copy_into(other):
            return ()
    with closing(_opened(f"sqlite:///{file}")) as made:
        return tuple(found.name for found in made.studies())


def _copied_by_study(address: str, names: tuple[str, ...], file: Path) -> tuple[str, ...]:
    with closing(open_storage(file)) as target:
        for name in names:
            _copy_log(_opened(address), target, name)
    return names


def _copy_log(source: Storage, target: Storage, name: str) -> None:
    """Copy the events of a study up to one of them, and a snapshot of before, if there is one."""
    with closing(source), closing(source.open(name)) as log:
        snapshot = log.snapshot() if isinstance(log, KeepsSnapshots) else None
        first, *rest = log.read(0)
        with closing(target.create(name, first)) as copy:
            copy.extend(first.position, lambda _: rest)
            if snapshot is not None and isinstance(copy, KeepsSnapshots):
                copy.keep(snapshot)
