"""Every Python block and every satisfice command of the pages runs, and prints what the page shows."""

import pytest
import snippets

HEAVY = (
    *("accuracy", "add-a-noise-model", "add-a-rule", "declarations", "latency", "load-generator", "plan-a-study"),
    *("first-campaign", "plan-and-audit", "regression-gate", "workers"),
)
"""Pages that compile parts of one's own, simulate much or run programs for long; other tests cover the same calls."""


def listed(path):
    return pytest.param(path, id=path.stem, marks=[pytest.mark.full] * (path.stem in HEAVY))


@pytest.mark.parametrize("path", [listed(path) for path in snippets.PAGES])
def test_a_page_shows_what_its_blocks_print(path, tmp_path):
    for one in snippets.run_page(path.read_text(encoding="utf-8"), tmp_path):
        if one.shown:
            assert one.came == one.shown, f"{path.name}: run `python docs/snippets.py {path}` and look at the change"


def test_an_output_that_is_no_longer_true_is_noticed(tmp_path):
    page = "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n\n```console\n$ satisfice --version\nsatisfice 0\n```\n"
    shown = list(snippets.run_page(page, tmp_path))
    assert [(one.shown, one.came) for one in shown] == [("3\n", "2\n"), ("satisfice 0\n", "satisfice 0.2.0\n")]
    assert snippets.rewritten(page) == page.replace("3\n", "2\n").replace("satisfice 0\n", "satisfice 0.2.0\n")


def test_a_command_that_nobody_runs_must_be_listed(tmp_path):
    with pytest.raises(ValueError, match="List others in NOT_RUN"):
        list(snippets.run_page("```console\n$ rm -rf results\n```\n", tmp_path))
