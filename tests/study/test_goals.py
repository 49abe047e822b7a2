"""Studies that look for several configs: what is kept, explained and verified."""

from typing import Any

import pytest

import satisfice as sf
from satisfice.errors import OtherStudy
from satisfice.study.explain import explained
from satisfice.web.report import report
from tests.helpers.parts import finish, results_of, study_in

CONFIGS = ["slow", "good 1", "lossy", "good 2", "good 3", "slow 2"]


def test_as_many_as_were_asked_for_are_found_in_every_storage(storage: Any) -> None:
    study = study_in(storage, configs=CONFIGS, goal=2)
    verdict = finish(study)
    assert verdict.outcome is sf.Outcome.FOUND
    assert len(verdict.accepted) == 2
    assert all(name.startswith("good") for name in verdict.accepted)
    assert study.ask() is None
    assert sf.verify(storage, "study").verdict == verdict
    left = next(name for name in CONFIGS if name not in (*verdict.accepted, *verdict.rejected))
    assert "when 2 others passed: least certain is" in study.explain(left).text
    assert sf.load_study(storage).verdict() == verdict


def test_fewer_pass(sqlite: str) -> None:
    study = study_in(sqlite, configs=CONFIGS, goal=5)
    verdict = finish(study)
    assert (verdict.outcome, verdict.arm, len(verdict.rejected)) == (sf.Outcome.NONE, None, 2)
    assert f"fewer than 5 pass ({', '.join(verdict.accepted)} do" in str(verdict)
    checked = sf.verify(sqlite)
    assert checked.ok
    assert checked.verdict == verdict
    for name in set(CONFIGS) - {*verdict.accepted, *verdict.rejected}:
        assert "when too many others failed: " in study.explain(name).text
    assert "fewer than 5 pass" in report(study)


def test_what_was_not_evaluated_is_explained() -> None:
    study = study_in(configs=CONFIGS, goal=2)
    view = study.view()
    assert view.explain("good 1").text == "not evaluated yet"
    never, verdict = view.status("slow"), finish(study)
    assert explained(study.problem, never, verdict.ended_by).text == "not evaluated: 2 others passed first"


def test_another_number_is_another_question(sqlite: str) -> None:
    study_in(sqlite, configs=CONFIGS, goal=2).close()
    with pytest.raises(OtherStudy, match="goal is 2 there and 3 here"):
        study_in(sqlite, configs=CONFIGS, goal=3, load_if_exists=True)
    study = study_in(sqlite, configs=CONFIGS, goal=2, load_if_exists=True)
    assert (study.problem.goal, study.view().spec.goal) == (2, 2)
    created = next(iter(study.events())).content["spec"]
    assert created["goal"] == 2


def test_one_is_any(sqlite: str) -> None:
    study_in(sqlite, goal=1).close()
    with study_in(sqlite, goal="any", load_if_exists=True) as study:
        assert study.view().spec.goal == "any"


def test_with_workers_results_that_come_after_the_verdict_count_for_nothing() -> None:
    study = study_in(configs=CONFIGS, goal=3)
    verdict = study.run(results_of, workers=3, with_pull=True)
    assert (verdict.outcome, len(verdict.accepted)) == (sf.Outcome.FOUND, 3)
    assert study.counts().folded == verdict.evaluations
