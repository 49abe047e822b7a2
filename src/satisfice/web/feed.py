"""One reader of a study for any number of browsers: a snapshot, and what changed since, at most four times a second."""

import secrets
import time
from collections import deque
from collections.abc import Callable
from itertools import takewhile
from threading import Condition, RLock, Thread
from typing import Any, NamedTuple

from satisfice.errors import SatisficeError
from satisfice.search.verdict import Outcome
from satisfice.study import Study, StudyView
from satisfice.study.forecast import Forecast
from satisfice.web.document import compact_json, config_part, fixed_part, history_part, quick_part, slow_part
from satisfice.web.forecaster import Forecaster
from satisfice.web.history import History
from satisfice.web.rows import Rows

TICK_SECONDS, QUIET_SECONDS = 0.25, 1.0
"""How often the log is looked at: while a study runs, and once it has its verdict."""

FIRST_SECONDS, NEXT_SECONDS, STEADY_SECONDS = 0.2, 0.12, 0.02
"""For how long rows are computed before the first snapshot, while there are some that never were, and then."""

FEW_CONFIGS = 200
"""With more of them the first snapshot comes without what takes longer, which follows at once."""

IDLE_SECONDS = 30.0
"""How long reading goes on without anybody who looks."""

MOST_UPDATES = 240
"""Who was away for longer than these took gets a snapshot."""


class Update(NamedTuple):
    """What changed, as JSON, and the position of the log that it leads to."""

    serial: int
    position: int
    text: str


