"""What a check of the results speaks against stands in the line of the verdict; a strict study withholds it."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import binomtest

import satisfice as sf
from satisfice.errors import DecidedEarlier
from satisfice.show.as_json import study_document
from satisfice.show.junit import junit_of


def told(study, values):
    """The study after these results, as many as it asks for."""
    for value in values:
        if (pull := study.ask()) is None:
            break
        study.tell(pull, {"x": float(value)})
    return study


def carried_over(correlation, count, seed=1):
    rng = np.random.default_rng(seed)
    values = [rng.normal()]
    for _ in range(count - 1):
        values.append(correlation * values[-1] + sqrt(1 - correlation**2) * rng.normal())
    return np.array(values)


@pytest.mark.parametrize(
    ("values", "threshold", "clause"),
    [
        (np.random.default_rng(1).normal(size=100) + np.linspace(0, 3, 100), "x <= 4", "results drift"),
        (carried_over(0.7, 100), "x <= 4", "results carry over"),
        (np.random.default_rng(1).exponential(size=100), "x <= 4 : normal", "results are not normal as declared"),
        (3 * np.random.default_rng(1).normal(size=100), "x <= 4 : normal(0.5)", "results contradict what was declared"),
    ],
)
def test_a_check_that_fails_stands_in_the_line_of_the_verdict(values, threshold, clause, tmp_path):
    where = f"sqlite:///{tmp_path}/kept.db"
    options = {"storage": where, "name": "s", "min_evaluations": 100}
    with told(sf.create_study(["one"], [threshold], **options), values) as study:
        verdict = study.verdict()
        assert verdict.outcome == "FOUND"
        assert clause in verdict.failed_checks
        assert verdict.certainty.endswith(f"; {' and '.join(verdict.failed_checks)}: read the check")
    with sf.create_study(["one"], [threshold], strict=True, load_if_exists=True, **options) as study:
        withheld, view = study.verdict(), study.view()
        why = " and ".join(verdict.failed_checks)
        assert str(withheld) == f"UNDECIDED   100 evaluations   FOUND one is withheld: {why}: read the check"
        assert (withheld.arm, withheld.accepted, withheld.withheld) == (None, ("one",), "FOUND one")
        assert study.ask() is None
        assert study_document(view)["outcome"] == "UNDECIDED"
        assert study_document(view)["withheld"] == "FOUND one"
        assert junit_of(view, 0.0).count("<skipped") == 2
        with pytest.warns(DecidedEarlier):
            assert study.run(lambda config: {"x": 0.0}) == withheld
    checked = sf.verify(where)
    assert checked.ok
    assert checked.verdict == withheld, "the log alone says so"
    with sf.create_study(["one"], [threshold], load_if_exists=True, **options) as study:
        assert study.verdict().outcome == "FOUND", "whoever asks without it decides for himself"
    assert sf.verify(where).ok


def test_a_shape_that_nobody_declared_and_a_first_result_do_not_fail():
    skewed = np.random.default_rng(1).exponential(size=400)
    with told(sf.create_study(["one"], ["x <= 4"], strict=True, min_evaluations=100), skewed) as study:
        assert study.verdict().outcome == "FOUND"
        assert [check.kind for check in study.view().checks if not check.failed]
    cold = np.concatenate([[30.0], np.random.default_rng(1).normal(size=399)])
    with told(sf.create_study(["one"], ["x <= 4 : normal"], strict=True, min_evaluations=100), cold) as study:
        kinds = {check.kind: check.failed for check in study.view().checks}
        assert kinds["warm_up"] is False


def test_a_drift_of_another_configuration_does_not_withhold_what_was_found():
    rng = np.random.default_rng(1)
    search = sf.Search(sf.problem_of(["x <= 4"]), ["good", "leaks"], min_evaluations=60)
    for number in range(60):
        search.fold(1, (3.0 + number / 10 + rng.normal(),))
    while search.tell("good", {"x": rng.normal()}) is sf.Outcome.UNDECIDED:
        pass
    assert search.verdict.arm == "good"
    assert [check.config for check in search.checks() if check.kind == "drift"] == ["leaks"]
    assert search.verdict.failed_checks == ()


def study_of_nine(rng, correlation, gaps):
    """A live study whose results carry over from one evaluation of a configuration to its next; its verdict."""
    search = sf.Search(sf.problem_of(["x <= 0"]), [f"a{number}" for number in range(9)], seed=int(rng.integers(2**32)))
    state = rng.normal(size=9)
    while (arm := search.ask()) is not None and search.used < 1000:
        place = int(arm[1:])
        state[place] = correlation * state[place] + sqrt(1 - correlation**2) * rng.normal()
        search.tell(arm, {"x": gaps[place] + state[place]})
    return search.verdict


def test_what_carries_over_is_seen_in_most_studies_that_are_wrong_for_it_and_seldom_elsewhere():
    """Nine configurations just beyond their limit: each alone has too few results to show a correlation of .3."""
    rng = np.random.default_rng(7)
    wrong = [verdict for _ in range(60) if (verdict := study_of_nine(rng, 0.3, [0.02] * 9)).outcome == "FOUND"]
    seen = sum("results carry over" in verdict.failed_checks for verdict in wrong)
    assert seen > len(wrong) / 2
    fine = [study_of_nine(rng, 0.0, [-0.3] + [0.3] * 8) for _ in range(100)]
    false = sum(bool(verdict.failed_checks) for verdict in fine)
    assert binomtest(false, len(fine)).proportion_ci(0.999).low <= 0.01
