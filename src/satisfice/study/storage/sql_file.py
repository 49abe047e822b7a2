"""The file of an SQLite storage: how it may be opened, and whether it is still the one that was opened."""

import os
from pathlib import Path
from urllib.parse import quote

from satisfice.errors import StorageError


def address_for_reading(path: str) -> str | None:
    """How SQLite opens a file that cannot be written, or lies where nothing can be; None for any other.

    Beside a database SQLite keeps a log of what was written last, PATH-wal. Where it is not there and cannot be made
    nobody is writing, and the file can be read as one that does not change.
    """
    file = Path(path)
    folder_open, file_open = _writable(file.parent), _writable(file)
    if not file.exists() or (folder_open and file_open):
        return None
    alone = not folder_open and not Path(f"{path}-wal").exists()
    return f"file:{quote(path)}?{'immutable=1' if alone else 'mode=ro'}"


def make_private(path: str) -> bool:
    """Make an empty file that nobody but its owner may read, as programs' words come into it; whether none was there.

    What SQLite puts beside a file may be read by those who may read the file.
    """
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        return False
    return True


def _writable(path: Path) -> bool:
    return os.access(path, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


class SameFile:
    """Notices when a file was removed, renamed or replaced since `note`: what is written then is lost to all others."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)
        self._noted: tuple[int, int] | None = None

    def note(self) -> None:
        self._noted = self._found()

    def check(self) -> None:
        if self._noted is not None and self._found() != self._noted:
            happened = "replaced" if self._path.exists() else "deleted or renamed"
            raise StorageError(
                f"The file {str(self._path)!r} was {happened} while this study was using it. What was recorded is in "
                "that file, wherever it is now; nothing more is written to it. Put it back and run the same again."
            )

    def _found(self) -> tuple[int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino
