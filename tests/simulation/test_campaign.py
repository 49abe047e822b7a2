"""Campaigns: what is kept on disk, what is refused, and what is not run twice."""

import re

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import BrokenRule, InvalidInstance, InvalidProblem, OtherCampaign, UnknownName, UnwritableFolder
from satisfice.simulation import campaign as campaign_module
from satisfice.simulation.campaign import plan_cells, run_campaign
from tests.helpers import cases

RULES = ("multitucb", "multilucb", "multiapt")


def plan(**changes):
    return plan_cells([cases.medical()], RULES, **({"repetitions": 5, "max_evaluations": 60, "seed": 4} | changes))


def run(folder, cells=None, **settings):
    return run_campaign(plan() if cells is None else cells, folder=folder, engine="interpreted", **settings)


def files(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def same(left, right):
    return all(
        np.array_equal(getattr(one, part), getattr(other, part))
        for one, other in zip(left.cells, right.cells, strict=True)
        for part in ("endings", "found", "pulls", "arm_pulls")
    )


@pytest.fixture
def count_runs(monkeypatch):
    """Which rules are run, in order."""
    runs = []
    run_cell = campaign_module.run_cell

    def counting(cell, **settings):
        runs.append(type(cell.rule).__name__)
        return run_cell(cell, **settings)

    monkeypatch.setattr(campaign_module, "run_cell", counting)
    return runs


def test_finished_cells_are_not_run_again(tmp_path, count_runs):
    """Interrupted in the second cell, the same campaign goes on with it, and ends like one that was never stopped."""

    def interrupt(progress):
        if progress.cells_done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "out", on_progress=interrupt)
    assert count_runs == ["MultiTUCB", "MultiLUCB"]
    count_runs.clear()
    resumed = run(tmp_path / "out")
    assert count_runs == ["MultiLUCB", "MultiAPT"]
    count_runs.clear()
    again = run(tmp_path / "out")
    assert count_runs == []
    assert same(resumed, run(None))
    assert same(again, resumed)


@pytest.mark.parametrize("damage", [lambda content: content[:100], lambda content: b"", lambda content: b"x" * 500])
def test_a_cell_file_that_was_cut_off_is_run_again(tmp_path, count_runs, damage):
    whole = run(tmp_path)
    victim = sorted((tmp_path / "cells").glob("*.npz"))[1]
    victim.write_bytes(damage(victim.read_bytes()))
    count_runs.clear()
    assert same(run(tmp_path), whole)
    assert len(count_runs) == 1
    count_runs.clear()
    assert same(run(tmp_path), whole)
    assert count_runs == []


def test_a_part_of_a_cell_file_counts_for_nothing(tmp_path, count_runs):
    run(tmp_path)
    victim = sorted((tmp_path / "cells").glob("*.npz"))[0]
    victim.rename(victim.with_suffix(".part.npz"))
    count_runs.clear()
    run(tmp_path)
    assert len(count_runs) == 1


def test_a_campaign_killed_at_its_start_goes_on(tmp_path, count_runs):
    (tmp_path / "campaign.json.part").write_text("[")
    run(tmp_path)
    assert len(count_runs) == 3


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 5},
        {"repetitions": 6},
        {"max_evaluations": 61},
        {"error_rates": [0.1]},
        {"tolerances": [0.0050000001]},
    ],
)
def test_a_folder_of_another_campaign_is_refused_untouched(tmp_path, other, count_runs):
    run(tmp_path)
    before = files(tmp_path)
    count_runs.clear()
    with pytest.raises(OtherCampaign, match=r"holds the results of another campaign .*Nothing was changed"):
        run(tmp_path, plan(**other))
    assert files(tmp_path) == before
    assert count_runs == []


def near(number):
    return number * (1 + 1e-9)


