"""Arms, plug-ins and results: what is made of what is given, and what is said when that does not fit."""

import re
from math import inf, nan

import numpy as np
import pytest

import satisfice as sf
from satisfice.catalogue import rule_label
from satisfice.errors import IncompleteRule, InvalidInstance, UnknownName
from satisfice.rules import RULES
from satisfice.stopping import STOPPING_RULES
from satisfice.stopping.decision import fails, passes
from tests.helpers import cases

PROBLEM = sf.problem_of(["a >= 0.5 : normal(2)", "b <= 0.5 : bernoulli", "c >= 1 : bounded(0, 4)"])


@pytest.mark.parametrize(
    ("means", "sentence"),
    [
        ([[0.1, 0.2], [0.3]], "row 2 has 1"),
        ([0.1, 0.2], "got a flat list"),
        ([[0.1, "x"]], "some entry is not a number"),
        ([], "Expected the means as one row for each arm"),
        ("means", "Expected the means as one row for each arm"),
        ([[0.1, nan]], "arm 1 has nan for metric 2"),
        ([[0.1, 0.2], [float("inf"), 0.1]], "arm 2 has inf for metric 1"),
    ],
)
def test_means_that_do_not_fit(means, sentence):
    with pytest.raises(InvalidInstance, match=sentence):
        sf.gaussian_arms(means, 1.0)


@pytest.mark.parametrize(
    ("sds", "correlation", "sentence"),
    [
        (
            [1.0, 2.0, 3.0],
            None,
            "Expected the standard deviations as one number, 2 numbers (one for each metric) or 1 rows",
        ),
        (-1.0, None, "Every standard deviation must be zero or more and finite"),
        (nan, None, "Every standard deviation must be zero or more and finite"),
        ("wide", None, "Expected the standard deviations as one number"),
        (1.0, [[1.0, 0.5]], "Expected the correlation as one number or a symmetric 2 x 2 matrix"),
        (1.0, [[1.0, 0.5], [0.4, 1.0]], "Expected the correlation as one number or a symmetric 2 x 2 matrix"),
        (1.0, [[2.0, 0.5], [0.5, 1.0]], "with ones on its diagonal"),
        (1.0, 1.5, "The correlation matrix is not positive definite"),
        (1.0, nan, "Expected the correlation as one number or a symmetric 2 x 2 matrix"),
    ],
)
def test_spreads_and_correlations_that_do_not_fit(sds, correlation, sentence):
    with pytest.raises(InvalidInstance, match=re.escape(sentence)):
        sf.gaussian_arms([[0.0, 0.0]], sds, correlation)


@pytest.mark.parametrize(
    ("means", "settings", "sentence"),
    [
        ([[0.0, 0.5]], {}, "Expected 3 means for each arm, one for each threshold (a, b, c), got 2"),
        (
            [[0.0, 0.5, 1.0], [0.0, 1.1, 1.0]],
            {},
            "'b' is declared bernoulli, so its means must lie in [0, 1], but arm 2",
        ),
        (
            [[0.0, 0.5, 4.0]],
            {},
            "'c' is declared bounded(0, 4), so its means must lie strictly inside [0, 4], but arm 1",
        ),
        ([[0.0, 0.5, 1.0]], {"concentration": 0.0}, "The concentration of a Beta must be positive and finite, got 0.0"),
        (
            [[0.0, 0.5, 1.0]],
            {"correlation": 0.5},
            "A correlation needs normal noise in every metric, but 'b' has another",
        ),
    ],
)
def test_arms_that_do_not_fit_their_problem(means, settings, sentence):
    with pytest.raises(InvalidInstance, match=re.escape(sentence)):
        sf.arms_for(PROBLEM, means, **settings)


def test_recorded_arms(tmp_path):
    data = tmp_path / "past.csv"
    data.write_text("arm,loss,speed\nfast,0.1,9\nslow,0.3,2\nfast,0.2,11\n")
    arms, names = sf.recorded_arms(data, ["speed", "loss"])
    assert names == ("fast", "slow")
    assert arms.means == pytest.approx(np.array([[10.0, 0.15], [2.0, 0.3]]))
    assert arms.starts.tolist() == [0, 2, 3]
    assert arms.rows.tolist() == [[9, 0.1], [11, 0.2], [2, 0.3]]


@pytest.mark.parametrize(
    ("name", "content", "error", "sentence"),
    [
        ("past.csv", "arm,loss\na,0.1\n", UnknownName, "No column of past.csv is called 'speed'. Known: arm, loss"),
        ("past.csv", "arm,loss,speed\na,0.1,fast\n", InvalidInstance, "column 'speed' must hold numbers"),
        ("past.csv", "arm,loss,speed\na,0.1,2\nb,0.2,\n", InvalidInstance, "row 2, column 'speed' is nan"),
        ("past.csv", "arm,loss,speed\n", InvalidInstance, "has no rows"),
        ("past.txt", "", InvalidInstance, "cannot be read as CSV"),
        ("past.parquet", "no Parquet", InvalidInstance, "cannot be read as Parquet"),
        (None, None, InvalidInstance, "there is no such file"),
    ],
)
def test_recorded_arms_that_cannot_be_read(tmp_path, name, content, error, sentence):
    if name is not None:
        (tmp_path / name).write_text(content)
    with pytest.raises(error, match=sentence):
        sf.recorded_arms(tmp_path / (name or "nowhere.csv"), ["loss", "speed"])


