"""Every rule behaves as it did when its golden trajectories were committed (see golden.py)."""

import json

import pytest

from satisfice.rules import RULES
from tests.equivalence import golden
from tests.helpers.quick_part import COMPILED_OFTEN, quick

LIVE = [(stopping, rule) for stopping, rules in golden.LIVE.items() for rule in rules]


def committed(name: str) -> object:
    path = golden.FOLDER / f"{name}.json"
    assert path.exists(), f"{name} has no golden trajectories yet: see golden.py"
    return json.loads(path.read_text())


@pytest.mark.parametrize("rule", quick(RULES, *COMPILED_OFTEN))
def test_every_rule_behaves_as_committed(rule):
    assert committed(rule) == golden.trajectories(RULES[rule], engine="compiled")


@pytest.mark.parametrize(("stopping", "rule"), LIVE)
def test_live_searches_behave_as_committed(stopping, rule):
    assert committed(f"{stopping}_{rule}") == golden.live_trajectories(stopping, rule)


@pytest.mark.parametrize(("stopping", "rule"), LIVE)
def test_live_trajectories_are_short_and_reach_a_verdict(stopping, rule):
    """Else a wrong margin could hide behind a long run."""
    for run in committed(f"{stopping}_{rule}"):
        assert run["outcome"] in ("FOUND", "NONE")
        assert run["evaluations"] < 1000
