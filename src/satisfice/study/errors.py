"""Sentences about studies that are or are not there."""

from collections.abc import Iterable
from difflib import get_close_matches

from satisfice.errors import StudyExists, UnknownStudy


def no_such_study(name: str, known: Iterable[str], where: str) -> UnknownStudy:
    names = sorted(known)
    nearest = get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f" Did you mean {nearest[0]!r}?" if nearest else ""
    there = ", ".join(map(repr, names[:10])) + (", ..." if len(names) > 10 else "")
    return UnknownStudy(f"There is no study {name!r} in {where}.{hint} Studies there: {there or 'none'}.")


def name_needed(known: Iterable[str], where: str) -> UnknownStudy:
    names = sorted(known)
    if not names:
        return UnknownStudy(f"There is no study in {where}. Create one with create_study or `satisfice run`.")
    return UnknownStudy(
        f"There are {len(names)} studies in {where}; say which one: {', '.join(map(repr, names[:10]))}"
        f"{', ...' if len(names) > 10 else ''}."
    )


def study_exists(name: str, where: str) -> StudyExists:
    return StudyExists(
        f"There is a study {name!r} in {where} already. Pass load_if_exists=True to go on with it, or another name."
    )
