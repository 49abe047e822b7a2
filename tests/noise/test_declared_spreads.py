"""A declared standard deviation is a positive finite number, however it is declared."""

from math import inf, nan

import pytest

import satisfice as sf
from satisfice.errors import InvalidProblem, SatisficeError


@pytest.mark.parametrize("sd", [0.0, -1.0, nan, inf, "3", True])
@pytest.mark.parametrize("model", [sf.Spread, sf.Normal, sf.SubGaussian])
def test_what_is_none_is_refused(model, sd):
    with pytest.raises(InvalidProblem, match=r"positive|expects numbers"):
        sf.Metric("x", 1.0, noise=model(sd))


@pytest.mark.parametrize("text", ["spread(0)", "spread(-1)", "normal(0)", "normal(-2)", "subgaussian(0)"])
def test_nor_is_it_read(text):
    with pytest.raises(SatisficeError, match="positive"):
        sf.problem_of([f"x <= 1 : {text}"])


@pytest.mark.parametrize("sd", [1e-300, 1, 2.5, 1e300])
def test_any_other_number_is_taken(sd):
    assert sf.Metric("x", 1.0, noise=sf.Spread(sd)).noise == sf.Spread(sd)
