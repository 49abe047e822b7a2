"""The benchmark: its family, its contestants, fixed repeats, and bars computed from rows."""

import numpy as np
import pytest
from scipy.stats import binomtest

import satisfice as sf
from benchmarks.evaluations import bars, fixed
from benchmarks.evaluations.contestants import DEFAULT, ELIMINATION, PAPER_RULES, SD_UNKNOWN, SUB_GAUSSIAN, contestants
from benchmarks.evaluations.drawn import drawn_members
from benchmarks.evaluations.draws import Draws
from benchmarks.evaluations.family import chosen_members, family
from benchmarks.evaluations.files import read, save
from benchmarks.evaluations.measure import Comparison, Row, compare, fixed_row
from benchmarks.evaluations.member import Group
from benchmarks.evaluations.page import page, short
from satisfice.simulation.arms import CorrelatedArms
from satisfice.theory.gaps import Case, standings

MEMBERS = {member.name: member for member in family()}
SOME = (DEFAULT, SD_UNKNOWN, SUB_GAUSSIAN, PAPER_RULES[0])
"""Enough to see everything, and little to compile."""
NONE_GOOD = {"synthetic, none good", "none, by a hair", "fifty fail", "fails everywhere"}


def case_of(member):
    return standings(member.instance.problem, member.instance.arms.means).case


def test_the_family_is_as_wide_as_it_should_be():
    further = [member for member in MEMBERS.values() if member.group is Group.FURTHER]
    assert len(MEMBERS) == len(family())
    assert len(further) >= 12
    shapes = [member.instance.arms.means.shape for member in further]
    assert {min(arms for arms, _ in shapes), max(arms for arms, _ in shapes)} == {2, 1000}
    assert {min(metrics for _, metrics in shapes), max(metrics for _, metrics in shapes)} == {1, 20}
    assert all(member.why.endswith(".") for member in MEMBERS.values())


@pytest.mark.parametrize("name", [name for name, member in MEMBERS.items() if member.group is not Group.DRAWN])
def test_each_member_is_what_it_says(name):
    expected = (
        Case.NO_GOOD_ARM
        if name in NONE_GOOD
        else Case.ONLY_WITHIN_TOLERANCE
        if name == "only tolerable"
        else Case.GOOD_ARM
    )
    assert case_of(MEMBERS[name]) is expected


def test_members_that_promise_some_number_of_good_arms():
    def good(name):
        return int((MEMBERS[name].instance.shortfalls() <= 0).sum())

    one = ["synthetic", "decoys", "hundred arms", "thousand arms", "twenty metrics", "mixed noise", "unequal noise"]
    assert [good(name) for name in one] == [1] * len(one)
    assert (good("several good"), good("all good"), good("ties")) == (5, 50, 2)
    assert good("scattered") > 1


def test_the_sweeps_are_the_papers():
    swept = [member.instance.problem for member in MEMBERS.values() if member.group is Group.SWEEPS]
    assert len(swept) == 2 * (9 + 10)
    assert {problem.error_rate for problem in swept} == {round(0.005 * step, 3) for step in range(1, 11)}


def test_correlated_members_are_correlated():
    for name, sign in (("correlated +0.8", 0.8), ("correlated -0.8", -0.8)):
        arms = MEMBERS[name].instance.arms
        assert isinstance(arms, CorrelatedArms)
        assert (arms.factor @ arms.factor.T)[0, 1] == pytest.approx(sign)


def test_names_and_groups_choose_members():
    assert [member.name for member in chosen_members(["medical"])] == ["medical"]
    assert {member.group for member in chosen_members(["paper", "sweeps"])} == {Group.PAPER, Group.SWEEPS}
    with pytest.raises(sf.SatisficeError, match="Did you mean 'decoys'"):
        chosen_members(["decoy"])


def test_contestants_enter_where_they_apply():
    unknown, coins, normal = (MEMBERS[name] for name in ("unknown noise", "coins at 0.9", "two arms"))
    paper = [*PAPER_RULES, ELIMINATION]
    assert DEFAULT.enters(unknown)
    assert not any(one.enters(unknown) for one in [*paper, SD_UNKNOWN, SUB_GAUSSIAN])
    assert all(one.enters(coins) for one in [*paper, SUB_GAUSSIAN])
    assert not SD_UNKNOWN.enters(coins)
    assert SD_UNKNOWN.enters(normal)
    assert not SUB_GAUSSIAN.enters(normal)
    swept = MEMBERS["medical, tolerance 0.02"]
    assert [one.name for one in contestants() if one.enters(swept)] == [
        DEFAULT.name,
        *(one.name for one in PAPER_RULES),
    ]


def test_another_declaration_leaves_the_arms_alone():
    member = MEMBERS["mixed noise"]
    told = SUB_GAUSSIAN.told(member.instance)
    assert told.arms is member.instance.arms
    assert [str(metric.noise) for metric in told.problem.metrics] == [
        "normal",
        "subgaussian(0.5)",
        "normal(4)",
        "subgaussian(0.5)",
    ]


