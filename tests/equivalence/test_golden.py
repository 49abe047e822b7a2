"""Every rule behaves as it did when its golden trajectories were committed (see golden.py)."""

import json

import golden
import pytest

from satisfice.rules import RULES


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_behaves_as_committed(rule):
    path = golden.FOLDER / f"{rule}.json"
    assert path.exists(), f"{rule} has no golden trajectories yet: see golden.py"
    assert json.loads(path.read_text()) == golden.trajectories(RULES[rule], engine="compiled")
