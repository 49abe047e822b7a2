"""Studies that version 0.1 wrote: they open, verify, and go on."""

import shutil
from pathlib import Path

import numpy as np
import pytest

import satisfice as sf
from satisfice.study import snapshots
from satisfice.study.spec import FORMER_FIELDS, spec_of_content
from satisfice.study.storage.protocol import open_storage

FOLDER = Path(__file__).parent / "logs_of_0_1"
ENDS = {
    "mixed_noise": ("FOUND", "c5", 227),
    "transfer": ("FOUND", "t6", 555),
    "murphy_undecided": ("UNDECIDED", None, 1300),
}


@pytest.fixture(params=list(ENDS))
def kept(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """The name of a study, and the URL of a copy of it."""
    shutil.copy(FOLDER / f"{request.param}.db", tmp_path / "copy.db")
    return request.param, f"sqlite:///{tmp_path}/copy.db"


def test_they_open_and_verify(kept: tuple[str, str]) -> None:
    name, url = kept
    with sf.load_study(url) as study:
        view = study.view()
    assert (str(view.outcome), view.verdict.arm, view.verdict.evaluations) == ENDS[name]
    assert view.version.startswith("0.1.")
    found = sf.verify(url)
    assert found.ok, found.problems
    assert found.head == view.head
    assert found.verdict == view.verdict
    assert (view.subject, found.subject) == (None, None)


@pytest.mark.full
def test_a_study_of_0_1_goes_on_to_a_verdict(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "murphy_undecided.db", tmp_path / "copy.db")
    url = f"sqlite:///{tmp_path}/copy.db"
    rng = np.random.default_rng(3)
    with sf.load_study(url) as study:
        before, names = study.view(), study.problem.metric_names
        far = {metric.name: metric.threshold for metric in study.problem.metrics}
        sides = {metric.name: 1.0 if str(metric.direction) == ">=" else -1.0 for metric in study.problem.metrics}
        while (pulls := study.ask(50)) and study.outcome is sf.Outcome.UNDECIDED:
            values = rng.normal(100.0, 1.0, (len(pulls), len(names)))
            rows = [
                {name: far[name] + sides[name] * value for name, value in zip(names, row, strict=True)}
                for row in values
            ]
            study.exchange(list(zip(pulls, rows, strict=True)))
        assert study.view().position > before.position
        assert study.verdict().outcome is not sf.Outcome.UNDECIDED
    assert sf.verify(url).ok


def test_a_snapshot_of_0_1_is_left_alone(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "murphy_undecided.db", tmp_path / "copy.db")
    url = f"sqlite:///{tmp_path}/copy.db"
    log = open_storage(url).open(sf.list_studies(url)[0].name)
    assert log.snapshot() is not None
    assert snapshots.latest(sf.load_study(url).spec, log) is None


@pytest.mark.parametrize("name", list(FORMER_FIELDS))
def test_fields_that_a_rule_had_are_dropped_and_others_are_not(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    content = sf.create_study(["a"], ["x >= 0"], rule=name).spec.as_content()
    content["rule"]["fields"] |= {"longest_stay": 3}
    monkeypatch.setattr("satisfice.study.spec.RULES", {})  # as if the rule had lost the field
    assert "longest_stay" not in spec_of_content(content).rule["fields"]
    content["rule"]["fields"] |= {"unknown": 3}
    monkeypatch.undo()
    with pytest.raises(sf.SatisficeError, match="does not take the fields"):
        spec_of_content(content).search()
