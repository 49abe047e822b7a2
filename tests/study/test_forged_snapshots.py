"""Snapshots that somebody made or damaged: they change nothing that a study says."""

import io
import json
import sqlite3
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import satisfice as sf
from satisfice.study import durable, snapshots
from satisfice.study.events import Kind
from satisfice.study.state import StudyState, arrays_of
from satisfice.study.storage.protocol import Snapshot
from tests.helpers.forging import resealed
from tests.helpers.parts import endless, results_of


@pytest.fixture(scope="module")
def long_study(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, Snapshot]:
    """The bytes of a database with a snapshot, and the snapshot."""
    path = tmp_path_factory.mktemp("long") / "study.db"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(durable, "SNAPSHOT_EVERY_EVENTS", 20)
        with endless(f"sqlite:///{path}") as study:
            study.run(results_of, with_pull=True, max_evaluations=30)
            kept = study._log.snapshot()
    assert kept is not None
    return path.read_bytes(), kept


@pytest.fixture
def database(long_study: tuple[bytes, Snapshot], tmp_path: Path) -> Path:
    path = tmp_path / "study.db"
    path.write_bytes(long_study[0])
    return path


def with_data(path: Path, data: bytes) -> str:
    base = sqlite3.connect(path)
    with base:
        base.execute("UPDATE satisfice_snapshots SET data = ?", (data,))
    base.close()
    return f"sqlite:///{path}"


def forged(url: str) -> bytes:
    """A snapshot in which a config passes."""
    with sf.load_study(url) as study:
        kept = study._log.snapshot()
        state = snapshots.restored(study.spec, kept)
    for _ in range(3000):
        if not state.ended:
            state.search.fold(2, (100.0, 0.0))
    assert state.search.outcome is sf.Outcome.FOUND
    return snapshots.taken(state).data


def test_a_forged_snapshot_finds_nothing(database: Path) -> None:
    """Before, the study was FOUND, for `status` and for `run`."""
    url = with_data(database, forged(f"sqlite:///{database}"))
    with sf.load_study(url) as study:
        assert study.verdict().outcome is sf.Outcome.UNDECIDED
        assert study.ask() is not None
    report = sf.verify(url)
    assert "snapshot" in report.problems[0]


def test_the_log_vouches_for_its_snapshots(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = f"sqlite:///{database}"
    with sf.load_study(url) as study:
        events = [event for event in study.events() if event.kind == Kind.SNAPSHOT]
        assert [snapshots.vouches(event, study._log.snapshot()) for event in events][-1]
        assert len(events) == 3
    applied: list[int] = []
    apply = StudyState.apply
    monkeypatch.setattr(StudyState, "apply", lambda self, event: (applied.append(1), apply(self, event))[1])
    sf.load_study(url).verdict()
    assert len(applied) < 10
    assert sf.verify(url).ok


@pytest.mark.parametrize("most", [40, pytest.param(200, marks=pytest.mark.full)])
def test_damaged_bits_change_nothing(most: int, database: Path, long_study: tuple[bytes, Snapshot]) -> None:
    """Before, 141 of 200 ended in a traceback."""
    rng = np.random.default_rng(1)
    said = sf.load_study(f"sqlite:///{database}").verdict()
    data = long_study[1].data
    for _ in range(most):
        spoiled = bytearray(data)
        spoiled[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
        assert sf.load_study(with_data(database, bytes(spoiled))).verdict() == said
    for size in (0, 1, len(data) // 2):
        assert sf.load_study(with_data(database, data[:size])).verdict() == said


def other_names(arrays: dict[str, np.ndarray]) -> None:
    arrays["another"] = arrays.pop("waiting")


def other_shape(arrays: dict[str, np.ndarray]) -> None:
    arrays["waiting"] = arrays["waiting"][:-1]


def other_type(arrays: dict[str, np.ndarray]) -> None:
    arrays["waiting"] = arrays["waiting"].astype(np.float32)


def no_json(arrays: dict[str, np.ndarray]) -> None:
    arrays["rest"] = np.frombuffer(b"{nothing", dtype=np.uint8)


def other_json(arrays: dict[str, np.ndarray]) -> None:
    arrays["rest"] = np.frombuffer(json.dumps({"position": "no"}).encode(), dtype=np.uint8)


@pytest.mark.parametrize("spoil", [other_names, other_shape, other_type, no_json, other_json])
def test_what_is_no_state_is_left_alone_even_if_the_log_vouches_for_it(
    spoil: Callable[[dict[str, np.ndarray]], None], database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = f"sqlite:///{database}"
    with sf.load_study(url) as study:
        said, state = study.verdict(), arrays_of(study._durable.current())
    spoil(state)
    monkeypatch.setattr(snapshots, "vouches", lambda event, snapshot: True)
    assert sf.load_study(with_data(database, snapshots.packed(state))).verdict() == said


def test_sizes_are_looked_at_before_anything_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before, 0.6 MB became 1.3 GB."""
    monkeypatch.setattr(snapshots, "MOST_BYTES", 50_000)
    like = {"search.kept.values": np.zeros(0)}
    monkeypatch.setattr(np, "load", lambda *_, **__: pytest.fail("unpacked"))
    with pytest.raises(ValueError, match="too large"):
        snapshots.unpacked(snapshots.packed({"search.kept.values": np.zeros(10_000)}), like)


def test_a_header_that_declares_more_than_there_is(monkeypatch: pytest.MonkeyPatch) -> None:
    like = {"search.kept.values": np.zeros(0)}
    buffer, inner = io.BytesIO(), io.BytesIO()
    np.lib.format.write_array_header_1_0(inner, {"descr": "<f8", "fortran_order": False, "shape": (10**11,)})
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("search.kept.values.npy", inner.getvalue())
    monkeypatch.setattr(np, "load", lambda *_, **__: pytest.fail("unpacked"))
    with pytest.raises(ValueError, match="another shape"):
        snapshots.unpacked(buffer.getvalue(), like)


def resealed_around(path: Path, data: bytes) -> None:
    """Put another snapshot in its place, let the log vouch for that one, and write every seal anew."""
    base = sqlite3.connect(path)
    with base:
        found = base.execute("SELECT position FROM satisfice_snapshots").fetchone()[0]

        def vouch(kind: str, content: dict[str, Any]) -> None:
            if kind == Kind.SNAPSHOT and content["of"] == found:
                content["sha256"] = sha256(data).hexdigest()

        seals = resealed(base, vouch)
        base.execute("UPDATE satisfice_snapshots SET data = ?, digest = ?", (data, seals[found]))
    base.close()


def test_a_log_resealed_around_a_forged_snapshot_is_refused(database: Path) -> None:
    """Whoever writes the whole log writes what vouches for the snapshot, too: `verify` replays, and is the judge."""
    url = f"sqlite:///{database}"
    noted = sf.verify(url).head
    resealed_around(database, forged(url))
    report = sf.verify(url)
    assert not report.ok
    assert "is not the state after that event" in report.problems[0]
    assert "does not contain the seal" in sf.verify(url, head=noted).problems[0]


def test_what_opens_a_log_resealed_around_a_forged_snapshot_is_not_a_judge(database: Path) -> None:
    """Not promised, and said so in docs/method/trust.md: only `verify` replays the whole log."""
    url = f"sqlite:///{database}"
    resealed_around(database, forged(url))
    page = (Path(__file__).parents[2] / "docs/method/trust.md").read_text(encoding="utf-8")
    with sf.load_study(url) as study:
        believed = study.verdict().outcome is sf.Outcome.FOUND
    assert not believed or "`status`, and a `run` that asks for the same again, may believe it" in page
