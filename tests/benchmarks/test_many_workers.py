"""The benchmark of many workers: its instances exist, and its bars look at the worst of them."""

import pytest

from benchmarks.evaluations.family import chosen_members
from benchmarks.workers.__main__ import line, means
from benchmarks.workers.floor import floor_of
from benchmarks.workers.measure import INSTANCES, LATE, PLAIN, Row, bars

ROWS = [
    Row("easy", PLAIN, 32, 100.0, 1.2, 1.5, 1.25, 0.0),
    Row("hard", PLAIN, 32, 100.0, 1.4, 1.3, 1.25, 0.001),
    Row("hard", PLAIN, 64, 100.0, 9.0, 9.0, 9.0, 0.0),
    Row("easy", LATE, 32, 100.0, 1.0, 1.0, 1.9, 0.0),
]


def test_the_instances_exist():
    assert {member.name for member in chosen_members(INSTANCES)} == set(INSTANCES)


def test_bars_are_for_the_worst_instance_with_32_workers():
    found = {bar.what: (bar.measured, bar.met, bar.details) for bar in bars(ROWS)}
    assert found == {
        f"used, {PLAIN}": (1.4, False, "hard"),
        f"asked, {PLAIN}": (1.5, True, "easy"),
        f"time, {PLAIN}": (1.25, True, "easy"),
        f"used, {LATE}": (1.0, True, "easy"),
        f"asked, {LATE}": (1.0, True, "easy"),
        f"time, {LATE}": (1.9, True, "easy"),
    }
    assert bars(ROWS[2:3]) == []


def test_means_are_geometric_and_by_durations_and_workers():
    assert [each[:3] for each in means(ROWS)] == [
        ("geometric mean", PLAIN, "32"),
        ("geometric mean", PLAIN, "64"),
        ("geometric mean", LATE, "32"),
    ]
    assert means(ROWS)[0][4] == "1.30"
    assert line(ROWS[1]) == ("hard", PLAIN, "32", "100", "1.40", "1.30", "1.25", "1.00", "0.1")


def test_the_floor_is_what_the_longest_evaluation_takes():
    """33 equal ones take 32 workers two rounds; lognormal ones are waited for, and stragglers longer."""
    instance = chosen_members(INSTANCES)[0].instance
    floors = [floor_of(33, 32, text, instance, seed=1) for text in ("constant", PLAIN, LATE)]
    assert floors[0] == pytest.approx(64 / 33)
    assert floors[0] < 3.0 < floors[1] < floors[2]
    assert floor_of(20_000, 32, PLAIN, instance, seed=1) < 1.03
