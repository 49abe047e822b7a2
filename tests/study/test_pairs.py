"""Limits relative to a baseline: one evaluation is a pair, back to back, and the pair is what is recorded."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidResult, InvalidSpec, OtherStudy, PullAlreadyTold
from satisfice.study.spec import baseline_first

THRESHOLDS = ["wall_time <= baseline + 3% ~ 1% : normal", "ok >= 0.5 ~ 0.1 : bernoulli"]
SLOWER = {"old": 1.0, "same": 1.0, "slow": 1.1}


def bench(seed):
    """A machine that drifts far more than builds differ."""
    rng, seen = np.random.default_rng(seed), []

    def evaluate(config):
        seen.append(config["build"])
        drift = 1.0 + 0.5 * np.sin(len(seen) / 30)
        return {"wall_time": float(drift * SLOWER[config["build"]] * rng.lognormal(0, 0.02)), "ok": 1, "more": 3}

    return evaluate, seen


def gate(build, **options):
    return sf.create_study({build: {"build": build}}, THRESHOLDS, baseline={"build": "old"}, **options)


@pytest.mark.parametrize(("build", "outcome"), [("same", "FOUND"), ("slow", "NONE")])
def test_a_regression_gate(build, outcome):
    evaluate, seen = bench(1)
    study = gate(build)
    assert study.run(evaluate, max_evaluations=500).outcome == outcome
    pairs = list(zip(seen[::2], seen[1::2], strict=True))
    assert all(set(pair) == {"old", build} for pair in pairs)  # back to back
    first = [pair[0] == "old" for pair in pairs]
    assert first == [baseline_first(0, number) for number in range(len(pairs))]
    assert 0 < sum(first) < len(first)
    status = study.status(build)
    assert status.means[0] == pytest.approx(SLOWER[build], rel=0.03)
    assert status.intervals[0].low < status.means[0] < status.intervals[0].high
    assert "times the baseline's" in str(study.explain(build))


def test_parameters_of_a_baseline_that_cannot_be_kept_are_said_to_be_its_own():
    with pytest.raises(InvalidSpec, match="The parameters of config 'build=old job=") as refused:
        sf.create_study(["new"], THRESHOLDS, baseline={"build": "old", "job": {1, 2}})
    assert "must be writable as JSON" in str(refused.value)


def test_the_order_is_fair_and_drawn_from_the_seed():
    orders = {seed: [baseline_first(seed, number) for number in range(2_000)] for seed in (0, 1)}
    assert orders[0] != orders[1]
    assert all(0.45 < sum(order) / len(order) < 0.55 for order in orders.values())


def test_ask_hands_out_both_and_tell_takes_both():
    study = sf.create_study(["new"], ["x <= baseline"], baseline="old")
    pull = study.ask()
    assert (pull.config, pull.baseline, pull.repeat) == ("new", "old", 0)
    assert pull.of_baseline().config == "old"
    with pytest.raises(InvalidResult, match="Expected the baseline's results for x as well, got None"):
        study.tell(pull, {"x": 1.0})
    with pytest.raises(InvalidResult, match="Expected a finite number for 'x' of the baseline, got 'slow'"):
        study.tell(pull, {"x": 1.0}, {"x": "slow"})
    study.tell(pull, {"x": 1.0}, {"x": 2.0})
    study.tell(pull.id, {"x": 1.0}, {"x": 2.0})  # the same again is harmless
    with pytest.raises(PullAlreadyTold):
        study.tell(pull, {"x": 1.0}, {"x": 3.0})
    assert study.counts().told == 1


def test_a_study_of_pairs_goes_on_from_its_log(tmp_path):
    url = f"sqlite:///{tmp_path / 'pairs.db'}"
    rng = np.random.default_rng(3)
    with sf.create_study(["a", "b"], ["x <= baseline + 10% ~ 5%"], baseline="old", storage=url) as study:
        for _ in range(8):
            for pull in study.ask(n=2):
                study.tell(pull, {"x": float(rng.normal(1, 0.3))}, {"x": float(rng.normal(1, 0.3))})
        before = study.statuses()
    with sf.load_study(url) as again:
        assert again.statuses() == before
        assert again.ask().baseline == "old"
        first = next(again.evaluations())
        assert list(first.results) == ["x", "x of the baseline"]
        assert all(isinstance(value, float) for value in first.results.values())
    assert sf.verify(url).ok


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"thresholds": ["x <= baseline"]}, "compares with a baseline, and none is given"),
        ({"thresholds": ["share(x <= baseline) >= 0.5"]}, "compares with a baseline, and none is given"),
        ({"thresholds": ["x <= 3"], "baseline": "old"}, "no limit compares with it"),
        ({"thresholds": ["x <= baseline"], "baseline": "a"}, "is one of the configs, too"),
        ({"thresholds": ["x <= baseline"], "baseline": {"p": 1}}, "is one of the configs, too"),
        ({"thresholds": ["x <= baseline"], "baseline": ""}, "Expected the baseline as a name or as parameters"),
        (
            {"thresholds": ["x <= baseline"], "baseline": "old", "on_error": "worst"},
            "what a failed or lost pair",
        ),
    ],
)
def test_baselines_that_make_no_sense(options, sentence):
    with pytest.raises(InvalidSpec, match=sentence):
        sf.create_study({"a": {"p": 1}, "b": {"p": 2}}, **options)


def test_the_same_limit_in_other_words_is_the_same_study(tmp_path):
    where = f"sqlite:///{tmp_path}/pairs.db"
    options = {"baseline": {"build": "old"}, "storage": where, "name": "gate", "load_if_exists": True}
    configs = {"new": {"build": "new"}}
    sf.create_study(configs, ["wall_time >= 0.98 * baseline : normal"], **options).close()
    with sf.create_study(configs, ["wall_time >= baseline - 2% : normal"], **options) as study:
        assert study.spec.thresholds == ("wall_time >= 0.98 * baseline : normal",)
    with pytest.raises(OtherStudy, match="thresholds is"):
        sf.create_study(configs, ["wall_time >= baseline - 3% : normal"], **options)
