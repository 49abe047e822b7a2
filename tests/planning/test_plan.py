"""Plans: what a simulated study takes, by scenario."""

import json

import pytest

import satisfice as sf
from satisfice.errors import InvalidInstance, InvalidProblem, InvalidThreshold

THRESHOLDS = ["speed >= 0.5 ~ 0.1 : normal(1)", "cost <= 1 ~ 0.1 : normal(2)"]
FEW = ["one clearly passes", "all clearly fail"]


def made(**options):
    return sf.plan(THRESHOLDS, 3, **({"repetitions": 40, "scenarios": FEW, "seed": 1} | options))


def test_each_scenario_is_what_simulate_says_of_its_instance():
    plan = made()
    for each, cell in zip(plan.scenarios, plan.result.cells, strict=True):
        instance = cell.cell.instance
        options = {
            "repetitions": 40,
            "max_evaluations": 100_000,
            "seed": 1,
        }
        expected = sf.simulate(instance.problem, instance.arms, name=each.scenario, **options).summaries[0]
        assert each.runs == expected
        assert each.limit == sf.theory.needs(instance.problem, instance.arms.means).practical_limit()


def test_answers_are_those_that_the_scenario_asks_for():
    good, bad = made().scenarios
    assert (good.scenario, good.passing, good.runs.found) == (FEW[0], 1, 1.0)
    assert (bad.scenario, bad.passing, bad.runs.none) == (FEW[1], 0, 1.0)


def test_the_seed_decides_and_threads_do_not():
    assert made(threads=1).as_dict() == made(threads=2).as_dict() != made(seed=2).as_dict()


def test_closer_means_take_longer():
    near, far = (made(clearly=effect).scenarios[0].runs.mean for effect in (0.5, 2.0))
    assert near > 2 * far


def test_configurations_may_be_given_as_a_study_takes_them():
    by_number = made().as_dict()
    options = {"repetitions": 40, "scenarios": FEW, "seed": 1}
    for configs in (["x", "y", "z"], {"x": {}, "y": {}, "z": None}, sf.grid(size=[1, 2, 3])):
        assert sf.plan(THRESHOLDS, configs, **options).as_dict() == by_number
    problem = sf.problem_of(THRESHOLDS)
    assert sf.plan(problem, 3, **options).as_dict() == by_number


def test_a_budget_that_is_too_small_shows():
    plan = made(budget=20, clearly=0.25)
    found = plan.scenarios[0].runs
    assert found.timed_out > 0.5
    assert found.found + found.none + found.timed_out == pytest.approx(1.0)
    lines = str(plan).splitlines()
    assert lines[0].split()[:3] == ["scenario", "mean", "median"]
    assert "20+" in lines[1]
    assert "20+" not in str(made()).splitlines()[1]


def test_every_noise_model_in_one_study():
    thresholds = ["a >= 0", "b <= 0.2 : bernoulli", "c >= 0.5 ~ 0.1 : bounded(0, 1)", "d >= 0 : subgaussian(2)"]
    options = {"spread": {"a": 2.0, "c": 0.2}, "repetitions": 20, "scenarios": FEW, "budget": 20_000}
    good, bad = sf.plan(thresholds, 4, **options).scenarios
    assert (good.runs.found, bad.runs.none) == (1.0, 1.0)
    assert good.limit < good.runs.mean


def test_is_plain_json():
    plain = made().as_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["spread"] == {"speed": 1.0, "cost": 2.0}
    assert [each["scenario"] for each in plain["scenarios"]] == FEW


def test_plot(tmp_path):
    made().plot(tmp_path / "plan.png")
    assert (tmp_path / "plan.png").read_bytes().startswith(b"\x89PNG")


def test_finished_scenarios_are_kept(tmp_path):
    first = made(folder=tmp_path / "kept")
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "kept" / "cells").iterdir()}
    assert len(kept) == 2
    assert made(folder=tmp_path / "kept").as_dict() == first.as_dict()
    assert {path: path.stat().st_mtime_ns for path in (tmp_path / "kept" / "cells").iterdir()} == kept


@pytest.mark.parametrize("configs", [0, -1, True, 2.5, "three", None, []])
def test_a_number_of_configurations_that_makes_no_sense_gets_a_sentence(configs):
    with pytest.raises(InvalidProblem, match="Expected the number of configurations"):
        sf.plan(THRESHOLDS, configs)


@pytest.mark.parametrize(
    ("options", "kind", "says"),
    [
        ({"budget": 0}, InvalidProblem, "The budget must be a whole number"),
        ({"repetitions": 0}, InvalidInstance, "repetitions must be"),
        ({"error_rate": 2}, InvalidProblem, "strictly between 0 and 1"),
        ({"goal": "some"}, InvalidProblem, "some"),
        ({"thresholds": ["a >= 1 : nrmal(2)"]}, InvalidThreshold, "^^^^^^^^"),
    ],
)
def test_other_bad_input_gets_a_sentence(options, kind, says):
    with pytest.raises(kind) as error:
        sf.plan(**({"thresholds": THRESHOLDS, "configs": 3} | options))
    assert says in str(error.value)
