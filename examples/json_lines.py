"""A storage of one's own: each study is a text file in a folder, with one line for each step. For one machine."""

import fcntl
import json
import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote

from satisfice.study.storage import Decide, Event, StudySummary, no_such_study, stored, study_exists, summary_of


class JsonLinesLog:
    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, after: int) -> Iterator[Event]:
        whole = self._path.read_bytes().rpartition(b"\n")[0]  # a line that a crash cut off does not count
        events = (stored(*row) for line in whole.splitlines() for row in json.loads(line))
        return (event for event in events if event.position > after)

    def extend(self, after: int, decide: Decide) -> None:
        with self._path.open("r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # until the file is closed
            made = decide(list(self.read(after)))
            if made:
                file.truncate(file.seek(file.read().rfind(b"\n") + 1))
                file.write(
                    json.dumps([(one.position, one.kind, one.body, one.digest) for one in made]).encode() + b"\n"
                )
                file.flush()
                os.fsync(file.fileno())

    def close(self) -> None:
        """Nothing stays open."""


class JsonLines:
    def __init__(self, address: str, *, create: bool = True) -> None:
        self._folder = Path(address.partition("://")[2])
        if create:
            self._folder.mkdir(parents=True, exist_ok=True)

    def __str__(self) -> str:
        return f"the folder {self._folder}"

    def create(self, name: str, first: Event) -> JsonLinesLog:
        draft = self._folder / f".{first.content['identity']}"
        draft.touch()
        JsonLinesLog(draft).extend(0, lambda news: [first])
        try:
            os.link(draft, self._path(name))  # there as a whole, or not at all
        except FileExistsError:
            raise study_exists(name, str(self)) from None
        finally:
            draft.unlink()
        return self.open(name)

    def open(self, name: str) -> JsonLinesLog:
        if not self._path(name).exists():
            raise no_such_study(name, (one.name for one in self.studies()), str(self))
        return JsonLinesLog(self._path(name))

    def studies(self) -> tuple[StudySummary, ...]:
        paths = sorted(self._folder.glob("*.jsonl"))
        return tuple(summary_of(unquote(path.stem), JsonLinesLog(path).read(0)) for path in paths)

    def close(self) -> None:
        """Nothing stays open."""

    def _path(self, name: str) -> Path:
        return self._folder / f"{quote(name, safe='')}.jsonl"
