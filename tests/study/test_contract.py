"""The contract of event logs: kept by all of ours, and able to fail."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from satisfice.errors import BrokenContract
from satisfice.study.events import Event
from satisfice.study.storage.memory import MemoryLog, MemoryStorage
from satisfice.study.storage.protocol import Beat, Decide, Snapshot, open_storage
from satisfice.testing import check_storage


def test_every_storage_keeps_the_contract(storage: Any) -> None:
    check_storage(open_storage(storage))


class Forgetful(MemoryLog):
    def read(self, after: int) -> Iterator[Event]:
        return iter(list(super().read(after))[:3])


class Hasty(MemoryLog):
    def extend(self, after: int, decide: Decide) -> None:
        made: list[Event] = []
        try:
            made = list(decide(list(self.read(after))))
        except KeyError:
            self._rows.append(self._rows[-1])
            raise
        super().extend(after, lambda news: made)


class Unlocked(MemoryLog):
    def extend(self, after: int, decide: Decide) -> None:
        import time  # noqa: PLC0415

        news = list(self.read(after))
        time.sleep(0.001)
        for event in decide(news):
            self._append(event)


class Immortal(MemoryLog):
    def forget_beats(self, numbers: Sequence[int]) -> None:
        self._beats.setdefault(1, Beat(0, 0.0))


class OldHead(MemoryLog):
    def about(self, number: int) -> list[Event]:
        return [event for event in self.read(0) if event.number == number]

    def head(self) -> tuple[int, str]:
        return 1, self._rows[0][3]


class FirstSnapshot(MemoryLog):
    kept: Snapshot | None = None

    def snapshot(self) -> Snapshot | None:
        return self.kept

    def keep(self, snapshot: Snapshot) -> None:
        self.kept = self.kept or snapshot


@pytest.mark.parametrize("broken", [Forgetful, Hasty, Unlocked, Immortal, OldHead, FirstSnapshot])
def test_the_contract_can_fail(broken: type[MemoryLog]) -> None:
    class Storage(MemoryStorage):
        def create(self, name: str, first: Event) -> MemoryLog:
            super().create(name, first)
            self._logs[name] = broken(first)
            return self._logs[name]

    with pytest.raises(BrokenContract, match=broken.__name__):
        check_storage(Storage())