@pytest.mark.parametrize(
    "other",
    [
        lambda m: [sf.Metric("m1", near(0.48), tolerance=0.005, noise=sf.Normal(1.0)), m],
        lambda m: [sf.Metric("m1", 0.48, tolerance=near(0.005), noise=sf.Normal(1.0)), m],
        lambda m: [sf.Metric("m1", 0.48, tolerance=0.005, noise=sf.Normal(near(1.0))), m],
        lambda m: [sf.Metric("m1", 0.48, tolerance=0.005, noise=sf.SubGaussian(1.0)), m],
        lambda m: [sf.Metric("m1", 0.48, "<=", tolerance=0.005, noise=sf.Normal(1.0)), m],
    ],
)
def test_problems_that_differ_in_the_tenth_digit_are_different_campaigns(tmp_path, other):
    instance = cases.medical()
    run(tmp_path)
    changed = sf.Instance.of(
        sf.Problem(tuple(other(instance.problem.metrics[1])), 0.005), instance.arms, name=instance.name
    )
    with pytest.raises(OtherCampaign):
        run(tmp_path, plan_cells([changed], RULES, repetitions=5, max_evaluations=60, seed=4))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (cases.cell(cases.medical(), sf.MultiTUCB(2.0)), cases.cell(cases.medical(), sf.MultiTUCB(near(2.0)))),
        (cases.cell(cases.medical(), sf.MultiTUCB), cases.cell(cases.medical(), sf.MultiLUCB)),
        (
            cases.cell(cases.medical(), sf.MultiTUCB),
            cases.cell(cases.medical(), sf.MultiTUCB, stopping=sf.AlphaBoundary(3)),
        ),
        (
            cases.cell(cases.gaussian([[1.0]], [0.0]), sf.MultiTUCB),
            cases.cell(cases.gaussian([[near(1.0)]], [0.0]), sf.MultiTUCB),
        ),
    ],
)
def test_cells_that_differ_have_different_keys(one, other):
    assert one.key() != other.key()


@pytest.mark.parametrize("content", ["not json", "[]", '{"a": 1}', ""])
def test_a_folder_of_something_else_is_refused_untouched(tmp_path, content):
    (tmp_path / "campaign.json").write_text(content)
    with pytest.raises(OtherCampaign, match="Nothing was changed"):
        run(tmp_path)
    assert files(tmp_path) == {"campaign.json": content.encode()}


