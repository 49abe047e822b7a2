"""What an evaluation costs, as people write it: numbers, tables, expressions of parameters, reported metrics."""

from math import nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from satisfice.errors import InvalidProblem, SatisficeError
from satisfice.problem.cost import DEEPEST, LONGEST, cost_of, expression_of, reported
from tests.fuzz.odd import works_or_says_why

CONFIGS = [("small", {"tokens": 100, "gpus": 1, "lambda": 2.0}), ("large", {"tokens": 2000, "gpus": 8, "lambda": 0.5})]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.01 * tokens + gpus * 2.5", (3.5, 40.0)),
        ("2 ** 3 ** 2", (512.0, 512.0)),
        ("-2 ** 2 + 5", (1.0, 1.0)),
        ("2 ** -1", (0.5, 0.5)),
        ("10 - 4 - 3", (3.0, 3.0)),
        ("24 / 4 / 2", (3.0, 3.0)),
        ("(1 + gpus) * (tokens - 50)", (100.0, 17550.0)),
        ("max(gpus, 3, lambda) + min(tokens, 150)", (103.0, 158.0)),
        ("1e-3*tokens", (0.1, 2.0)),
        (".5e1", (5.0, 5.0)),
        ("--gpus", (1.0, 8.0)),
        ("tokens", (100.0, 2000.0)),
        (" 7 ", (7.0, 7.0)),
    ],
)
def test_expressions(text, expected):
    assert cost_of(text, CONFIGS).by_config == pytest.approx(expected, rel=1e-15)


def test_a_number_is_for_all_and_a_table_for_each():
    assert cost_of(3, CONFIGS).by_config == (3.0, 3.0)
    found = cost_of({"large": 5, "small": 1}, CONFIGS)
    assert (found.by_config, found.said, found.metric) == ((1.0, 5.0), {"small": 1.0, "large": 5.0}, None)


def test_a_name_that_is_no_parameter_is_a_metric():
    assert cost_of("usd", CONFIGS).metric == "usd"
    assert cost_of("usd", CONFIGS).by_config is None
    assert cost_of("gpu/hours", CONFIGS, ["gpu/hours"]).metric == "gpu/hours"
    assert cost_of("gpus", CONFIGS, ["gpus"]).metric is None


@pytest.mark.parametrize(
    ("cost", "sentence"),
    [
        (0, "The cost must be a number of more than 0 and less than 1e.15, got 0"),
        (-1.5, "got -1.5"),
        (nan, "got nan"),
        (True, "got True"),
        (None, "got None"),
        ([1, 2], r"got \[1, 2\]"),
        (10**400, "got 1000"),
        ("", "an empty text"),
        ("0 * tokens", "'0 \\* tokens' of 'small' must be a number of more than 0"),
        ("tokens - 500", "of 'small' must be a number of more than 0 .* got -400"),
        (
            "0.01 * token",
            "No parameter of 'small', for the cost '0.01 \\* token', is called 'token'. Did you mean 'tokens'",
        ),
        ("1 / (gpus - 1)", "of 'small' cannot be computed: .*division by zero"),
        ("10 ** 999 + tokens", "cannot be computed"),
        ("(gpus - 8) ** 0.5", "of 'small' cannot be computed: -7 \\*\\* 0.5 is no real number"),
        ("tokens +", "cannot be read at its end. Expected numbers, names of parameters"),
        ("tokens gpus", "cannot be read at 'gpus'"),
        ("2 * (tokens", "cannot be read at its end"),
        ("__import__('os')", "cannot be read at"),
        ("tokens; 1", "cannot be read at ';'"),
        ("sqrt(tokens)", r"cannot be read at '\('"),
        ("min()", r"cannot be read at '\)'"),
        ("(" * (DEEPEST + 1) + "1", "brackets inside of each other"),
        ("1 + " * LONGEST + "1", "at most 500 characters"),
        ("2 ** " * (DEEPEST + 1) + "2", "inside of each other"),
        ("us\0d", "NUL"),
        ({"small": 1}, "Expected a cost for each configuration, and 'large' has none"),
        ({"small": 1, "large": 1, "huge": 1}, "No config is called 'huge'"),
        ({"small": 1, "large": "much"}, "The cost of 'large' must be a number .* got 'much'"),
        ({3: 1}, "No config is called '3'"),
    ],
)
def test_what_is_no_cost_gets_a_sentence(cost, sentence):
    with pytest.raises(SatisficeError, match=sentence):
        cost_of(cost, CONFIGS)


def test_parameters_must_be_numbers():
    with pytest.raises(InvalidProblem, match="needs numbers, but 'size' of 'a' is 'big'"):
        cost_of("2 * size", [("a", {"size": "big"})])
    with pytest.raises(SatisficeError, match="No parameter of 'b', for the cost 'size', is called 'size'"):
        cost_of("size", [("a", {"size": 1}), ("b", {})])


EXPRESSIONS = st.recursive(
    st.sampled_from(["0.0", "3.0", ".5e1", "1e-3", "1e200", "tokens", "gpus"]),
    lambda inner: st.one_of(
        st.builds("{} {} {}".format, inner, st.sampled_from(["+", "-", "*", "/", "**"]), inner),
        st.builds("{}{}".format, st.sampled_from("+-"), inner),
        st.builds("({})".format, inner),
        st.builds("{}({}, {})".format, st.sampled_from(["min", "max"]), inner, inner),
    ),
    max_leaves=8,
)


def worth(value):
    """What comes of computing a value: a number, or that there is none."""
    try:
        found = value()
    except (ArithmeticError, TypeError):  # complex numbers, which Python knows and which have no order, are none
        return "none"
    return "none" if isinstance(found, complex) else repr(found)


@given(EXPRESSIONS)
def test_an_expression_is_worth_what_python_makes_of_it(text):
    values = {"tokens": 100.0, "gpus": -8.0}
    expected = worth(lambda: eval(text, values))  # a text that was made above
    found = expression_of(text)
    assert worth(lambda: found.value(values)) == expected
    assert list(found.names) == sorted(found.names, key=text.index)


@given(st.text(alphabet="0123456789.eE+-*/() ,mintaxokes_", max_size=60))
def test_any_text_is_read_or_gets_a_sentence(text):
    found = works_or_says_why(lambda: expression_of(text))
    assert found is None or (found.text == text.strip() and all(name in text for name in found.names))


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        ({}, "Expected 'usd' among the results, which is what an evaluation costs: missing"),
        (None, "Expected 'usd' among the results"),
        ({"usd": -0.1}, "as one number of 0 or more .* got -0.1"),
        ({"usd": nan}, "got nan"),
        ({"usd": "0.1"}, "got '0.1'"),
        ({"usd": [0.1]}, r"got \[0.1\]"),
        ({"usd": True}, "got True"),
        ({"usd": 1e20}, "less than 1e"),
    ],
)
def test_what_is_no_reported_cost_gets_a_sentence(results, sentence):
    with pytest.raises(InvalidProblem, match=sentence):
        reported("usd", results)


def test_what_is_free_costs_nothing():
    assert reported("usd", {"usd": 0}) == 0.0
