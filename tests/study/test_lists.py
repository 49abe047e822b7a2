"""Lists of another length each time, as load tests of fixed time return them: kept, verified, exported, explained."""

import random

import numpy as np
import pytest
from scipy.stats import binomtest

import satisfice as sf

THRESHOLDS = ["p90(ms) <= 60 ~ 5", "share(ms <= baseline + 20%) >= 0.5 ~ 0.1"]


def load_test(config, dice):
    """One second of requests, one after the other: a slow run has fewer of them."""
    median = {"old": 40.0, "small": 90.0, "large": 30.0}[config] * dice.lognormvariate(0, 0.1)
    left, times = 1000.0, []
    while left > 0:
        times.append(median * dice.lognormvariate(0, 0.3))
        left -= times[-1]
    return {"ms": times}


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    return f"sqlite:///{tmp_path_factory.mktemp('lists') / 'load.db'}"


@pytest.fixture(scope="module")
def study(address):
    made = sf.create_study(["small", "large"], THRESHOLDS, baseline="old", storage=address, goal="all")
    dice = random.Random(2)
    verdict = made.run(lambda config: load_test(config, dice), max_evaluations=400)
    assert verdict.outcome == "FOUND"
    return made


def test_lists_of_any_length_are_decided(study):
    assert [study.explain(config).decision for config in study.configs] == ["rejected", "accepted"]
    lengths = {len(one.results["ms"]) for one in study.evaluations()}
    assert len(lengths) > 5
    assert "p90(ms) is above 60" in str(study.explain("small"))


def test_the_log_is_verified_and_another_one_goes_on_from_it(study, address):
    assert sf.verify(address).ok
    assert sf.load_study(address).status("large") == study.status("large")


def test_all_lists_are_in_the_tables(study):
    lengths = [len(one.results["ms"]) for one in study.evaluations()]
    assert [len(row) for row in study.to_dataframe()["ms"]] == lengths
    assert [len(row) for row in study.to_arrow()["ms"].to_pylist()] == lengths


@pytest.mark.parametrize("fewer_when_slow", [True, False])
def test_the_error_rate_holds_for_the_mean_share_over_runs(fewer_when_slow):
    """At the boundary, half of the runs far worse than the others and of another length; 5 % of 400 studies."""
    rng, found = np.random.default_rng(17), 0
    for _ in range(400):
        search = sf.Search(sf.problem_of(["share(ms <= 60) >= 0.8 ~ 0.1"], 0.05), ["a"])
        for slow in rng.random(120) < 0.5:
            of = int(rng.integers(5, 20)) if slow == fewer_when_slow else int(rng.integers(300, 900))
            search.tell("a", {"ms": {"count": rng.binomial(of, 0.45 if slow else 0.95), "of": of}})
            if search.verdict.outcome != "UNDECIDED":
                break
        found += search.verdict.outcome == "FOUND"
    assert binomtest(found, 400).proportion_ci(0.999).low <= 0.05
