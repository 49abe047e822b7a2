"""python -m benchmarks.evaluations."""

import json
import sys

import pytest

from benchmarks.evaluations.__main__ import main


@pytest.fixture
def compare(monkeypatch, capsys, tmp_path):
    """Run the command in a folder of its own: exit code, output, errors."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["evaluations", *map(str, words)])
        with pytest.raises(SystemExit) as leaving:
            main()
        printed = capsys.readouterr()
        return leaving.value.code, printed.out, printed.err

    return run


@pytest.mark.full
def test_a_quick_comparison_with_a_further_rule(compare, tmp_path):
    words = ("-i", "easy", "-n", 4, "--rule", "uniform", "--out", "kept", "--threads", 1)
    code, out, _ = compare(*words)
    assert code == 0
    assert "easy: 5 arms, 2 metrics" in out
    assert all(name in out for name in ("satisfice", "MultiTUCB", "Uniform", "fixed repeats", "every instance"))
    written = {path.name for path in (tmp_path / "kept").iterdir()}
    assert written == {"runs", "benchmark.csv", "benchmark_limits.csv", "runs.parquet", "benchmark.md", "figures"}
    document = json.loads(compare(*words, "--json")[1])
    assert {"rows", "limits", "bars", "repetitions", "seed"} == set(document)
    assert "Uniform" in {row["contestant"] for row in document["rows"]}


def test_an_unknown_instance_is_named(compare):
    code, _, told = compare("-i", "eassy")
    assert code == 2
    assert "Did you mean 'easy'?" in told
