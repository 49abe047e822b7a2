"""What people expect of a Python library: paths, tables, deletion, and a verdict that is neither true nor false."""

import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import satisfice as sf
from satisfice.errors import AmbiguousVerdict, InvalidSpec, StorageError, UnknownStudy, UnusedMetrics
from tests.helpers.parts import endless, evaluate, results_of, study_in

ROWS = [{"codec": "opus", "rate": 4}, {"codec": "aac", "rate": 8.5}]
NAMES = ["codec=opus rate=4", "codec=aac rate=8.5"]


def configs_of(given: Any) -> dict[str, Any]:
    return sf.create_study(given, ["x >= 1"]).configs


def test_configs_are_rows_of_a_list_or_a_table() -> None:
    expected = dict(zip(NAMES, ROWS, strict=True))
    assert configs_of(ROWS) == expected == configs_of(tuple(ROWS))
    assert configs_of(pd.DataFrame(ROWS)) == {
        "codec=opus rate=4.0": {"codec": "opus", "rate": 4.0},
        "codec=aac rate=8.5": {"codec": "aac", "rate": 8.5},
    }
    assert configs_of(pd.DataFrame(ROWS, index=["one", "two"])) == {
        "one": {"codec": "opus", "rate": 4.0},
        "two": {"codec": "aac", "rate": 8.5},
    }
    assert configs_of(pd.DataFrame({"size": [1, 2]}))["size=2"] == {"size": 2}


def test_rows_of_polars() -> None:
    polars = pytest.importorskip("polars")
    assert configs_of(polars.DataFrame({"size": [1, 2]})) == {"size=1": {"size": 1}, "size=2": {"size": 2}}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([{"a": 1}, {"a": 1}], "got 'a=1' twice"),
        ([{"a": 1}, {}], "got an empty one"),
        ([{"a": 1}, "b"], "name of a config must be a text"),
        (pd.DataFrame({"a": [1, 2]}, index=["x", "x"]), "index of the table has a name twice"),
        (pd.DataFrame({"a": [1.0, float("nan")]}), "must be writable as JSON"),
        (3, "a table of pandas or polars"),
    ],
)
def test_rows_that_are_no_configs(given: Any, said: str) -> None:
    with pytest.raises(InvalidSpec, match=said):
        configs_of(given)


def test_a_path_is_a_storage(tmp_path: Path) -> None:
    path = tmp_path / "study.db"
    study_in(path, name="one").run(evaluate)
    assert [one.name for one in sf.list_studies(path)] == ["one"]
    assert sf.load_study(f"sqlite:///{path}").verdict().arm == "good"
    assert sf.verify(path).ok
    with pytest.raises(StorageError, match=r"cannot have a \? or a #"):
        study_in(tmp_path / "what?.db")


def test_a_study_is_deleted_with_all_that_is_kept_of_it(storage: Any) -> None:
    kept, gone = study_in(storage, name="kept"), study_in(storage, name="gone")
    kept.run(evaluate)
    gone.run(evaluate, max_evaluations=5)
    gone.heartbeat(*gone.ask(1))
    sf.delete_study(storage, "gone")
    assert [one.name for one in sf.list_studies(storage)] == ["kept"]
    assert sf.verify(storage, "kept").ok
    with pytest.raises(UnknownStudy, match="Studies there: 'kept'"):
        sf.delete_study(storage, "gone")
    assert study_in(storage, name="gone").counts().asked == 0


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_study_that_was_deleted_says_so_whatever_is_done(kind: str, request: pytest.FixtureRequest) -> None:
    storage = request.getfixturevalue(kind)
    study = endless(storage)
    pulls = study.ask(3)
    study.tell(pulls[0], results_of(pulls[0]))
    sf.delete_study(storage, "study")
    for act in (
        lambda: study.tell(pulls[0], results_of(pulls[0])),
        lambda: study.tell(pulls[1], results_of(pulls[1])),
        lambda: study.heartbeat(pulls[1]),
        lambda: study.release(pulls[0]),
        study.ask,
        study.view,
    ):
        with pytest.raises(UnknownStudy, match="was deleted"):
            act()


def test_who_works_for_a_deleted_study_writes_to_no_other(tmp_path: Path) -> None:
    """Before, SQLite gave the number of the last study to the next one, and the log was said to be changed."""
    path = tmp_path / "study.db"
    old = endless(path)
    (pull,) = old.ask(1)
    sf.delete_study(path, "study")
    new = endless(path)
    new.ask(1)
    with pytest.raises(UnknownStudy, match="was deleted"):
        old.tell(pull, results_of(pull))
    assert new.counts().told == 0
    assert sf.verify(path).ok


def test_a_storage_that_deletes_nothing_says_so() -> None:
    class Bare:
        def create(self, name: str, first: Any) -> Any: ...
        def open(self, name: str) -> Any: ...
        def studies(self) -> Any: ...
        def close(self) -> None: ...
        def __str__(self) -> str:
            return "bare"

    with pytest.raises(StorageError, match="bare cannot delete studies"):
        sf.delete_study(Bare(), "x")


def test_a_verdict_has_its_config() -> None:
    study = sf.create_study(ROWS, ["x >= 1 ~ 0.5 : bounded(0, 10)"])
    assert study.verdict().config is None
    verdict = study.run(lambda config: {"x": 5 if config["codec"] == "aac" else 0})
    assert verdict.arm == "codec=aac rate=8.5"
    assert verdict.parameters == verdict.config == ROWS[1]
    plain = study_in().run(evaluate)
    assert (plain.parameters, plain.config) == ({}, "good")


def test_a_verdict_is_neither_true_nor_false() -> None:
    verdict = study_in().verdict()
    with pytest.raises(AmbiguousVerdict, match=r"this one is UNDECIDED\. Compare its outcome"):
        assert verdict
    with pytest.raises(TypeError):
        bool(verdict)
    assert verdict.outcome == "UNDECIDED"


def test_a_warning_points_at_the_line_of_the_user() -> None:
    study = study_in()
    pull = study.ask()
    assert pull is not None
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        study.tell(pull, {"speed": 1.0, "loss": 0, "odd": object()})
        study.run(lambda config: evaluate(config) | {"other": object()}, max_evaluations=3)
    assert [one.category for one in found] == [UnusedMetrics, UnusedMetrics]
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert [one.filename for one in found] == [__file__, __file__]
    assert [lines[one.lineno - 1].split("(")[0].strip() for one in found] == ["study.tell", "study.run"]
