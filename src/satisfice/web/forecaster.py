"""Forecasts beside a study that is followed: in another process and at low priority, so that nobody waits for them."""

import os
import pickle
import subprocess
import sys
from contextlib import suppress
from threading import Lock, Thread
from time import monotonic

from satisfice.search.verdict import Outcome
from satisfice.study import Study, StudyView
from satisfice.study.forecast import MOST_CONFIGS, Beginning, Forecast, beginning_from, beginning_of, forecast
from satisfice.study.past_results import PastResults
from satisfice.study.spec import spec_of_content
from satisfice.study.storage.passwords import environment_without_secrets

FIRST_SECONDS, MOST_SECONDS = 1.0, 16.0
"""Of processor time that a forecast may take: the first one, and later ones where runs were cut off."""

REST, LEAST_REST_SECONDS = 40, 5.0
"""After a forecast that took t seconds there is no other for REST * t seconds, and for LEAST_REST_SECONDS at least."""

PATIENCE_SECONDS = 120.0
"""A process that takes longer is ended: others need the processor."""

NICE = 5
"""Where the processor is busy whoever evaluates comes first; with much more than that a forecast may never come."""


class Forecaster:
    """Makes forecasts of one study, one at a time; `latest` is the last one, None where there is none."""

    def __init__(self) -> None:
        self.latest: Forecast | None = None
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._busy = self._closed = False
        self._seconds, self._due, self._position = FIRST_SECONDS, 0.0, -1

    def once(self, study: Study) -> Forecast | None:
        """A forecast now, of a study that nobody else reads at the same time; None if it is too early or too late."""
        beginning = beginning_from(study.view(), lambda after, until: study.events(until, after=after))
        return None if beginning is None else self._asked(packed(beginning, FIRST_SECONDS))

    def consider(self, view: StudyView, results: PastResults) -> None:
        """Begin a forecast if it is time for one and there is something new; returns at once."""
        if view.outcome is not Outcome.UNDECIDED:
            self.latest = None
            return
        wanted = view.position != self._position and len(view.spec.names) <= MOST_CONFIGS
        if not wanted or self._busy or self._closed or monotonic() < self._due:
            return
        self._busy, self._position = True, view.position
        task = packed(beginning_of(view, results.by_line), self._seconds)
        Thread(target=self._work, args=(task,), name=f"forecast {view.name:.40}", daemon=True).start()

    def close(self) -> None:
        """Make no more."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()

    def _work(self, task: bytes) -> None:
        began = monotonic()
        found = self._asked(task)
        if found is not None:
            self.latest = found
            cut = found.evaluations_90 is None
            self._seconds = min(MOST_SECONDS, 2 * self._seconds) if cut else self._seconds
        self._due = monotonic() + max(LEAST_REST_SECONDS, REST * min(self._seconds, monotonic() - began))
        self._busy = False

    def _asked(self, task: bytes) -> Forecast | None:
        command = [sys.executable, "-m", "satisfice.web.forecaster"]
        quiet = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        own = environment_without_secrets()
        with suppress(OSError, ValueError, subprocess.TimeoutExpired, pickle.UnpicklingError, EOFError):
            with self._lock:
                if self._closed:
                    return None
                process = self._process = subprocess.Popen(command, env=own, **quiet)  # type: ignore[call-overload]
            try:
                answer, _ = process.communicate(task, timeout=PATIENCE_SECONDS)
            finally:
                process.kill()
                process.wait()
                self._process = None
            found = pickle.loads(answer) if process.returncode == 0 else None
            return found if isinstance(found, Forecast) else None
        return None


def packed(beginning: Beginning, seconds: float) -> bytes:
    """A forecast to be made, for another process of this program."""
    said = beginning._replace(spec=beginning.spec.as_content())  # type: ignore[arg-type]  # what is made of it stays here
    return pickle.dumps((tuple(said), seconds), protocol=pickle.HIGHEST_PROTOCOL)


def main() -> None:
    """Read a task, write the forecast: both as this very program writes them."""
    with suppress(OSError, AttributeError):
        os.nice(NICE)
    (content, *rest), seconds = pickle.load(sys.stdin.buffer)
    beginning = Beginning(spec_of_content(content), *rest)
    sys.stdout.buffer.write(pickle.dumps(forecast(beginning, seconds=seconds)))


if __name__ == "__main__":
    main()
