"""What a list says of a study, kept beside its log, so that a list of a thousand studies opens none of them.

A summary is a cache, of no effect on what a study says. It is used as long as the log ends where it did when it was
taken, and nobody changed the text. Whoever can write the file can write both anew, as the log itself: a list is no
judge, `verify` is.
"""

import json
from hashlib import sha256
from typing import Any, NamedTuple

from satisfice.search.verdict import Outcome
from satisfice.study.event_checks import Check, is_list, is_table, is_text, is_time, is_whole
from satisfice.study.events import canonical
from satisfice.study.snapshots import code_version
from satisfice.study.trust import foreign_names
from satisfice.study.view import StudyView

FIELDS: dict[str, Check] = {
    "created_at": is_time,
    "outcome": lambda value: value in tuple(Outcome),
    "named": is_text,
    "config": lambda value: value is None or is_text(value),
    "accepted": lambda value: is_list(value) and all(map(is_text, value)),
    "configs": is_whole,
    "evaluations": is_whole,
    "running": lambda value: value == 0,
}
"""What a summary has, written by whoever can write the file."""


class KeptSummary(NamedTuple):
    """What a list says of a study whose log ends with the seal `head`; `seal` is of both."""

    identity: str
    head: str
    text: str
    seal: str


def said_of(view: StudyView) -> dict[str, Any]:
    """What a list says of a study."""
    verdict = view.verdict
    return {
        "created_at": view.created_at,
        "outcome": str(verdict.outcome),
        "named": verdict.named,
        "config": verdict.arm,
        "accepted": list(verdict.accepted),
        "configs": len(view.spec.names),
        "evaluations": verdict.evaluations,
        "running": sum(view.running.values()),
    }


def summary_to_keep(view: StudyView) -> KeptSummary | None:
    """What is to be kept; None where that would be another one soon, or by code that is not trusted later."""
    said = said_of(view)
    if said["running"] or foreign_names(view.spec):
        return None
    text = canonical({"version": code_version(), **said})
    return KeptSummary(view.identity, view.head, text, _seal(view.identity, view.head, text))


def said_in(kept: KeptSummary) -> dict[str, Any] | None:
    """What a kept summary says; None if it was changed, or is of another version."""
    if not is_text(kept.text) or kept.seal != _seal(kept.identity, kept.head, kept.text):
        return None
    try:
        said = json.loads(kept.text)
    except (ValueError, RecursionError):
        return None
    if not is_table(said) or said.pop("version", None) != code_version() or said.keys() != FIELDS.keys():
        return None
    return said if all(check(said[name]) for name, check in FIELDS.items()) else None


def _seal(identity: str, head: str, text: str) -> str:
    return sha256(f"{identity}\n{head}\n{text}".encode()).hexdigest()
