"""All evaluations as tables of pandas, Arrow and polars: parameters as columns, real times, linear in rows."""

from datetime import UTC, datetime
from typing import Any

import pandas as pd
import polars as pl
import pytest

import satisfice as sf
from satisfice.study.evaluations import evaluations_of
from satisfice.study.events import Event
from satisfice.study.table import Table
from tests.helpers.parts import Clock

ROWS = [{"codec": "opus", "rate": 4, "number": 1, "tags": [1]}, {"codec": "aac", "rate": 8, "number": 2, "tags": None}]


@pytest.fixture
def study() -> sf.Study:
    made = sf.create_study(
        ROWS, ["ok >= 0.5 : bernoulli", "p90(ms) <= 9"], on_error="worst", worst={"ms": 99}, clock=Clock(1000.25)
    )
    for place, pull in enumerate(made.ask(6)):
        if place == 2:
            made.fail(pull, "it broke")
        else:
            made.tell(pull, {"ok": place % 2, "ms": [1.0, 2.0 + place], "host": f"h{place % 2}"})
    return made


def test_a_table_says_what_the_records_say(study: sf.Study) -> None:
    table, records = study.to_dataframe(), list(study.evaluations())
    assert list(table.columns) == [
        *("number", "config", "codec", "number (parameter)", "rate", "tags", "arm_number", "attempt", "ok", "ms"),
        *("failure", "late", "asked_at", "told_at", "worker", "host"),
    ]
    assert table["number"].tolist() == [one.number for one in records]
    assert table["config"].tolist() == [one.config for one in records]
    assert table["codec"].tolist() == [study.configs[one.config]["codec"] for one in records]
    tags = [None if pd.isna(one) else one for one in table["tags"]]
    assert tags == ["[1]" if study.configs[one.config]["tags"] else None for one in records]
    assert table["rate"].tolist() == [study.configs[one.config]["rate"] for one in records]
    assert table["number (parameter)"].tolist() == [study.configs[one.config]["number"] for one in records]
    assert table["ok"].tolist() == [one.results["ok"] for one in records]
    assert table["failure"].tolist()[2] == "it broke"
    assert table["failure"].isna().sum() == 5
    assert table["told_at"].iloc[0] == pd.Timestamp(1000.25, unit="s", tz="UTC")
    assert table["host"].fillna("").tolist() == [one.also.get("host", "") for one in records]
    assert len(table["ms"].iloc[0]) == 2
    assert table["late"].dtype == bool


def test_arrow_and_polars_have_the_same(study: sf.Study) -> None:
    frame, arrow, polars = study.to_dataframe(), study.to_arrow(), study.to_polars()
    assert arrow.column_names == polars.columns == list(frame.columns)
    moment = datetime.fromtimestamp(1000.25, UTC)
    assert arrow["told_at"].to_pylist() == polars["told_at"].to_list() == [moment] * 6
    for name in ("number", "config", "codec", "rate", "ok", "failure", "worker", "host"):
        expected = [None if pd.isna(one) else one for one in frame[name].tolist()]
        assert arrow[name].to_pylist() == polars[name].to_list() == expected, name
    assert polars["config"].dtype == pl.Categorical


def test_a_study_without_results_is_an_empty_table() -> None:
    study = sf.create_study(["a"], ["x >= 1"])
    assert [len(study.to_dataframe()), study.to_arrow().num_rows, len(study.to_polars())] == [0, 0, 0]


def test_failures_that_were_tried_again_are_rows() -> None:
    study = sf.create_study(["a"], ["x >= 1 : normal(1)"], on_error="retry", cost=2.5)
    for _ in range(2):
        study.fail(study.ask() or "", "again")
    study.tell(study.ask() or "", {"x": 3})
    table = study.to_dataframe()
    assert table["attempt"].tolist() == [0, 1, 2]
    assert table["x"].isna().tolist() == [True, True, False]
    assert table["evaluation_cost"].tolist() == [one.cost for one in study.evaluations()]


def test_many_configs_cost_nothing_for_each_row() -> None:
    """It was rows x configs: what a row asks of the spec is counted."""
    looks = [0]

    class Counted(tuple[Any, ...]):
        def __getitem__(self, place: Any) -> Any:
            looks[0] += 1
            return super().__getitem__(place)

        def __iter__(self) -> Any:
            looks[0] += 1
            return super().__iter__()

    study = sf.create_study([f"c{place}" for place in range(2000)], ["x >= 1 : normal(1)"])
    study.exchange([(pull, {"x": 1.0}) for pull in study.ask(500)])
    events: list[Event] = list(study.events())
    object.__setattr__(study.spec, "configs", Counted(study.spec.configs))
    Table(study.spec, events).columns()
    few = looks[0]
    Table(study.spec, events[:200]).columns()
    assert looks[0] - few == few
    assert len(list(evaluations_of(study.spec, events))) == 500


def test_columns_give_what_the_records_have(study: sf.Study) -> None:
    """By slices, one by one and whole, also of numbers that are not always there."""
    columns, records = Table(study.spec, study.events()).columns(), list(study.evaluations())
    for name, expected in {
        "number": [one.number for one in records],
        "config": [one.config for one in records],
        "ok": [one.results["ok"] for one in records],
        "failure": [one.failure for one in records],
        "host": [one.also.get("host") for one in records],
        "told_at": [datetime.fromtimestamp(one.told_at, UTC) for one in records],
    }.items():
        column = columns[name]
        assert list(column) == column[:] == [column[place] for place in range(-6, 0)] == expected, name
        assert column[1:3] == expected[1:3]


def test_results_beside_the_limits_keep_their_type() -> None:
    study = sf.create_study(["a"], ["x >= 1 : normal(1)"], on_error="worst", worst={"x": 0})
    given: list[dict[str, Any]] = [
        {"whole": 3, "mixed": 1, "flag": True},
        {"whole": 4, "mixed": "one", "late": 0.5},
        {"mixed": 2**70, "flag": False, "late": 7},
    ]
    for beside in given:
        study.tell(study.ask() or "", {"x": 1.0, **beside})
    columns = Table(study.spec, study.events()).columns()
    assert list(columns["whole"]) == [3, 4, None]
    assert all(type(one) in (int, type(None)) for one in columns["whole"])
    assert list(columns["mixed"]) == [1, "one", 2**70]
    assert list(columns["flag"]) == [True, None, False]
    assert list(columns["late (result)"]) == [None, 0.5, 7]
    assert study.to_arrow()["mixed"].to_pylist() == ["1", "one", str(float(2**70))]
    assert len(study.to_polars()) == len(study.to_dataframe()) == 3
