"""satisfice backup."""

from pathlib import Path

from satisfice.cli import options


def backup(storage: str = options.BACKED_UP, file: Path = options.BACKUP_FILE) -> None:
    """Copy a storage into a new SQLite file, also while workers run; a file that is there is never overwritten.

    The storage may be an SQLite file, a PostgreSQL database, a server or one of your own. Only you may read the copy.
    """
    from satisfice.cli.lookup import storage_of
    from satisfice.layout.numbers import counted
    from satisfice.show.sentence import answer
    from satisfice.study.storage.backup import back_up

    names = back_up(storage_of(storage), file)
    answer(f"copied {counted(len(names), 'study', 'studies')} to {file}")
