"""What databases complain about, as sentences; passwords never appear in them."""

from sqlalchemy.exc import DBAPIError

from satisfice.errors import StorageError, StorageUnreachable
from satisfice.study.storage.passwords import hidden

AGAIN = "Nothing that was recorded is lost; run the same again when it is."

SENTENCES: tuple[tuple[str, str], ...] = (
    ("password authentication failed", "{where} refuses the user name or the password. Check both in the URL."),
    ("no password supplied", "{where} asks for a password, and the URL has none."),
    ("no pg_hba.conf entry", "{where} does not let this user in from this machine. Ask who runs the server."),
    ("role", "{where} does not know this user. Check the user name in the URL."),
    ("readonly database", "{where} can be read but not written. Make the file and its folder writable. " + AGAIN),
    ("read-only transaction", "{where} can be read but not written. Use the main server, not a replica."),
    ("disk is full", "The disk of {where} is full. Make room. " + AGAIN),
    ("no space left", "The disk of {where} is full. Make room. " + AGAIN),
    ("could not extend file", "The disk of {where} is full. Make room. " + AGAIN),
    ("disk i/o error", "The disk of {where} could not be read or written. Check it for free space and for errors."),
    ("file is not a database", "{where} is not an SQLite database. Give another file name; this file was not changed."),
    ("malformed", "{where} is damaged: SQLite cannot read it. Restore it from a backup."),
    ("unable to open database file", "{where} cannot be opened. Is its folder there, and may it be written?"),
    ("permission denied", "{where} does not allow this. Give its user the right to make and change tables there."),
)
UNREACHABLE = (
    "connection", "connect", "server closed", "starting up", "shutting down", "recovery", "terminat", "timeout",
    "could not translate", "resolve", "not currently accepting",
)  # fmt: skip
"""Words by which a database says that it cannot be reached now; the rest is a mistake that stays one."""


def told_beside(error: Exception) -> Exception | None:
    """What a traceback may show as the cause: the error itself, unless a password is in it."""
    return error if hidden(str(error)) == str(error) else None


def sentence_for(error: Exception, where: str) -> StorageError:
    """An error of SQLAlchemy or of a driver as one of ours."""
    cause = getattr(error, "orig", None) or error
    said = hidden(" ".join(str(cause).split()))
    low = said.lower()
    if "database is locked" in low:
        return StorageUnreachable(
            f"{where} was locked by another process for too long. Is one of them stopped in the middle? {AGAIN}"
        )
    if "database" in low and "does not exist" in low:
        return StorageError(f"The database of {where} does not exist. Create it, or correct the URL.")
    for words, sentence in SENTENCES:
        if words in low and (words != "role" or "does not exist" in low):
            return StorageError(sentence.format(where=where))
    lost = isinstance(error, DBAPIError) and error.connection_invalidated
    lost = lost or (type(cause).__name__ == "OperationalError" and getattr(cause, "sqlstate", "") is None)
    if lost or any(word in low for word in UNREACHABLE):
        return StorageUnreachable(f"{where} does not answer ({said:.200}). Is the server running and the URL right?")
    return StorageError(f"{where} failed: {said:.300}")
