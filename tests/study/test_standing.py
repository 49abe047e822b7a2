"""What a step says of its study, whatever becomes of the copies that are made after it."""

from typing import Any

import pytest

import satisfice as sf
from satisfice.errors import StorageError, StudyStopped
from satisfice.study import durable
from satisfice.study.study import Study
from satisfice.study.transaction import Transaction
from satisfice.web.group_commit import Wanted, answers_to
from satisfice.web.steps import step_of

LIMIT = "x <= 5 ~ 1 : normal(1)"


@pytest.fixture(autouse=True)
def _no_snapshot_is_recorded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is due and breaks off after it began, so that the state of the step before it is forgotten."""

    def vouch(self: Transaction, *given: Any, then: Any = Transaction.vouch) -> None:
        then(self, *given)
        raise StorageError("the disk is full")

    monkeypatch.setattr(durable, "SNAPSHOT_EVERY_EVENTS", 1)
    monkeypatch.setattr(Transaction, "vouch", vouch)


def answered(study: Study, content: dict[str, Any]) -> Any:
    return answers_to(study, [Wanted(lambda study: step_of(study, content), is_step=True)])[0]


def test_the_verdict_is_said_by_the_step_that_leads_to_it(sqlite: str) -> None:
    study = sf.create_study(["a"], [LIMIT], storage=sqlite)
    pulls = study.ask(20)
    for pull in pulls:
        outcome = study.tell(pull, {"x": 0.0})
        assert (outcome is sf.Outcome.FOUND) == any(event.kind == "verdict" for event in study.events())
    assert study.outcome is sf.Outcome.FOUND


def test_so_it_is_said_that_the_study_stopped_and_goes_on(sqlite: str) -> None:
    study = sf.create_study(["a"], [LIMIT], storage=sqlite)
    first, second = study.ask(2)
    assert "no luck" in answered(study, {"fail": [{"pull": first.id, "reason": "no luck"}]}).stopped
    with pytest.raises(StudyStopped, match="no luck"):
        study.ask()
    study.resume()
    found = answered(study, {"tell": [{"pull": second.id, "results": {"x": 0.0}}]})
    assert found.stopped is None


def test_after_the_verdict_nothing_is_left_to_ask_for_though_the_study_stopped() -> None:
    study = sf.create_study(["a"], [LIMIT])
    pulls = study.ask(50)
    study.fail(pulls[-1], "no luck")
    for pull in pulls[:-1]:
        study.tell(pull, {"x": 0.0})
    assert study.outcome is sf.Outcome.FOUND
    assert study.stopped is not None
    assert study.ask() is None
    assert study.ask(3) == []
