"""A rule, a stopping rule and a noise model with evidence of its own, each one file that the package has never seen."""

import importlib
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

import satisfice as sf
from satisfice.rules import RULES
from satisfice.simulation.cell import Cell, run_once
from satisfice.testing import check_noise, check_rule, check_stopping
from tests.helpers.driving import seed_of

EXAMPLES = Path(__file__).parent.parent.parent / "examples"

RULE = """
from typing import NamedTuple


class Newest(NamedTuple):
    factor: float = 1.0

    def bonus(self, pulls, setting):
        return self.factor / pulls

    def priority(self, shortfall, excess, bonus):
        return bonus - shortfall
"""

STOPPING = """
from dataclasses import replace
from math import log, sqrt
from typing import NamedTuple

from satisfice import Evidence


class Wide(NamedTuple):
    factor: float = 2.0

    def width(self, pulls, setting):
        share = setting.error_rate / (setting.arms * setting.metrics)
        return self.factor * setting.noise_scale * sqrt((log(4.0 / share) + 2.0 * log(pulls)) / pulls)


class Half(NamedTuple):
    part: float = 0.5

    def judge(self, problem, arms):
        return Evidence().judge(replace(problem, error_rate=self.part * problem.error_rate), arms)
"""


@pytest.fixture
def outside(tmp_path, monkeypatch):
    """Three modules that can be imported, and are forgotten afterwards."""
    names = ("outside_rule", "outside_stopping", "outside_noise")
    (tmp_path / "outside_rule.py").write_text(RULE)
    (tmp_path / "outside_stopping.py").write_text(STOPPING)
    shutil.copy(EXAMPLES / "own_noise.py", tmp_path / "outside_noise.py")
    monkeypatch.syspath_prepend(tmp_path)
    importlib.invalidate_caches()
    yield
    for name in names:
        sys.modules.pop(name, None)


def normal_instance():
    problem = sf.problem_of(["a >= 0.5 ~ 0.1 : normal(1)", "b <= 1 ~ 0.1 : normal(2)"], 0.1)
    return sf.Instance.of(problem, sf.gaussian_arms([[0.0, 2.0], [1.5, -1.0], [0.8, 1.2]], [1.0, 2.0]))


def count_instance():
    problem = sf.problem_of(["errors <= 3 ~ 0.3 : outside_noise:Poisson"], 0.1)
    return sf.Instance.of(problem, sf.arms_for(problem, [[5.0], [4.0], [2.0]]))


def live_order(instance, rule, stopping, most=500):
    """The arms that a live search asks for, told what the simulation with seed 1 draws."""
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(1, spawn_key=(0,))))
    seed = seed_of(RULES.resolve(rule), rng)
    search = sf.Search(instance.problem, instance.arm_names, rule=rule, stopping=stopping, seed=seed)
    row, order = np.empty(len(instance.problem.metrics)), []
    while len(order) < most and (name := search.ask()) is not None:
        order.append(instance.arm_names.index(name))
        instance.arms.draw(rng, order[-1], row)
        search.tell(name, dict(zip(instance.problem.metric_names, row.tolist(), strict=True)))
    return search, order


def same_everywhere(instance, rule, stopping, engines=("interpreted", "compiled")):
    search, order = live_order(instance, rule, stopping)
    for engine in engines:
        cell = Cell(instance, search.rule, search.stopping, 1, 500, 1)
        assert run_once(cell, engine=engine)[2].tolist() == order
    return search


def test_a_rule_in_one_file(outside):
    same_everywhere(normal_instance(), "outside_rule:Newest", "alpha")
    check_rule("outside_rule:Newest")
    plan = sf.plan(
        ["a >= 0.5 ~ 0.1 : normal(1)"], configs=3, rule="outside_rule:Newest", scenarios=["one clearly passes"]
    )
    assert plan.scenarios[0].runs.rule == "Newest"


@pytest.mark.parametrize("name", ["Wide", "Half"])
def test_a_stopping_rule_in_one_file(outside, name):
    same_everywhere(normal_instance(), "pandora", f"outside_stopping:{name}")
    plan = sf.plan(
        ["a >= 0.5 ~ 0.1 : normal(1)"],
        configs=3,
        stopping=f"outside_stopping:{name}",
        scenarios=["one clearly passes"],
        repetitions=20,
    )
    assert plan.scenarios


@pytest.mark.full
@pytest.mark.parametrize("name", ["Wide", "Half"])
def test_a_stopping_rule_in_one_file_keeps_the_contract(outside, name):
    check_stopping(f"outside_stopping:{name}")


def test_a_noise_model_in_one_file_live_and_interpreted(outside):
    """Also in a study, which writes it down by name and reads it again, with the limits of the theory."""
    instance = count_instance()
    search = same_everywhere(instance, "pandora", "evidence", engines=("interpreted",))
    assert (search.verdict.outcome, search.verdict.arm) == ("FOUND", "3")
    assert search.verdict.assumptions[0] == "errors: every result is a count with a Poisson distribution"
    low, high = search.statuses()[2].intervals[0]
    assert low < 2.0 < high
    with pytest.raises(sf.SatisficeError, match="Expected a whole number, zero or more for 'errors'"):
        search.tell("3", {"errors": 1.5})
    assert sf.theory.bounds(instance.problem, instance.arms.means).practical_limit > 0
    study = sf.create_study(["x"], ["errors <= 3 ~ 0.3 : outside_noise:Poisson"])
    assert type(study.problem.metrics[0].noise).__module__ == "outside_noise"


def test_a_noise_model_in_one_file_compiled_and_planned(outside):
    same_everywhere(count_instance(), "pandora", "evidence", engines=("compiled",))
    plan = sf.plan(
        ["errors <= 3 ~ 0.3 : outside_noise:Poisson"], configs=3, scenarios=["one clearly passes"], repetitions=20
    )
    assert plan.scenarios


@pytest.mark.full
def test_a_noise_model_in_one_file_keeps_the_contract(outside):
    poisson = importlib.import_module("outside_noise").Poisson()
    counts = check_noise(poisson, threshold=3.0, repetitions=400, max_evaluations=400)
    assert min(counts.false_accepts, counts.false_nones) > 0
