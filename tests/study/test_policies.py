"""What failures and losses lead to may change while a study goes on, and the change is recorded."""

from typing import Any

import pytest

import satisfice as sf
from satisfice.errors import InvalidSpec, StudyStopped
from tests.helpers.parts import finish, study_in


def test_policies_may_change_and_the_change_is_recorded(storage: Any) -> None:
    """A study that began with on_error='stop' could never be gone on with otherwise: one flake trapped it."""
    study = study_in(storage)
    study.fail(study.ask(), "a flake")
    with pytest.raises(StudyStopped):
        study.ask()
    again = study_in(storage, on_error="retry", retries=5, load_if_exists=True)
    again.resume()
    assert finish(again).arm == "good"
    assert [policy.on_error for policy in again.view().policies] == ["stop", "retry"]
    assert [event.content["policy"]["on_error"] for event in again.events() if event.kind == "policy"] == ["retry"]
    assert any("what failures lead to was changed 1 time" in words for words in again.verdict().assumptions)
    assert sf.verify(storage).ok


def test_policies_changed_by_two_at_once(storage: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever raised a budget took back what another process had said of failures since he looked."""
    one, other = study_in(storage), study_in(storage, load_if_exists=True)
    view = one.view

    def looked_before_the_other_spoke() -> Any:
        seen = view()
        other.change_policy(on_error="retry", retry_on=("OSError",))
        return seen

    monkeypatch.setattr(one, "view", looked_before_the_other_spoke)
    one.change_policy(max_evaluations=50, retry_on=("EOFError",))
    policy = other.view().policy
    assert (policy.on_error, policy.max_evaluations) == ("retry", 50)
    assert policy.retry_on == ("EOFError", "OSError")
    assert sf.verify(storage).ok


@pytest.mark.parametrize("given", ["OSError", 5, None, [5], [["OSError"]], {"OSError": 1}.items()])
def test_what_are_no_names_of_exceptions(given: Any) -> None:
    """A name by itself was taken for its letters."""
    study = sf.create_study(["a"], ["x <= 1"])
    with pytest.raises(InvalidSpec, match="wait_on must be a list of names of exceptions"):
        study.change_policy(wait_on=given)
    study.change_policy(wait_on=["OSError", "EOFError", "OSError"])
    assert study.view().policy.wait_on == ("EOFError", "OSError")


def test_the_same_policy_is_no_event(storage: Any) -> None:
    study_in(storage, on_error="retry")
    study = study_in(storage, on_error="retry", load_if_exists=True)
    study.change_policy(retries=2)
    assert [event.kind for event in study.events()] == ["created"]


def test_worst_values_of_a_changed_policy_count_from_then_on(storage: Any) -> None:
    study = study_in(storage, on_error="worst", worst={"speed": -1.0})
    study.fail(study.ask(), "first")
    study.change_policy(worst={"speed": -7.0})
    study.fail(study.ask(), "second")
    assert [one.results["speed"] for one in study.evaluations()] == [-1.0, -7.0]
    study._log.close()
    assert sf.verify(storage).ok


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"on_error": "ignore"}, "on_error must be 'stop', 'retry' or 'worst', got 'ignore'"),
        ({"on_lost": "shrug"}, "on_lost must be 'reissue', 'worst' or 'stop', got 'shrug'"),
        ({"retries": -1}, "retries must be a whole number from 0 to .*, got -1"),
        ({"on_lost": "worst"}, "'worst' needs to know the worst value of 'speed'"),
        ({"worst": {"speed": 99.0}}, "passes its limit"),
    ],
)
def test_policies_that_make_no_sense(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidSpec, match=sentence):
        study_in().change_policy(**changes)


def test_time_limits_and_jobs_are_recorded_and_mean_nothing_else(storage: Any) -> None:
    study = study_in(storage)
    study.change_policy(timeout=5, jobs=8)
    study.change_policy(jobs=4)
    assert [event.content["policy"]["jobs"] for event in study.events() if event.kind == "policy"] == [8, 4]
    assert any("was changed 1 time" in words for words in study.verdict().assumptions)
    again = study_in(storage, load_if_exists=True)
    assert (again.view().policy.timeout, again.view().policy.jobs) == (5.0, 4)
    assert sf.verify(storage).ok
    with pytest.raises(InvalidSpec, match="timeout must be a positive number of seconds, got -1"):
        study.change_policy(timeout=-1)
