"""Snapshots: the state of a study as bytes, so that opening a long one does not mean to replay it from the start."""

import io

import numpy as np

from satisfice.study.spec import Spec
from satisfice.study.state import Replay
from satisfice.study.storage.protocol import EventLog, Snapshot

STATE = 2
"""Counts up when what a state consists of changes: a snapshot of another kind is not used."""

SNAPSHOT_EVERY = 2000
"""After how many events a snapshot is taken."""


def taken(replay: Replay) -> Snapshot:
    """The state as it is now."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **replay.state())
    return Snapshot(replay.position, replay.head, _version(), buffer.getvalue())


def restored(spec: Spec, snapshot: Snapshot) -> Replay:
    """A replay that stands where the snapshot was taken."""
    replay = Replay(spec)
    with np.load(io.BytesIO(snapshot.data), allow_pickle=False) as arrays:
        replay.restore({name: arrays[name] for name in arrays.files})
    return replay


def loaded(spec: Spec, log: EventLog) -> Replay:
    """The state of a study: from its latest snapshot if that fits, and the events after it."""
    snapshot = log.snapshot()
    replay = restored(spec, snapshot) if snapshot is not None and _fits(snapshot, log) else Replay(spec)
    for event in log.read(replay.position):
        replay.apply(event)
    return replay


def _fits(snapshot: Snapshot, log: EventLog) -> bool:
    """Whether the snapshot is of this version and of the event that stands in the log at its position."""
    if snapshot.version != _version():
        return False
    event = next(iter(log.read(snapshot.position - 1)), None)
    return event is not None and (event.position, event.digest) == (snapshot.position, snapshot.digest)


def _version() -> str:
    from satisfice import __version__  # noqa: PLC0415 - the package is loaded by then

    return f"{__version__}, state {STATE}"
