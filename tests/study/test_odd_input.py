"""What nobody expects as a name, a parameter, a reason or a seed: a sentence, before anything is made or lost."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.cli.export_formats import as_parquet
from satisfice.errors import InvalidProblem, InvalidSpec

ASKED = ["a <= 5 : normal(1)"]


def deep(levels):
    found = []
    for _ in range(levels):
        found = [found]
    return found


def test_a_grid_that_is_too_large_is_refused_before_it_is_made():
    """It was built: 656,100,000,000 dicts."""
    with pytest.raises(InvalidSpec, match=r"at most 1,000,000 configs, and these are 656,?100,?000,?000"):
        sf.grid(**{f"x{place}": range(30) for place in range(8)})
    with pytest.raises(InvalidProblem, match=r"at most 1,000,000 configurations, got 656100000000"):
        sf.plan(ASKED, 30**8)


ALIKE = {
    "a space at the end": ("x", "x "),
    "how an accent is composed": ("\u00e9t\u00e9", "e\u0301te\u0301"),
    "a control character and its name": ("\x1b", "\\x1b"),
}


@pytest.mark.parametrize("case", ALIKE)
def test_names_that_look_the_same_are_refused(case):
    """They were two rows of a table that nobody could tell apart, and one on the command line."""
    with pytest.raises(InvalidSpec, match=r"which look the same\. Rename one"):
        sf.create_study(ALIKE[case], ASKED, storage="memory")


REFUSED = {
    "half a character in a name": ["\ud800"],
    "NUL in a name": ["a\0b"],
    "half a character in a parameter": {"a": {"x": "\ud800"}},
    "half a character deep in a parameter": {"a": {"x": [["\ud800"]]}},
    "half a character as a parameter's name": {"a": {"\ud800": 1}},
    "NUL in a parameter": {"a": {"x": "\0"}},
    "a parameter without a name": {"a": {"": 1}},
    "a parameter of 5000 digits": {"a": {"x": 10**5000}},
    "a parameter that is too deep": {"a": {"x": deep(100_000)}},
    "an array": {"a": {"x": np.array([1.0])}},
    "no name": [""],
    "a space for a name": [" "],
    "a number for a name": [10**5000],
    "one text": "abc",
    "a number": 3,
}


@pytest.mark.parametrize("case", REFUSED)
def test_configs_that_cannot_be_kept_are_refused(case):
    """Some ended with UnicodeEncodeError, RecursionError or ValueError, some in the middle of a run."""
    with pytest.raises(InvalidSpec, match=r"\.$"):
        sf.create_study(REFUSED[case], ASKED, storage="memory")


@pytest.mark.parametrize("values", [[], [1, 1], [1, "1"]])
def test_a_grid_needs_different_values(values):
    with pytest.raises(InvalidSpec, match="Expected at least one value of 'x', and different ones, got"):
        sf.grid(x=values)


@pytest.mark.parametrize("name", ["\ud800", "a\0b", " ", "x" * 501])
def test_names_of_studies_that_cannot_be_kept(name):
    with pytest.raises(InvalidSpec, match="name of"):
        sf.create_study(["a"], ASKED, storage="memory", name=name)


def test_seeds_that_are_none():
    """From 2^128 on they ended with a ValueError of numpy."""
    for seed in (2**64, 10**5000, -1, 1.0, True):
        with pytest.raises(InvalidSpec, match="seed must be a whole number"):
            sf.create_study(["a"], ASKED, storage="memory", seed=seed)


def test_a_reason_that_cannot_be_written_is_written_out():
    """A failure whose reason had half a character, as names of files may have, could not be recorded at all."""
    with sf.create_study(["a"], ASKED, storage="memory", on_error="retry") as study:
        study.fail(study.ask(worker="w\ud800"), "no file \udcff\0")
        assert [one.failure for one in study.evaluations()] == ["no file \\udcff\\x00"]


def test_a_function_that_raises_such_a_reason():
    def evaluate(config):
        raise RuntimeError("no file \udcff")

    with sf.create_study(["a"], ASKED, storage="memory") as study, pytest.raises(sf.SatisficeError, match="udcff"):
        study.run(evaluate)


def test_integers_beyond_63_bits_are_texts_in_parquet():
    assert as_parquet({"x": [2**70, 1]})[:4] == b"PAR1"
