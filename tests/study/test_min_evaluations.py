"""No configuration is accepted before it has the number of results that was asked for; all else stays as it was."""

import pytest

import satisfice as sf
from satisfice.errors import InvalidSpec, OtherStudy

CLEAR = ["passed >= 0.5 ~ 0.1 : bernoulli"]


def evaluate(config):
    return {"passed": config["good"]}


def study_of(**others):
    return sf.create_study({"good": {"good": 1}, "bad": {"good": 0}}, CLEAR, **others)


def results_of(study, name):
    return next(status.pulls for status in study.view().statuses if status.name == name)


@pytest.mark.parametrize("stopping", ["transfer", "evidence"])
@pytest.mark.parametrize("workers", [1, 4])
def test_nothing_is_accepted_before_it_has_them(stopping, workers):
    alone = study_of(stopping=stopping)
    alone.run(evaluate)
    least = results_of(alone, "good") + 17
    study = study_of(stopping=stopping, min_evaluations=least)
    verdict = study.run(evaluate, workers=workers)
    accepted = next(status for status in study.view().statuses if status.name == "good")
    assert (verdict.arm, accepted.pulls + accepted.ahead >= least) == ("good", True)
    assert workers > 1 or accepted.pulls == least, "it is accepted as soon as it has them"


def test_it_does_not_hold_up_a_rejection():
    alone, study = study_of(goal="all"), study_of(goal="all", min_evaluations=60)
    alone.run(evaluate)
    study.run(evaluate)
    assert results_of(study, "bad") == results_of(alone, "bad") < results_of(study, "good") == 60


def test_with_groups_the_evaluations_of_all_groups_count():
    asked = ["a >= 0.5 ~ 0.1 : bernoulli @ one", "b >= 0.5 ~ 0.1 : bernoulli @ two"]
    study = sf.create_study(["x"], asked, min_evaluations=90)

    def measure(pull):
        return {"a": 1} if pull.groups == ("one",) else {"b": 1}

    assert study.run(measure, with_pull=True).arm == "x"
    assert results_of(study, "x") == 90


def test_while_it_waits_it_says_what_for():
    study = study_of(min_evaluations=50)
    study.run(evaluate, max_evaluations=45)
    assert study.verdict().guess.missing.endswith("nothing is accepted before it has 50")


def test_it_is_part_of_the_question(tmp_path):
    storage = f"sqlite:///{tmp_path / 'one.db'}"
    assert study_of(storage=storage).spec.as_content()["min_evaluations"] == 1
    study_of(storage=storage, load_if_exists=True, min_evaluations=1)
    with pytest.raises(OtherStudy, match="min_evaluations is 1 there and 5 here"):
        study_of(storage=storage, load_if_exists=True, min_evaluations=5)
    kept = study_of(storage=storage, name="five", min_evaluations=5)
    assert sf.load_study(storage, "five").spec == kept.spec
    assert kept.spec.min_evaluations == 5


@pytest.mark.parametrize("wrong", [0, -1, 2.5, True, "3"])
def test_anything_but_a_whole_number_is_refused(wrong):
    with pytest.raises(InvalidSpec, match="min_evaluations must be a whole number, 1 or more"):
        study_of(min_evaluations=wrong)