# Fixed repeats


def test_repeats_are_hoeffdings():
    problem = sf.problem_of(["a >= 0 ~ 0.5 : normal(2)", "b <= 1 ~ 1 : normal(2)"], error_rate=0.1)
    assert fixed.repeats(problem, 5) == int(np.ceil(8 * 4 * np.log(6 / 0.1) / 0.25))
    assert fixed.repeats(sf.problem_of(["a >= 0 : normal(2)"]), 5) is None
    assert fixed.repeats(sf.problem_of(["a >= 0 ~ 1"]), 5) is None


def test_a_coins_cut_is_where_both_exponents_are_equal():
    cut = fixed.cut_of(sf.problem_of(["loss <= 0.01 ~ 0.01 : bernoulli"]).metrics[0])
    assert 0.01 < cut.value < 0.02
    assert fixed.divergence(cut.value, 0.01) == pytest.approx(fixed.divergence(cut.value, 0.02))
    assert cut.exponent > 0.01**2 / (8 * 0.25)  # more than the sub-Gaussian scale 1/2 gives


BOUNDARY = {
    "all just beyond tolerance": ["x >= 0 ~ 0.5 : normal(1)"],
    "coins": ["x >= 0.5 ~ 0.2 : bernoulli"],
    "bounded": ["x <= 0.5 ~ 0.2 : bounded(0, 1)"],
}