class Feed:
    """Follows a study. `snapshot` is all of it, `after` what came since a snapshot or an update.

    Its threads take turns; the study is read by one of them alone, and never written.
    """

    def __init__(self, study: Study, where: str, *, tell: Callable[[], None] = lambda: None) -> None:
        self.key = secrets.token_hex(4)
        self._study, self._where, self._tell = study, where, tell
        self._lock = RLock()
        self._wake = Condition()
        self._thread: Thread | None = None
        self._looked_at, self._readers, self._closed = time.monotonic(), 0, False
        self._updates: deque[Update] = deque(maxlen=MOST_UPDATES)
        self._serial, self._position = 0, 0
        self._view: StudyView | None = None
        self._rows: Rows | None = None
        self._history, self._forecaster = History(study), Forecaster()
        self._forecast: Forecast | None = None
        self._fixed: str = ""
        self._now: dict[str, Any] = {}
        self._parts: dict[str, Any] = {}
        self._slow_due, self._owes, self._history_seen = 0.0, False, (-1, False)
        self._trouble = ""

    def snapshot(self) -> Update:
        """All that is known; the first time it is found out what that is."""
        with self._lock:
            if self._rows is None:
                self._look(FIRST_SECONDS)
            rows = self._rows
            if rows is None:
                return Update(self._serial, 0, compact_json({"feed": self.key, "trouble": self._trouble}))
            at = sorted(rows.texts)
            text = (
                f'{self._fixed[:-1]},"feed":"{self.key}","position":{self._position},"now":{compact_json(self._now)},'
                f'"history":{compact_json(self._parts.get("history"))},"at":{compact_json(at)},'
                f'"rows":[{",".join(rows.texts[place] for place in at)}]}}'
            )
            return Update(self._serial, self._position, text)

    def after(self, serial: int) -> list[Update] | None:
        """The updates after one of that number; None if some are forgotten."""
        with self._lock:
            first = self._updates[0].serial if self._updates else self._serial + 1
            if serial < first - 1:
                return None
            news = takewhile(lambda one: one.serial > serial, reversed(self._updates))  # most often the last alone
            return list(news)[::-1]

    def since(self, position: int, key: str) -> int | None:
        """The number of the first update that led to a position, for who has seen it here; None if it is forgotten."""
        with self._lock:
            if key != self.key:
                return None
            return next((one.serial for one in self._updates if one.position == position), None)

    def config(self, place: int) -> dict[str, Any] | None:
        """One configuration with its raw results, as far as the log was read; None if there is none."""
        with self._lock:
            self.snapshot()
            names = self._study.spec.names
            if self._view is None or not 0 <= place < len(names):
                return None
            found = config_part(self._view, self._history, names[place])
            return found | {"complete": self._history.position >= self._view.position}

    @property
    def identity(self) -> str:
        """That of the study."""
        return self._study.identity

    def is_there(self) -> bool:
        """Whether the study has not been deleted since."""
        try:
            return self._study.is_there()
        except SatisficeError:  # what cannot be read is there
            return True

    def join(self) -> None:
        """Somebody looks: read from now on."""
        with self._wake:
            self._readers += 1
            self._looked_at = time.monotonic()
            if self._thread is None and not self._closed:
                self._thread = Thread(target=self._follow, name=f"feed {self._study.name:.40}", daemon=True)
                self._thread.start()

    def leave(self) -> None:
        with self._wake:
            self._readers -= 1
            self._looked_at = time.monotonic()

    @property
    def readers(self) -> int:
        return self._readers

    def close(self) -> None:
        """Read no more, also for who leaves only afterwards."""
        with self._wake:
            self._closed, thread = True, self._thread
            self._wake.notify_all()
        self._forecaster.close()
        if thread is not None:
            thread.join(5.0)
        self._study.close()

    def _follow(self) -> None:
        while True:
            began = time.monotonic()
            with self._wake:
                if self._closed or (not self._readers and began > self._looked_at + IDLE_SECONDS):
                    self._thread = None
                    return
            with self._lock:
                first = self._rows is None
                rows = self._rows
                fresh = rows is not None and rows.waiting and len(rows.known) < len(rows.texts)
                self._look(FIRST_SECONDS if first else NEXT_SECONDS if fresh else STEADY_SECONDS)
                if self._view is not None and self._readers and self._history_seen[1]:
                    self._forecaster.consider(self._view, self._history.past)
                ended = self._view is not None and self._view.outcome is not Outcome.UNDECIDED
                busy = self._rows is None or self._rows.waiting or not self._history_seen[1]
            pause = QUIET_SECONDS if ended and not busy else TICK_SECONDS
            with self._wake:
                if not self._closed:
                    self._wake.wait(max(0.05, pause - (time.monotonic() - began)))

    def _look(self, seconds: float) -> None:
        """Read what is new, and make an update of it if anything changed."""
        try:
            changed = self._read(seconds)
        except SatisficeError as error:
            changed = {"now": {"trouble": str(error)}} if str(error) != self._trouble else {}
            self._trouble = str(error)
            self._now["trouble"] = self._trouble
        if changed:
            self._serial += 1
            text = compact_json({"feed": self.key, "position": self._position, **changed})
            self._updates.append(Update(self._serial, self._position, text))
            self._tell()

    def _read(self, seconds: float) -> dict[str, Any]:
        self._view = None  # what nobody looks at need not be copied when the study moves on
        view = self._view = self._study.view()
        first = self._rows is None
        if self._rows is None:
            self._fixed = compact_json(fixed_part(view, self._where) | {"names": list(view.spec.names)})
            self._rows = Rows(view)
        rows = self._rows
        changed: dict[str, Any] = {}
        forecast = self._forecaster.latest
        still = view.position == self._position and not (rows.waiting or self._owes) and self._history_seen[1]
        if still and not self._trouble and forecast is self._forecast:
            return changed
        places = rows.refresh(view, seconds=seconds)
        waits = first and len(view.spec.names) > FEW_CONFIGS
        caught_up = self._history.follow(view, seconds=NEXT_SECONDS if waits else seconds)
        moved = view.position != self._position
        self._position = view.position
        seen = moved or places or not caught_up or forecast is not self._forecast
        now = quick_part(view, rows, self._history, forecast) if seen else {}
        self._forecast = forecast
        if waits:
            now |= slow_part(view, quick=True)
            self._owes = True
        elif (moved or self._owes) and time.monotonic() >= self._slow_due:
            began, self._owes = time.monotonic(), False
            now |= slow_part(view)
            self._slow_due = time.monotonic() + max(1.0, 30 * (time.monotonic() - began))
        now |= {"trouble": ""}
        self._trouble = ""
        if news := {name: value for name, value in now.items() if self._now.get(name, self) != value}:
            self._now |= news
            changed["now"] = news
        if places:
            changed |= {"at": places, "rows": [rows.values(place) for place in places]}
        if (drawn := (self._history.revision, caught_up)) != self._history_seen:
            self._history_seen = drawn
            changed["history"] = self._parts["history"] = history_part(view, self._history)
        return changed
