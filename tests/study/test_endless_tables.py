"""Tables of somebody else that are small as files, and in memory larger than any."""

from pathlib import Path

import numpy as np
import pytest

from satisfice.errors import InvalidInstance, InvalidSpec
from satisfice.simulation.arms import recorded_arms
from tests.helpers.parts import study_in

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
CONFIGS = {"good": {"level": 1}}


def repeated(path: Path, rows: int, name: str, text: str) -> Path:
    """A file of a few KB: in all rows the same."""
    same = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array([text]))
    numbers = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array([1.0]))
    parquet.write_table(pa.table({name: same, "speed": numbers}), path, compression="zstd")
    return path


@pytest.mark.parametrize(("rows", "text"), [(3_000_000, "good"), (20_000, "good" * 50_000)])
def test_a_small_file_is_no_large_table(rows: int, text: str, tmp_path: Path) -> None:
    """Of 200 KB came 5 GB, and a traceback."""
    path = repeated(tmp_path / "past.parquet", rows, "arm", text)
    assert path.stat().st_size < 50_000
    with pytest.raises(InvalidInstance, match=r"past\.parquet cannot be read as Parquet: it (has|takes)"):
        recorded_arms(path, ["speed"])
    path = repeated(tmp_path / "old.parquet", rows, "config", text)
    with pytest.raises(InvalidSpec, match=r"old\.parquet cannot be read as a table of results: it (has|takes)"):
        study_in(configs=CONFIGS, warm_start=path)


def test_a_head_is_not_repeated_without_end(tmp_path: Path) -> None:
    """Each row of a CSV file has all columns of its head: a file of 60 KB took 5 GB."""
    path = tmp_path / "old.csv"
    path.write_text(",".join(f"c{place}" for place in range(9000)) + "\n" + "1\n" * 9000)
    with pytest.raises(InvalidSpec, match=r"old\.csv cannot be read as a table of results: it has 9,000 columns"):
        study_in(configs=CONFIGS, warm_start=path)


def test_what_was_measured_is_read(tmp_path: Path) -> None:
    arms, names = recorded_arms(repeated(tmp_path / "past.parquet", 100_000, "arm", "good"), ["speed"])
    assert names == ("good",)
    assert len(arms.rows) == 100_000
