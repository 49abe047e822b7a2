"""Copies of a state: snapshots beside the log, to open a long study quickly, and checkpoints in memory, to undo a step.

A snapshot is a cache. It lies beside the log, where whoever can write the file can put another one, so it is used only
if the log vouches for it: when one is taken, an event with the digest of its bytes is appended, sealed like all others.
To forge a snapshot is then to forge the log, which `verify` and a noted head find out. That costs one small event in
five thousand, and needs no secret that every machine of a study would have to share. Without such an event
and whatever else may be wrong with a snapshot, the log is replayed as if there were none.

What is unpacked has the names, kinds and sizes that were expected, or is refused.
"""

import io
import zipfile
from collections.abc import Mapping
from contextlib import suppress
from hashlib import sha256
from math import prod
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from satisfice.errors import StorageError
from satisfice.study.events import Event, Kind
from satisfice.study.spec import Spec
from satisfice.study.state import State, StudyState, arrays_of, restore
from satisfice.study.storage.protocol import EventLog, KeepsSnapshots, Snapshot

Arrays = Mapping[str, NDArray[Any]]

MOST_BYTES = 2**28
"""By how much what is unpacked may be larger than what it should be like: what grows with the results of a study."""

GROWING = ("rest", "search.kept.", "search.checks.")
"""Arrays whose length depends on what was told; all others have as many entries as there are configs and metrics."""


def packed(arrays: Arrays) -> bytes:
    """The arrays as one compressed file."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def unpacked(data: bytes, like: Arrays) -> dict[str, NDArray[Any]]:
    """The arrays that were packed, if they can be arrays like these; ValueError before anything takes room if not."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if sorted(member.filename for member in members) != sorted(f"{name}.npy" for name in like):
            raise ValueError("other arrays")
        if (
            sum(member.file_size for member in members)
            > sum(array.nbytes + 200 for array in like.values()) + MOST_BYTES
        ):
            raise ValueError("too large")
        for member in members:
            name = member.filename.removesuffix(".npy")
            with archive.open(member) as file:
                _check_header(file, member.file_size, like[name], name.startswith(GROWING))
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in like}


def _check_header(file: IO[bytes], size: int, like: NDArray[Any], grows: bool) -> None:
    """Raise unless the array is as large as its file, and like the one that is expected."""
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("another format")
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    same = shape == like.shape or (grows and len(shape) == like.ndim and shape[1:] == like.shape[1:])
    if not same or dtype != like.dtype or file.tell() + prod(shape) * dtype.itemsize != size:
        raise ValueError("another shape")


STATE = 14
"""Counts up when what a state consists of changes: a snapshot of another kind is not used."""

SNAPSHOT_EVERY_EVENTS = 5000
CHECKPOINT_EVERY_EVENTS = 1000
"""A step that fails costs a replay of at most CHECKPOINT_EVERY_EVENTS, or of a tenth as many as there are configs."""


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
        state = StudyState(self._spec)
        restore(state, self._state)
        return state

    def _take(self, state: StudyState) -> None:
        self._position, self._state = state.position, arrays_of(state)


def taken(state: StudyState) -> Snapshot:
    """The state as it is now."""
    return Snapshot(state.position, state.head, code_version(), packed(arrays_of(state)))


def sha256_of(snapshot: Snapshot) -> str:
    """What the log says of a snapshot."""
    return sha256(snapshot.data).hexdigest()


def kept(log: EventLog) -> Snapshot | None:
    """The latest snapshot beside a log; None if there is none, or none that could be of this version."""
    with suppress(*BROKEN):
        found = log.snapshot() if isinstance(log, KeepsSnapshots) else None
        if (
            found is not None
            and found.version == code_version()
            and isinstance(found.data, bytes)
            and found.position > 0
        ):
            return found
    return None


def vouches(event: Event, snapshot: Snapshot) -> bool:
    """Whether the event says of the snapshot that it is what was taken."""
    said = (event.content.get("of"), event.content.get("sha256"))
    return event.kind == Kind.SNAPSHOT and said == (snapshot.position, sha256_of(snapshot))


def arrays_in(spec: Spec, snapshot: Snapshot) -> State:
    """What a snapshot consists of; one of `BROKEN` if it cannot be the state of such a study."""
    return unpacked(snapshot.data, arrays_of(StudyState(spec)))


def restored(spec: Spec, snapshot: Snapshot) -> StudyState:
    """The state where the snapshot was taken; one of `BROKEN` if it is none."""
    state = StudyState(spec)
    restore(state, unpacked(snapshot.data, arrays_of(state)))
    if (state.position, state.head) != (snapshot.position, snapshot.digest):
        raise ValueError("of another event")
    return state


def loaded(spec: Spec, log: EventLog) -> StudyState:
    """The state of a study: from its latest snapshot if the log vouches for it, and the events after it."""
    state = latest(spec, log) or StudyState(spec)
    for event in log.read(state.position):
        state.apply(event)
    return state


BROKEN = (Exception,)
"""What files of others may lead to: errors of zip, numpy, JSON, shapes and whatever reads them."""


def latest(spec: Spec, log: EventLog) -> StudyState | None:
    """The state in the latest snapshot of a log; None if there is none that the log vouches for."""
    snapshot = kept(log)
    if snapshot is None:
        return None
    try:
        where = next(iter(log.read(snapshot.position - 1)), None)
        if where is None or (where.position, where.digest) != (snapshot.position, snapshot.digest):
            return None
        if any(vouches(event, snapshot) for event in log.read(snapshot.position)):
            return restored(spec, snapshot)
    except StorageError:
        raise
    except BROKEN:
        pass
    return None


def code_version() -> str:
    """The version of what computes a state, for what is kept of one."""
    from satisfice import __version__  # noqa: PLC0415 - the package is loaded by then

    return f"{__version__}, state {STATE}"
