"""satisfice compare."""

import json

import pytest


@pytest.mark.full
def test_a_quick_comparison_with_a_further_rule(satisfice, folder):
    done = satisfice("compare", "-i", "easy", "-n", 4, "--rule", "uniform", "--out", "kept", "--threads", 1)
    assert done.code == 0
    assert "easy: 5 arms, 2 metrics" in done.out
    assert all(name in done.out for name in ("satisfice", "MultiTUCB", "Uniform", "fixed repeats", "every instance"))
    written = {path.name for path in (folder / "kept").iterdir()}
    assert written == {"runs", "benchmark.csv", "benchmark_limits.csv", "runs.parquet", "benchmark.md", "figures"}
    again = satisfice("compare", "-i", "easy", "-n", 4, "--rule", "uniform", "--out", "kept", "--json", "--threads", 1)
    document = json.loads(again.out)
    assert {"rows", "limits", "bars", "repetitions", "seed"} == set(document)
    assert "Uniform" in {row["contestant"] for row in document["rows"]}


def test_an_unknown_instance_is_named(satisfice):
    done = satisfice("compare", "-i", "eassy")
    assert done.code == 2
    assert "Did you mean 'easy'?" in done.err
