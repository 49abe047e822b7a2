"""A user's expression that takes years to find nothing is ended in time, and stops nothing else meanwhile."""

from threading import Thread
from time import monotonic, sleep

import pytest

from satisfice.command import CommandEvaluation, output, parse_reading
from satisfice.errors import EvaluationFailed, NotMeasured
from tests.helpers.programs import run


def looking_for(*patterns, printed="a" * 60, **more):
    readings = dict(map(parse_reading, patterns))
    return CommandEvaluation(["echo", printed], metrics=list(readings), readings=readings, **more)


def test_an_expression_without_end_is_a_failure_that_names_it():
    """Once it held up the whole process, its other threads too, and Ctrl-C."""
    ticks = []

    def tick():
        while not ticks or ticks[-1]:
            ticks.append(monotonic())
            sleep(0.01)

    ticker = Thread(target=tick, daemon=True)
    ticker.start()
    began = monotonic()
    evaluation = looking_for("first=/a/", "slow=/(a+)+b/", timeout=1.5)
    with pytest.raises(
        EvaluationFailed, match=r"'slow': to look for /\(a\+\)\+b/ took longer than 1.5 s.* that repeats"
    ):
        run(evaluation)
    passed = [one for one in ticks if one > began]
    ticks.append(0)
    assert len(passed) > 20


def test_the_limit_of_looking_has_a_least_and_a_largest_value(monkeypatch):
    monkeypatch.setattr(output, "SHORTEST_SECONDS", 0.5)
    monkeypatch.setattr(output, "LONGEST_SECONDS", 0.75)
    for timeout, seconds in ((None, "0.75"), (100.0, "0.75"), (0.01, "0.5")):
        with pytest.raises(EvaluationFailed, match=f"took longer than {seconds} s"):
            output.last_matches({"slow": "(a+)+b"}, ["a" * 60], timeout)


def test_a_process_that_ends_in_another_way_says_nothing_about_the_configuration(monkeypatch, tmp_path):
    ended = tmp_path / "matcher.py"
    ended.write_text("raise SystemExit(3)")
    monkeypatch.setattr(output, "MATCHER", ended)
    with pytest.raises(NotMeasured, match="looks for matches ended with exit code 3"):
        run(looking_for("first=/a/"))


def test_several_are_looked_for_at_once_in_any_text():
    found = run(looking_for("last=/ü(.)/", "none=/(x)?b/", "words=/é.*/", printed="ü1\u2028 ü2 b xb\né …"))
    assert found == {"last": 2, "none": "x", "words": "é …"}
