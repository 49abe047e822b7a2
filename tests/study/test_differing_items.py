"""The items on which two configs differ, in Python."""

import pytest

import satisfice as sf
from satisfice.errors import InvalidSpec, UnknownName


def told(of="of 40", configs=("a", "b"), **options):
    """Of ten items in twenty-five asks, b fails those that are divisible by 5, and a those that leave 1."""
    study = sf.create_study(list(configs), [f"x >= 0.5 : bernoulli {of}"], error_rate=1e-9, **options)
    for _ in range(30):
        pull = study.ask()
        study.tell(pull, {"x": pull.item % 5 != (1 if pull.name == "a" else 0)})
    return study


@pytest.mark.parametrize("of", ["of 40", "of 12 sampled"])
def test_items_that_both_had_are_compared(of):
    study = told(of)
    seen = {name: {one.item for one in study.evaluations() if one.config == name} for name in "ab"}
    both = seen["a"] & seen["b"]
    (found,) = study.differing_items("a", "b")
    assert both
    assert (found.metric, found.both) == ("x", len(both))
    assert found.higher == tuple(sorted(item for item in both if item % 5 == 0))
    assert found.lower == tuple(sorted(item for item in both if item % 5 == 1))
    (turned,) = study.differing_items("b", "a")
    assert (turned.higher, turned.lower) == (found.lower, found.higher)


def test_of_an_item_that_was_drawn_several_times_the_mean_counts():
    study = sf.create_study(["a", "b"], ["x >= 0.5 : bernoulli of 1 sampled"], error_rate=1e-9)
    count = {"a": 0, "b": 0}
    for _ in range(40):
        pull = study.ask()
        count[pull.name] += 1
        study.tell(pull, {"x": pull.name == "a" or count["b"] % 2})
    assert study.differing_items("a", "b")[0].higher == (0,)


def test_what_cannot_be_compared():
    with pytest.raises(UnknownName, match="'c'"):
        told().differing_items("a", "c")
    with pytest.raises(InvalidSpec, match="none to compare"):
        sf.create_study(["a", "b"], ["x >= 0.5"]).differing_items("a", "b")
    study = sf.create_study(["a", "b"], ["x >= 0.5 : bernoulli of 40"])
    assert "no item was evaluated with both a and b" in str(study.differing_items("a", "b")[0])


def test_a_sentence_has_some_of_many_items():
    study = sf.create_study(["a", "b"], ["x >= 0.001 : bounded(0, 1) of 900"], error_rate=1e-200)
    for pull in study.ask(600):
        study.tell(pull, {"x": 0.1 if pull.name == "a" else 0.1 + pull.item / 2000})
    (found,) = study.differing_items("a", "b")
    assert len(found.lower) > 100
    assert list(found.lower) == sorted(found.lower, reverse=True)  # the largest difference first
    assert f"and {len(found.lower) - 20:,} more" in str(found)
    assert len(str(found)) < 300
