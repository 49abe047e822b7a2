"""What notebooks show: studies, verdicts, plans and simulations, figures, and progress."""

import sys
from types import ModuleType
from typing import Any

import pytest

import satisfice as sf
from tests.helpers.parts import finish, results_of, study_in


def test_a_study_shows_its_verdict_and_its_rows() -> None:
    study = study_in(name="<b>mine</b>")
    assert "UNDECIDED" in study._repr_html_()
    verdict = finish(study)
    html = study._repr_html_()
    for text in ("FOUND", "good", verdict.certainty, "&lt;b&gt;mine&lt;/b&gt;"):
        assert text in html
    assert html.count("<tr ") == 1 + 3
    assert html == study.view()._repr_html_()
    assert "mark-pass" in html
    said = verdict._repr_html_()
    assert verdict.certainty in said
    assert "<script" not in html + said


def test_many_configs_are_left_out_and_counted() -> None:
    study = study_in(configs=[f"good {place}" for place in range(40)])
    html = study._repr_html_()
    assert html.count("<tr ") == 1 + 30
    assert "10 more" in html


def test_figures_show_themselves(tmp_path: Any) -> None:
    pytest.importorskip("matplotlib")
    study = study_in()
    finish(study)
    file = tmp_path / "study.png"
    figure = study.plot(file)
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert file.read_bytes().startswith(b"\x89PNG")


def test_a_run_in_a_notebook_shows_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    class Handle:
        def update(self, what: Any) -> None:
            shown.append(what)

    def display(what: Any, display_id: bool) -> Handle:
        assert display_id
        shown.append(what)
        return Handle()

    ipython, output = ModuleType("IPython"), ModuleType("IPython.display")
    output.display = display  # type: ignore[attr-defined]
    ipython.display = output  # type: ignore[attr-defined]
    for name, module in (("IPython", ipython), ("IPython.display", output), ("ipykernel", ModuleType("ipykernel"))):
        monkeypatch.setitem(sys.modules, name, module)
    verdict = study_in().run(results_of, with_pull=True)
    assert verdict.outcome is sf.Outcome.FOUND
    assert shown
    assert "FOUND" in shown[-1]._repr_html_()
    told: list[Any] = []
    before = len(shown)
    study_in().run(results_of, with_pull=True, on_progress=told.append)  # one's own takes its place
    assert len(shown) == before
    assert told
