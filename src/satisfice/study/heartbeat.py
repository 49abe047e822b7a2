"""Signs of life of evaluations under way, from a thread beside them."""

from contextlib import suppress
from threading import Event, Lock, Thread
from typing import TYPE_CHECKING

from satisfice.errors import SatisficeError
from satisfice.study.pull import Pull

if TYPE_CHECKING:
    from satisfice.study.study import Study

BEATS_A_LEASE = 3


class Heartbeat:
    """Extends the leases of the pulls that it holds, for as long as they take."""

    def __init__(self, study: "Study", lease: float) -> None:
        self._study, self._pause = study, lease / BEATS_A_LEASE
        self._holding: dict[str, Pull] = {}
        self._lock, self._over = Lock(), Event()
        self._thread = Thread(target=self._beat, daemon=True)

    def __enter__(self) -> "Heartbeat":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def hold(self, pull: Pull) -> None:
        with self._lock:
            self._holding[pull.id] = pull

    def drop(self, pull: Pull) -> None:
        with self._lock:
            self._holding.pop(pull.id, None)

    def _beat(self) -> None:
        before: set[str] = set()
        while not self._over.wait(self._pause):
            with self._lock:
                pulls = dict(self._holding)
            old = [pull for one, pull in pulls.items() if one in before]  # new ones have a fresh lease
            with suppress(SatisficeError):  # one was given away, which is noticed when it is told
                self._study.heartbeat(*old)
            before = set(pulls)
