"""Scans of a parameter, and the order in which configurations are tried."""

import json

import pytest

from satisfice.cli.parse import grid_of, ordered, with_scans
from satisfice.cli.request import request_of
from satisfice.errors import InvalidCommand, InvalidSpec, UnknownName


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1..4", [1, 2, 3, 4]),
        ("1..9..4", [1, 5, 9]),
        ("0..1..0.3", [0.0, 0.3, 0.6, 0.9]),
        ("0.1..0.3..0.1", [0.1, 0.2, 0.3]),
        ("-1..1", [-1, 0, 1]),
        ("1,5..7,x", [1, 5, 6, 7, "x"]),
        ("1..", ["1.."]),
        ("a..c", ["a..c"]),
    ],
)
def test_lists_and_scans(text, values):
    found = grid_of([f"level={text}"])["level"]
    assert found == values
    assert list(map(type, found)) == list(map(type, values))


def test_a_scan_with_its_step():
    assert with_scans({}, ["level 1 9"], "4") == {"level": [1, 5, 9]}
    assert with_scans({"codec": ["a"]}, ["x 0 1"], "0.5") == {"codec": ["a"], "x": [0.0, 0.5, 1.0]}


@pytest.mark.parametrize(
    ("grid", "scans", "step", "said"),
    [
        ({"level": [1]}, ["level 1 9"], None, "scans the parameter 'level', and -L lists its values too"),
        ({}, ["level 1 9", "level 2 3"], None, "'level', and another -P does so too"),
        ({}, ["level 9 1"], None, "first value that is at most the last; got 9 to 1"),
        ({}, ["level 1 9"], "0", "a step of more than 0"),
        ({}, ["level 1 x"], None, "expected numbers, as in level 1 9, got '1', 'x'"),
        ({}, ["level 1 nan"], None, "expected numbers"),
        ({}, ["level 1"], None, "-P expects NAME FROM TO, as in -P level 1 9, got 'level 1'"),
        ({}, [], "2", "there is none: give -P NAME FROM TO"),
    ],
)
def test_odd_scans(grid, scans, step, said):
    with pytest.raises(InvalidCommand, match=said):
        with_scans(grid, scans, step)


def test_a_scan_of_too_many_values_is_refused_before_they_are_made():
    with pytest.raises(InvalidSpec, match="at most 1,000,000 configs"):
        grid_of(["level=0..1e12"])


def test_an_order_is_drawn_by_the_seed_and_is_always_the_same():
    configs = dict.fromkeys("abcdefgh")
    assert list(ordered(configs, "given", 0)) == list("abcdefgh")
    orders = {seed: "".join(ordered(configs, "random", seed)) for seed in range(20)}
    assert orders[3] == "".join(ordered(configs, "random", 3))
    assert len(set(orders.values())) == 20
    assert {order[0] for order in orders.values()} > {"a"}
    with pytest.raises(UnknownName, match="No order is called 'radom'"):
        ordered(configs, "radom", 0)


def test_a_file_scans_too(tmp_path):
    (tmp_path / "s.toml").write_text(
        'thresholds = ["wall_time <= 1"]\ncommand = "true {level}"\norder = "random"\n[grid]\nlevel = "1..9..4"\n'
    )
    request = request_of(tmp_path / "s.toml", [], {})
    assert sorted(request.study["configs"]) == ["level=1", "level=5", "level=9"]


def test_a_scan_on_the_command_line(bench, satisfice):
    words = ["-P", "level", "1", "3", "-D", "2", "-t", "a <= 5 : normal(1)", "--goal", "all", "--json"]
    done = satisfice("run", *words, "--", "echo", '{"a": {level}}')
    assert [one["config"] for one in json.loads(done.out)["configs"]] == ["level=1", "level=3"]
