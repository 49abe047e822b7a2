"""Studies that another version of satisfice created are refused in a sentence."""

import pytest

import satisfice as sf
from satisfice.errors import InvalidSpec
from satisfice.study.spec import PROCEDURE, spec_of_content


def content(procedure: object) -> dict[str, object]:
    study = sf.create_study({"a": {}}, ["x <= 1 : normal(1)"])
    return study.spec.as_content() | {"procedure": procedure}


def test_todays_are_read_as_they_were_written() -> None:
    assert spec_of_content(content(PROCEDURE)).as_content() == content(PROCEDURE)


@pytest.mark.parametrize(
    ("procedure", "version"),
    [(1, "an earlier"), (PROCEDURE - 1, "an earlier"), (PROCEDURE + 1, "a later"), ("x", "an")],
)
def test_others_are_refused(procedure: object, version: str) -> None:
    with pytest.raises(InvalidSpec, match=f"created by {version}.* version of satisfice. Open it with that version"):
        spec_of_content(content(procedure))


def test_a_log_without_a_procedure_is_of_an_earlier_version() -> None:
    without = content(PROCEDURE)
    del without["procedure"]
    with pytest.raises(InvalidSpec, match="an earlier version"):
        spec_of_content(without)
