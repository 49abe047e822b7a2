"""A log as a text file: a line for each event, its kind and its body. Seals follow from these."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from satisfice.search.verdict import Verdict
from satisfice.study.events import BEFORE_ALL, Event, digest_of, stored
from satisfice.study.storage.memory import MemoryStorage

FOLDER = Path(__file__).parent / "logs"
HEADS = Path(__file__).parent / "heads.json"
"""What `verify` says of each log: its number of events, its head and its verdict."""


def said(verdict: Verdict | None) -> dict[str, object]:
    """What a verdict says, without its words."""
    assert verdict is not None
    named = {name: getattr(verdict, name) for name in ("arm", "accepted", "rejected")}
    return {"outcome": str(verdict.outcome), "evaluations": verdict.evaluations, **named}


def write(name: str, events: Iterable[Event]) -> None:
    lines = [f"{event.kind} {event.body}\n" for event in events]
    (FOLDER / f"{name}.log").write_text("".join(lines), encoding="utf-8", newline="")


def read(name: str) -> MemoryStorage:
    """A storage with the study in it."""
    events = list(_events((FOLDER / f"{name}.log").read_bytes().decode().split("\n")[:-1]))
    storage = MemoryStorage()
    log = storage.create(name, events[0])
    log.extend(1, lambda news: events[1:])
    return storage


def _events(lines: Iterable[str]) -> Iterator[Event]:
    seal = BEFORE_ALL
    for position, line in enumerate(lines, 1):
        kind, _, body = line.partition(" ")
        seal = digest_of(seal, position, kind, body)
        yield stored(position, kind, body, seal)