def test_a_folder_with_other_files_is_refused_untouched(tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(OtherCampaign, match=r"is not a results folder of satisfice. Nothing was changed"):
        run(tmp_path)
    assert files(tmp_path) == {"thesis.tex": b"years of work"}


def test_a_file_in_the_way(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(OtherCampaign, match="is not a results folder"):
        run(tmp_path / "out")
    with pytest.raises(UnwritableFolder, match=r"Results cannot be written to .*Choose a folder that you may write to"):
        run(tmp_path / "out" / "deeper")
    with pytest.raises(UnwritableFolder, match="Results cannot be written to"):
        run(None).save(tmp_path / "out")
    assert files(tmp_path) == {"out": b"a file"}


def test_a_full_disk_gets_a_sentence(tmp_path, monkeypatch):
    def full(*parts, **arrays):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(UnwritableFolder, match="No space left on device"):
        run(tmp_path)


@pytest.mark.parametrize(
    ("settings", "error", "sentence"),
    [
        ({"repetitions": 0}, InvalidInstance, "repetitions must be a whole number of at least 1, got 0"),
        ({"repetitions": 2.5}, InvalidInstance, "repetitions must be a whole number of at least 1, got 2.5"),
        ({"max_evaluations": -1}, InvalidInstance, "max_evaluations must be a whole number of at least 1, got -1"),
        ({"seed": -1}, InvalidInstance, "The seed must be a whole number of zero or more, got -1"),
        ({"threads": 0}, InvalidInstance, "threads must be a whole number of at least 1, got 0"),
        ({"rules": []}, InvalidInstance, "Expected a list with at least one sampling rule, got []"),
        ({"rules": "multitucb"}, InvalidInstance, "Expected a list with at least one sampling rule, got 'multitucb'"),
        ({"rules": ["tucb"]}, UnknownName, "No sampling rule is called 'tucb'. Did you mean 'multitucb'?"),
        ({"rules": ["zzz"]}, UnknownName, "No sampling rule is called 'zzz'. Known: multiapt, multihdoc"),
        ({"stopping": "alfa"}, UnknownName, "No stopping rule is called 'alfa'. Did you mean 'alpha'?"),
        ({"engine": "compile"}, UnknownName, "No engine is called 'compile'. Did you mean 'compiled'?"),
        ({"error_rates": []}, InvalidInstance, "Expected error_rates as a list with at least one number, got []"),
        ({"error_rates": 0.1}, InvalidInstance, "Expected error_rates as a list with at least one number, got 0.1"),
        ({"error_rates": [0.1, 2]}, InvalidProblem, "The error rate must lie strictly between 0 and 1, got 2"),
        ({"tolerances": 0.1}, InvalidInstance, "Expected tolerances as a list with at least one number, got 0.1"),
        ({"tolerances": [[0.1]]}, InvalidProblem, "one for each of the 2 metrics, got 1"),
        ({"arm_names": ["a", "b"]}, InvalidInstance, "Expected 5 different names, one for each arm, got 2"),
        ({"arm_names": ["a"] * 5}, InvalidInstance, "Expected 5 different names, one for each arm, got 5 of which 1"),
    ],
)
def test_settings_that_make_no_sense(settings, error, sentence):
    instance = cases.medical()
    with pytest.raises(error, match=re.escape(sentence)):
        sf.simulate(instance.problem, instance.arms, **settings)


def test_what_is_no_instance():
    instance = cases.medical()
    with pytest.raises(InvalidInstance, match="Expected a Problem and simulated arms, got Problem and list"):
        sf.simulate(instance.problem, [[0.1, 0.2]])
    with pytest.raises(InvalidInstance, match=r"The problem has 1 metrics \(a\), but the arms have 2 means each"):
        sf.simulate(sf.problem_of(["a >= 1 : normal(1)"]), instance.arms, rules=["multitucb"], stopping="alpha")
    unsaid = sf.problem_of(["a >= 1 : normal(1)", "b >= 1"])
    with pytest.raises(InvalidProblem, match="Metric 'b' does not say how noisy one evaluation is"):
        sf.simulate(unsaid, instance.arms, rules=["multitucb"], stopping="alpha")


class Sinking(sf.MultiTUCB):
    """A bonus that exists for a while."""

    def bonus(self, pulls, setting):
        return 1.0 / (1000 - pulls)


class Lost(sf.MultiTUCB):
    def priority(self, shortfall, excess, bonus):
        return float("nan")


class LostByTheClock(sf.MultiHDoC):
    def priority_at(self, shortfall, excess, bonus, total_pulls):
        return float("inf") if total_pulls > 20 else -shortfall


class Negative(sf.AlphaBoundary):
    def width(self, pulls, setting):
        return -1.0


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"rules": [Sinking()]}, "Sinking cannot say its bonus after 1000 pulls: float division by zero"),
        ({"rules": [Lost()]}, "Lost gave arm '1' a priority that is not a finite number"),
        ({"rules": [LostByTheClock()]}, "LostByTheClock gave arm '4' a priority that is not a finite number"),
        ({"stopping": Negative()}, "Negative has the width -1.0 after 1 pulls. A width must be zero or more"),
    ],
)
def test_broken_rules_and_boundaries_get_a_sentence(parts, sentence):
    instance = cases.medical()
    with pytest.raises(BrokenRule, match=re.escape(sentence)):
        sf.simulate(instance.problem, instance.arms, repetitions=2, max_evaluations=100, engine="interpreted", **parts)


def test_sweeps_are_crossed_and_progress_is_told():
    """Two error rates times two tolerances times three rules, each cell told with all of its repetitions."""
    told = []
    instance = cases.medical()
    result = sf.simulate(
        instance.problem,
        instance.arms,
        rules=RULES,
        error_rates=[0.1, 0.2],
        tolerances=[0.01, [0.02, 0.03]],
        repetitions=45,
        max_evaluations=10,
        engine="interpreted",
        on_progress=told.append,
    )
    assert [(row.error_rate, row.tolerance, row.rule) for row in result.summary()] == [
        (rate, tolerance, rule)
        for rate in (0.1, 0.2)
        for tolerance in (0.01, (0.02, 0.03))
        for rule in ("MultiTUCB", "MultiLUCB", "MultiAPT")
    ]
    assert (told[-1].repetitions_done, told[-1].repetitions, told[-1].cells) == (540, 540, 12)
    assert told[-1].evaluations == 12 * 45 * 10
    assert len(told) == 12 * 3
