"""Copies of a state: snapshots in the log, to open a long study quickly, and checkpoints in memory, to undo a step."""

import io

import numpy as np

from satisfice.study.spec import Spec
from satisfice.study.state import State, StudyState
from satisfice.study.storage.protocol import EventLog, KeepsSnapshots, Snapshot

STATE = 4
"""Counts up when what a state consists of changes: a snapshot of another kind is not used."""

SNAPSHOT_EVERY_EVENTS = 2000
CHECKPOINT_EVERY_EVENTS = 1000
"""A step that fails costs a replay of at most so many events, or of a tenth as many as there are configs."""


class Checkpoint:
    """A copy of a state that is made anew now and then, as the state moves on."""

    def __init__(self, state: StudyState) -> None:
        self._spec = state.spec
        self._every = max(CHECKPOINT_EVERY_EVENTS, len(state.spec.configs) // 10)
        self._take(state)

    def follow(self, state: StudyState) -> None:
        """Copy the state if it is far enough from the last copy; all its events must be durable."""
        if state.position >= self._position + self._every:
            self._take(state)

    def restored(self) -> StudyState:
        """The state as it was when it was copied."""
        return _made(self._spec, self._state)

    def _take(self, state: StudyState) -> None:
        self._position, self._state = state.position, state.state()


def taken(state: StudyState) -> Snapshot:
    """The state as it is now."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **state.state())
    return Snapshot(state.position, state.head, _version(), buffer.getvalue())


def latest(spec: Spec, log: EventLog) -> StudyState | None:
    """The state in the latest snapshot of a log; None if there is none, or only one of another version."""
    snapshot = log.snapshot() if isinstance(log, KeepsSnapshots) else None
    return restored(spec, snapshot) if snapshot is not None and snapshot.version == _version() else None


def restored(spec: Spec, snapshot: Snapshot) -> StudyState:
    """The state where the snapshot was taken."""
    with np.load(io.BytesIO(snapshot.data), allow_pickle=False) as arrays:
        return _made(spec, {name: arrays[name] for name in arrays.files})


def loaded(spec: Spec, log: EventLog) -> StudyState:
    """The state of a study: from its latest snapshot if that fits, and the events after it."""
    state = latest(spec, log)
    if state is None or not _fits(state, log):
        state = StudyState(spec)
    for event in log.read(state.position):
        state.apply(event)
    return state


def _fits(state: StudyState, log: EventLog) -> bool:
    """Whether the state is that of the event which stands in the log at its position."""
    event = next(iter(log.read(state.position - 1)), None)
    return event is not None and (event.position, event.digest) == (state.position, state.head)


def _made(spec: Spec, arrays: State) -> StudyState:
    state = StudyState(spec)
    state.restore(arrays)
    return state


def _version() -> str:
    from satisfice import __version__  # noqa: PLC0415 - the package is loaded by then

    return f"{__version__}, state {STATE}"