@pytest.mark.parametrize("thresholds", BOUNDARY.values(), ids=BOUNDARY)
@pytest.mark.parametrize("good", [False, True])
def test_fixed_repeats_keep_their_error_rate_at_the_boundary(thresholds, good):
    """Means just beyond the tolerance, or one arm exactly at the threshold among them."""
    problem = sf.problem_of(thresholds, error_rate=0.2)
    metric = problem.metrics[0]
    away = (1 + 1e-9) * metric.tolerance * (-1 if metric.direction == ">=" else 1)
    means = np.full((6, 1), metric.threshold + away)
    means[0, 0] = metric.threshold if good else means[0, 0]
    draws = Draws(concentration=0.1)
    instance = sf.Instance.of(problem, draws.arms(problem, means))
    count = fixed.repeats(problem, 6)
    wrong = fixed.wrong_answers(instance, draws, count, 2000, np.random.default_rng(3))
    assert binomtest(wrong, 2000).proportion_ci(0.999).low <= problem.error_rate
    too_few = fixed.wrong_answers(instance, draws, max(1, count // 20), 2000, np.random.default_rng(3))
    assert binomtest(too_few, 2000).proportion_ci(0.999).low > problem.error_rate, "the test could not have failed"


def test_sample_means_have_the_right_spread():
    member = MEMBERS["correlated -0.8"]
    instance = member.instance
    rng = np.random.default_rng(0)
    means = np.array([member.draws.sample_means(instance, 25, rng)[0] for _ in range(4000)])
    assert means.mean(axis=0) == pytest.approx(instance.arms.means[0], abs=0.015)
    assert means.std(axis=0) == pytest.approx([0.2, 0.2], rel=0.06)
    assert np.corrcoef(means.T)[0, 1] == pytest.approx(-0.8, abs=0.03)


@pytest.mark.parametrize("name", ["unequal noise", "unknown noise", "coins at 0.9", "bounded at 0.97", "synthetic"])
def test_means_are_drawn_at_once_as_the_arms_draw_results(name):
    """Means of 20 results, both ways, for the first arm."""
    member = MEMBERS[name]
    rng, instance = np.random.default_rng(5), member.instance
    results = np.empty((400, 20, len(instance.problem.metrics)))
    for one in results.reshape(8000, -1):
        instance.arms.draw(rng, 0, one)
    one_by_one = results.mean(axis=1)
    at_once = np.array([member.draws.sample_means(instance, 20, rng)[0] for _ in range(2000)])
    errors = one_by_one.std(axis=0) * (1 / 400 + 1 / 2000) ** 0.5
    assert (abs(one_by_one.mean(axis=0) - at_once.mean(axis=0)) < 4 * errors).all()
    assert at_once.std(axis=0) == pytest.approx(one_by_one.std(axis=0), rel=0.15)


# Rows and bars


def row(instance, contestant, mean, *, median=None, quantile_99=None):
    middle = mean if median is None else median
    return Row(instance, contestant, "", 1, 2000, mean, 1.0, middle, quantile_99 or middle, 0.0, 0.0, 0.002, 0.0)


def made_of(*rows):
    names = {one.instance for one in rows}
    members = tuple(member for member in family() if member.name in names)
    return Comparison(members, contestants(), rows, (), 2000, 1)


def test_bars_are_computed_from_rows():
    made = made_of(
        row("synthetic", "satisfice", 310.0),
        row("synthetic", "MultiTUCB", 1000.0),
        row("synthetic", "MultiHDoC", 300.0),
        row("medical", "satisfice", 100.0, quantile_99=401.0),
        row("medical", "satisfice, sd unknown", 500.0),
    )
    found = {bar.what: bar for bar in bars.bars(made)}
    assert found["synthetic: mean over MultiTUCB's"].measured == pytest.approx(0.31)
    assert found["synthetic: mean over MultiTUCB's"].met
    best = found["chosen on: mean over the best of all other procedures'"]
    assert (round(best.measured, 3), best.met) == (1.033, True)
    tail = found["every instance: 99 % quantile over median"]
    assert (tail.measured, tail.met) == (4.01, False)
    assert not any("sd unknown over known" in what for what in found)
    assert "medical: mean over MultiTUCB's" not in found


def test_what_is_drawn_is_the_same_every_time_and_ends_both_ways():
    drawn = [member for member in family() if member.group is Group.DRAWN]
    assert len(drawn) >= 15
    cases = [case_of(member) for member in drawn]
    assert all(case_of(member) is Case.NO_GOOD_ARM for member in drawn if "no good arm" in member.why)
    assert all(
        case_of(member) is Case.GOOD_ARM for member in drawn if "half of" in member.why or "one or two" in member.why
    )
    assert {Case.GOOD_ARM, Case.NO_GOOD_ARM} <= set(cases)
    for one, other in zip(drawn, drawn_members(), strict=True):
        assert np.array_equal(one.instance.arms.means, other.instance.arms.means)


def test_the_factor_of_coins_must_grow_towards_the_edge():
    def with_last(mean):
        rows = [
            row(f"coins at {edge:g}", name, mean)
            for edge, ours in ((0.5, 99.0), (0.9, 40.0), (0.99, mean))
            for name, mean in (("satisfice", ours), ("satisfice, as sub-Gaussian", 100.0))
        ]
        return {bar.what: bar.met for bar in bars.bars(made_of(*rows))}

    falls = "coins: from one threshold to the next, the ratio falls to"
    assert with_last(10.0)[falls]
    assert not with_last(50.0)[falls]


@pytest.fixture(scope="module")
def small():
    return compare(chosen_members(["two arms", "unknown noise"]), SOME, repetitions=20, threads=1)


def test_every_contestant_that_enters_has_a_row(small):
    assert {one.contestant for one in small.rows if one.instance == "two arms"} == {
        one.name for one in SOME if one is not SUB_GAUSSIAN
    } | {"fixed repeats"}
    assert all(one.repetitions == 20 and one.timed_out == 0 for one in small.rows)
    assert small.row("unknown noise", "MultiTUCB") is None


def test_rows_survive_their_file_and_make_the_same_page(small, tmp_path):
    paths = save(small, tmp_path)
    assert all(path.stat().st_size > 50 for path in paths)
    kept = read(tmp_path)
    assert (kept.rows, kept.limits) == (small.rows, small.limits)
    assert page(kept) == paths[3].read_text(encoding="utf-8")


def test_what_is_finished_is_not_run_again_and_contestants_can_be_added(tmp_path, monkeypatch):
    members = chosen_members(["two arms"])
    before = compare(members, PAPER_RULES[:1], repetitions=20, threads=1, folder=tmp_path)
    told = []
    after = compare(members, PAPER_RULES[:2], repetitions=20, threads=1, folder=tmp_path, on_progress=told.append)
    assert after.rows[0] == before.rows[0]
    assert [(one.cells_done, one.repetitions_done, one.evaluations > 0) for one in told] == [
        (0, 20, False),
        (1, 40, True),
    ]


def test_an_instance_with_an_uncertain_mean_is_run_more_often(tmp_path):
    (medical,), told = chosen_members(["medical"]), []
    assert medical.times > 1
    made = compare([medical], [DEFAULT], repetitions=2, threads=1, on_progress=told.append)
    assert {row.repetitions for row in made.rows} == {2 * medical.times}
    assert (told[-1].repetitions_done, told[-1].repetitions) == (2 * medical.times, 2 * medical.times)
    save(made, tmp_path)
    assert read(tmp_path).repetitions == 2
    assert f"({2 * medical.times} on *medical*)" in (tmp_path / "benchmark.md").read_text(encoding="utf-8")


def test_an_oracle_needs_less_than_any_contestant_and_more_than_the_limit(small):
    for member in small.members:
        floor = small.limit(member.name)
        assert floor.limit < floor.oracle < min(row.mean for row in small.rows if row.instance == member.name)


def test_fixed_repeats_take_what_their_formula_says():
    member = MEMBERS["two arms"]
    found = fixed_row(member, 50, seed=1)
    assert found.mean == found.quantile_99 == 2 * fixed.repeats(member.instance.problem, 2)


def test_numbers_are_short():
    assert [short(number) for number in (9.6, 9_999, 12_640, 381_234, 36_233_940)] == [
        "10",
        "9,999",
        "12.6k",
        "381k",
        "36.2M",
    ]
