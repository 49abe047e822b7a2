"""A result of a wrong type is no result: nothing is recorded, and its pull stays open."""

from typing import Any

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidResult
from tests.helpers.programs import python, run

NOT_ZERO_OR_ONE = ["normal(12)", "checked", "bounded(0, 100)", "poisson", "exact"]


@pytest.mark.parametrize("value", [True, False, np.True_, None, "12"], ids=repr)
@pytest.mark.parametrize("noise", NOT_ZERO_OR_ONE)
@pytest.mark.parametrize("policy", [{}, {"on_error": "worst", "worst": {"x": 100}}], ids=["stop", "worst"])
def test_no_number_is_no_result(value: object, noise: str, policy: dict[str, Any]) -> None:
    """True stopped the study for good, or counted as the worst result, where None and texts were refused."""
    study = sf.create_study(["a", "b"], [f"x <= 50 : {noise}"], **policy)
    pull = study.ask()
    with pytest.raises(InvalidResult, match=r"Expected a .*number.* for 'x' .*Nothing was recorded"):
        study.tell(pull, {"x": value})
    assert study.counts().told == study.counts().failed == 0
    study.tell(pull, {"x": 12})
    assert study.counts().told == 1


@pytest.mark.parametrize("sides", [(True, 1.0), (1.0, True), (True, False)], ids=repr)
def test_nor_is_it_one_beside_a_baseline(sides: tuple[object, object]) -> None:
    study = sf.create_study(["a", "b"], ["x <= baseline : normal(1)"], baseline="old")
    pull = study.ask()
    with pytest.raises(InvalidResult, match=r"'x'.*got True"):
        study.tell(pull, {"x": sides[0]}, baseline={"x": sides[1]})
    study.tell(pull, {"x": 1.0}, baseline={"x": 2.0})
    assert study.counts().told == 1


@pytest.mark.parametrize("value", [True, np.False_], ids=repr)
@pytest.mark.parametrize("threshold", ["x >= 0.5 ~ 0.1 : bernoulli", "x == true", "share(x >= 1) >= 0.9"])
def test_truth_is_a_result_where_it_is_one(value: object, threshold: str) -> None:
    study = sf.create_study(["a", "b"], [threshold])
    study.tell(study.ask(), {"x": value})
    assert study.counts().told == 1


def test_a_program_that_prints_true_has_printed_no_time() -> None:
    """It was taken for 1, a very good latency."""
    study = sf.create_study(["a"], ["latency <= 50 : normal(12)"])
    results = run(python("print('{\"latency\": true}')", metrics=["latency"]))
    with pytest.raises(InvalidResult, match="Expected a finite number for 'latency'"):
        study.tell(study.ask(), results)
