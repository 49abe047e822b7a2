"""satisfice explain with two configurations lists the items on which they differ; a program is told its item."""

import json
import sys

import pytest

from tests.study.test_differing_items import told

PROGRAM = "import sys, json; print(json.dumps({'x': int(sys.argv[1]) % 5 != 0}))"


def test_explain_lists_them_for_two_configs(satisfice, tmp_path):
    address = f"sqlite:///{tmp_path}/s.db"
    (found,) = told(storage=address).differing_items("b", "a")
    both = ["explain", address, "--config", "b", "--config", "a"]
    assert str(found) in satisfice(*both).out
    assert "differs on" not in satisfice("explain", address).out
    documents = json.loads(satisfice(*both, "--json").out)
    assert [each["differing_items"] for each in documents] == [[json.loads(json.dumps(found.as_dict()))]] * 2


@pytest.mark.parametrize("of", ["of 9", "of 9 sampled"])
def test_a_program_that_is_not_told_its_item_is_refused(satisfice, of):
    words = ["run", "-L", "n=1", "-t", f"x >= 0.5 : bernoulli {of}", "--storage", "memory", "--"]
    done = satisfice(*words, sys.executable, "-c", PROGRAM)
    assert done.code == 2
    assert "is not told which item to evaluate. Write {item}" in " ".join(done.err.split())
    assert "env SATISFICE_ITEM={item}" in done.err
    assert satisfice(*words, sys.executable, "-c", PROGRAM, "{item}").code == 0