def test_rules_by_name_class_and_value():
    for given in ("multitucb", " MultiTUCB ", sf.MultiTUCB, sf.MultiTUCB(), "satisfice.rules:MultiTUCB"):
        assert RULES.resolve(given) == sf.MultiTUCB()
    assert RULES.resolve(sf.MultiTUCB(3.0)).variance_factor == 3.0
    assert STOPPING_RULES.resolve("alpha") == sf.AlphaBoundary()


class Needy(sf.MultiTUCB):
    def __new__(cls, size):
        return super().__new__(cls, size)


@pytest.mark.parametrize(
    ("given", "error", "sentence"),
    [
        (None, IncompleteRule, "NoneType lacks bonus and priority"),
        (sf.AlphaBoundary, IncompleteRule, "AlphaBoundary lacks bonus and priority"),
        (Needy, IncompleteRule, "Needy cannot be made without its fields"),
        (
            "nowhere:Rule",
            UnknownName,
            "No sampling rule can be imported from 'nowhere:Rule': No module named 'nowhere'",
        ),
        ("math:Rule", UnknownName, "No sampling rule can be imported from 'math:Rule': module 'math' has no attribute"),
    ],
)
def test_what_is_no_rule(given, error, sentence):
    with pytest.raises(error, match=sentence):
        RULES.resolve(given)
    with pytest.raises(IncompleteRule, match="MultiTUCB lacks width"):
        STOPPING_RULES.resolve(sf.MultiTUCB)


def test_labels_say_what_differs_from_the_defaults():
    assert rule_label(sf.MultiTUCB()) == "MultiTUCB"
    assert rule_label(sf.MultiTUCB(2.5)) == "MultiTUCB(variance_factor=2.5)"
    assert rule_label(sf.MultiTUCB(2.0000001)) == "MultiTUCB(variance_factor=2.0000001)"
    assert rule_label(sf.MultiTUCB(None)) == "MultiTUCB(variance_factor=None)"


def test_an_answer_is_wrong_only_beyond_rounding():
    """0.5 - 0.495 is not 0.005 in floating point, and 0.3 + 0.6 is not 0.9: means at the edge are within it."""
    instance = cases.gaussian([[0.4949], [0.495], [0.3 + 0.6]], [0.5], tolerance=0.005)
    found, none = np.array([0, 1, 2, -1, -1]), np.array([False, False, False, True, False])
    assert instance.is_wrong(found, none).tolist() == [True, False, False, True, False]
    edge = cases.gaussian([[0.3 + 0.6 - 0.8]], [0.1])
    assert edge.is_wrong(np.array([0, -1]), np.array([False, True])).tolist() == [False, True]
    hopeless = cases.gaussian([[0.495]], [0.5], tolerance=0.005)
    assert hopeless.is_wrong(np.array([-1]), np.array([True])).tolist() == [False]


def test_decisions_at_equality_are_the_papers():
    """Accepted once ghat + alpha <= eps, rejected once ghat - alpha > 0 (paper, Algorithm 2)."""
    assert passes(-0.5, 0.5)
    assert not passes(-0.5, 0.5000000001)
    assert not fails(0.5, 0.5)
    assert fails(0.5000000001, 0.5)
    assert not passes(-1e300, inf)
    assert not fails(1e300, inf)


def test_summaries_and_tables_count_every_repetition(tmp_path):
    """Numbers of a small campaign, taken by hand from its repetitions."""
    instance = cases.none_good()
    result = sf.simulate(
        instance.problem,
        instance.arms,
        rules=["multitucb"],
        stopping="alpha",
        repetitions=40,
        max_evaluations=110,
        seed=2,
        engine="interpreted",
    )
    (cell,), (row,) = result.cells, result.summary()
    late = cell.pulls == 110
    assert 0 < cell.timed_out.sum() < 40
    assert (cell.timed_out == (cell.endings == 0)).all()
    assert (late | ~cell.timed_out).all()
    assert row.mean == pytest.approx(cell.pulls.sum() / 40)
    assert row.timed_out == cell.timed_out.sum() / 40
    assert row.timed_out_low < row.timed_out < row.timed_out_high
    assert row.none + row.found + row.timed_out == pytest.approx(1)
    assert sum(row.pulls_per_arm) == pytest.approx(row.mean)
    table = result.table().to_pydict()
    assert table["evaluations"] == cell.pulls.tolist()
    assert table["repetition"] == list(range(40))
    assert [outcome == "UNDECIDED" for outcome in table["outcome"]] == cell.timed_out.tolist()
    assert [arm is None for arm in table["arm"]] == (cell.found < 0).tolist()
    names = {path.name for path in result.save(tmp_path)}
    assert names == {"results.parquet", "summary.csv", "pulls_per_arm.csv"}
    assert len(str(result.summary()).splitlines()) == 2
