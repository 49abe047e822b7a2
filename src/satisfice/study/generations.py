"""Studies that measure anew what was measured before: NAME, NAME-2, NAME-3, and so on."""

import re
from collections.abc import Iterator
from itertools import count

from satisfice.study.storage.protocol import Storage
from satisfice.study.subject import subject_in


def newest_generation(storage: Storage, name: str) -> str:
    """The last of the studies that follow the one of that name; itself if none does.

    That a study is called NAME-2 is not enough: it must have been made to follow NAME.
    """
    followers = _numbered(storage, name)
    return next(
        (followers[one] for one in sorted(followers, reverse=True) if _follows(storage, followers[one], name)), name
    )


def only_newest(storage: Storage) -> str | None:
    """The newest study of a storage in which all others are its earlier generations; None if there are several."""
    names = [one.name for one in storage.studies()]
    first = min(names, key=len, default="")
    numbered = _numbered(storage, first).values()
    alone = all(one == first or (one in numbered and _follows(storage, one, first)) for one in names)
    return newest_generation(storage, first) if names and alone else None


def names_anew(storage: Storage, name: str) -> Iterator[str]:
    """Names for one more generation, the first that seems free and then on: another process may be quicker."""
    taken = {one.name for one in storage.studies()}
    if name not in taken:
        yield name
    last = max(_numbered(storage, name), default=1)
    yield from (f"{name}-{number}" for number in count(last + 1))


def _numbered(storage: Storage, name: str) -> dict[int, str]:
    found = (re.fullmatch(rf"{re.escape(name)}-([1-9][0-9]*)", one.name) for one in storage.studies())
    return {int(match[1]): match[0] for match in found if match and int(match[1]) > 1}


def _follows(storage: Storage, follower: str, name: str) -> bool:
    log = storage.open(follower)
    try:
        subject = subject_in(next(iter(log.read(0))).content)
    finally:
        log.close()
    return subject is not None and subject.generation_of == name
