"""The article as data: settings, printed numbers, quirks, comparisons, and the folder that a reproduction leaves."""

from dataclasses import FrozenInstanceError, replace
from math import log, sqrt
from pathlib import Path

import numpy as np
import pytest

from satisfice.errors import InvalidInstance, OtherCampaign, UnknownName, UnwritableFolder
from satisfice.paper import TABLES, Reproduction, printed_table, reproduce
from satisfice.paper.article import (
    BUDGET,
    MEDICAL,
    MISPRINTS,
    SWEEPS,
    SYNTHETIC,
    SYNTHETIC_AS_PRINTED,
    Parameter,
    Statistic,
    chosen_tables,
)
from satisfice.paper.comparisons import Part, Ran, compared_number, planned_cells, z_score
from satisfice.paper.released_programs import (
    Estimate,
    MultiLUCBAsReleased,
    published_failures,
    published_statistics,
    published_times,
)
from satisfice.paper.targets import Target
from satisfice.problem.metric import Direction
from satisfice.rules import MultiLUCB
from satisfice.simulation import trial
from satisfice.simulation.campaign import Progress
from satisfice.simulation.cell import CellResult
from satisfice.simulation.record import record

ONE_TABLE = ["medical_delta_stopping_time"]


def test_there_are_ten_tables_of_ten_rows_and_four_rules() -> None:
    assert len(TABLES) == 10
    for name in TABLES:
        table = printed_table(name)
        assert table.rules == ("MultiAPT", "MultiHDoC", "MultiLUCB", "MultiTUCB")
        assert [len(row) for row in table.numbers] == [4] * 10


def test_sweeps_are_those_of_the_printed_tables() -> None:
    for name in TABLES:
        table = printed_table(name)
        assert table.values == table.sweep.values
    assert [sweep.values[0] for sweep in SWEEPS] == [0.005, 0.002, 0.005, 0.002]
    assert [sweep.values[-1] for sweep in SWEEPS] == [0.05, 0.02, 0.05, 0.02]


def test_a_dash_is_no_number_and_misprints_are_kept_and_flagged() -> None:
    assert printed_table("medical_epsilon_sd").number(0.002, "MultiAPT") is None
    assert printed_table("synthetic_epsilon_stopping_time").number(0.002, "MultiHDoC") == 9351.76
    for name, value, rule in MISPRINTS:
        assert printed_table(name).doubt(value, rule) is not None
    assert printed_table("synthetic_delta_sd").doubt(0.005, "MultiAPT") is None


def test_one_misprinted_sd_is_more_than_times_within_the_budget_can_have() -> None:
    mean = printed_table("medical_epsilon_stopping_time").number(0.004, "MultiHDoC")
    sd = printed_table("medical_epsilon_sd").number(0.004, "MultiHDoC")
    assert mean is not None
    assert sd is not None
    assert sd > sqrt(mean * (BUDGET - mean))


@pytest.mark.parametrize(
    ("instance", "shape", "gap"),
    [(SYNTHETIC, (10, 4), -0.05), (SYNTHETIC_AS_PRINTED, (10, 4), 0.0), (MEDICAL, (5, 2), -0.225)],
)
def test_instances_have_the_gaps_that_the_findings_state(instance, shape, gap) -> None:
    assert instance.arms.means.shape == shape
    assert instance.shortfalls().min() == pytest.approx(gap, abs=1e-12)
    assert all(metric.direction is Direction.AT_LEAST for metric in instance.problem.metrics)
    assert len({metric.noise for metric in instance.problem.metrics}) == 1


def test_only_arm_7_is_good_in_either_synthetic_instance() -> None:
    for instance in (SYNTHETIC, SYNTHETIC_AS_PRINTED):
        assert np.flatnonzero(instance.shortfalls() <= 1e-12).tolist() == [6]


def test_the_released_lucb_divides_the_logarithm_by_the_error_rate() -> None:
    setting = SYNTHETIC.problem.setting(10)
    expected = sqrt(2 * 1.2**2 * (log(4 * 10 * 4 * 300**2) / 0.005) / (2 * 300))
    assert MultiLUCBAsReleased().bonus(300, setting) == pytest.approx(expected, rel=1e-12)
    assert MultiLUCBAsReleased().bonus(300, setting) > 5 * MultiLUCB().bonus(300, setting)
    assert MultiLUCBAsReleased().priority(0.3, 0.2, 1.0) == 0.7


def _result(endings: list[int], pulls: list[int], found: list[int]) -> CellResult:
    cell = planned_cells(SWEEPS[2:3], len(endings), 0)[0].cell
    kept = record(len(endings), 5, 2, 0, decisions=False)
    return CellResult(cell, kept._replace(endings=np.array(endings), found=np.array(found), totals=np.array(pulls)))


def test_published_times_count_from_zero_and_a_time_out_as_the_longest_finished() -> None:
    result = _result([trial.FOUND, trial.UNDECIDED_RUN, trial.FOUND], [101, BUDGET, 301], [3, -1, 3])
    assert published_times(result).tolist() == [100, 300, 300]
    assert published_failures(result).tolist() == [False, True, False]


def test_a_wrong_answer_is_a_failure_too() -> None:
    result = _result([trial.FOUND, trial.NONE], [101, 201], [0, -1])
    assert published_failures(result).tolist() == [True, True]
    assert published_statistics(published_times(result), published_failures(result)).mean is None


def test_where_nothing_finished_times_are_the_budget() -> None:
    assert published_times(_result([trial.UNDECIDED_RUN], [BUDGET], [-1])).tolist() == [BUDGET - 1]


def test_published_statistics_by_hand() -> None:
    statistics = published_statistics(np.array([100.0, 200.0, 300.0, 300.0]), np.array([False, False, False, True]))
    assert statistics.mean is not None
    assert statistics.sd is not None
    assert statistics.mean.value == 300  # 900 / 3
    assert statistics.sd.value == pytest.approx(sqrt((200**2 + 100**2) / 4))
    assert statistics.error_rate_percent.value == 25


def test_standard_errors_without_failures_are_the_usual_ones() -> None:
    times = np.random.default_rng(1).exponential(1000, 400)
    statistics = published_statistics(times, np.zeros(400, bool))
    assert statistics.mean is not None
    assert statistics.mean.standard_error == pytest.approx(times.std(ddof=1) / 20, rel=1e-12)


def test_standard_errors_with_failures_agree_with_resampling() -> None:
    rng = np.random.default_rng(2)
    times = np.minimum(rng.normal(150, 50, 1000), 200.0)
    failed = times == 200.0
    statistics = published_statistics(times, failed)
    picks = rng.integers(0, 1000, (1000, 1000))
    again = [published_statistics(times[pick], failed[pick]) for pick in picks]
    for what in ("mean", "sd"):
        resampled = np.std([getattr(one, what).value for one in again])
        # the sd of 1000 resamples has a relative error of 1/sqrt(2000): five of those
        assert getattr(statistics, what).standard_error == pytest.approx(resampled, rel=5 / sqrt(2000))


def test_z_scores_count_the_chance_on_both_sides() -> None:
    assert z_score(Estimate(110.0, 3.0), Estimate(100.0, 4.0)) == 2.0
    assert z_score(Estimate(110.0, 0.0), Estimate(100.0, 0.0)) is None


def test_a_printed_mean_has_the_standard_error_of_its_sd_and_repetitions() -> None:
    planned = next(one for one in planned_cells(SWEEPS[2:3], 3, 0) if one.rule == "MultiTUCB")
    result = replace(_result([trial.FOUND] * 3, [1001, 1501, 2001], [3] * 3), cell=planned.cell)
    row = compared_number(printed_table("medical_delta_stopping_time"), Ran(planned, result))
    ours = np.array([1000.0, 1500.0, 2000.0])
    # se and sd of ours differ by ddof, and so does their ratio
    theirs = 4378.73 * (ours.std(ddof=1) / ours.std()) / sqrt(2000)
    expected = (1500 - 1512.23) / sqrt(ours.var(ddof=1) / 3 + theirs**2)
    assert row.z == pytest.approx(expected, rel=1e-9)
    assert row.difference_percent == pytest.approx(100 * (1500 / 1512.23 - 1))
    assert row.numbers.median == 1500


def test_a_target_is_met_up_to_its_limit_in_either_direction() -> None:
    assert Target("means", 3.0, "%", -3.0, -1.0, "somewhere").met
    assert not Target("means", 3.0, "%", -3.1, -1.0, "somewhere").met


def test_the_plan_has_the_papers_repetitions_budget_and_evidence() -> None:
    planned = planned_cells(SWEEPS, "paper", 1)
    of_tables = [one for one in planned if one.part is Part.TABLE]
    assert len(of_tables) == 160
    assert {(one.sweep.name.split("_")[0], one.cell.repetitions) for one in of_tables} == {
        ("synthetic", 5000),
        ("medical", 2000),
    }
    assert {one.cell.max_evaluations for one in planned} == {200_000}
    assert {one.part for one in planned} == set(Part)
    for one in of_tables:
        problem = one.cell.instance.problem
        assert one.value == (
            problem.error_rate if one.sweep.parameter is Parameter.DELTA else problem.metrics[0].tolerance
        )
    assert len({one.cell.key() for one in planned}) == len(planned)


@pytest.mark.parametrize("repetitions", [0, -3, 2.5, True, "papers"])
def test_repetitions_that_are_no_number_are_refused(repetitions, tmp_path: Path) -> None:
    with pytest.raises(InvalidInstance, match="or 'paper'"):
        reproduce(tmp_path / "out", repetitions=repetitions)
    assert not (tmp_path / "out").exists()


def test_tables_are_chosen_by_name() -> None:
    assert [table.name for table in chosen_tables(None)] == list(TABLES)
    assert [table.name for table in chosen_tables(["all"])] == list(TABLES)
    assert [table.name for table in chosen_tables("synthetic_delta_sd")] == ["synthetic_delta_sd"]
    with pytest.raises(InvalidInstance, match="at least one table"):
        chosen_tables([])


def test_an_unknown_table_is_refused_with_the_nearest_name(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'synthetic_delta_sd'"):
        reproduce(tmp_path / "out", tables=["synthetic_delta_std"])
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    return reproduce(tmp_path_factory.mktemp("paper") / "out", tables=ONE_TABLE, repetitions=3, seed=4)


def _contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_reproduction_leaves_tables_figures_and_a_report(small: Reproduction) -> None:
    assert [path.name for path in small.tables] == ["medical_delta_stopping_time.csv"]
    assert [path.name for path in small.figures] == ["figure_1.pdf", "figure_1.png", "figure_4.pdf", "figure_4.png"]
    assert all(path.stat().st_size > 5000 for path in small.figures)
    head, *lines = small.tables[0].read_text().splitlines()
    assert head.startswith(
        "delta,rule,printed,misprint,printed_standard_error,ours,standard_error,difference,difference_percent,z"
    )
    assert len(lines) == len(small.rows) == 40
    assert len(small.extra_runs.text_lucb) == 2
    assert len(small.extra_runs.long_runs) == 30
    assert not small.extra_runs.time_outs
    with pytest.raises(FrozenInstanceError):
        small.rows = ()  # type: ignore[misc]


def test_the_report_links_to_its_figures_and_names_no_machine(small: Reproduction) -> None:
    text = small.report.read_text()
    for number in (1, 4):
        assert f"(figures/reproduction/figure_{number}.png)" in text
        assert (small.folder / f"figures/reproduction/figure_{number}.png").is_file()
    assert str(small.folder) not in text
    assert "{" not in text
    assert "fewer repetitions than the paper" in text
    assert str(small.report) in small.summary()


def test_an_interrupted_reproduction_goes_on_where_it_was(small: Reproduction, tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.cells_done == 30:
            raise KeyboardInterrupt

    told: list[Progress] = []
    with pytest.raises(KeyboardInterrupt):
        reproduce(tmp_path / "out", tables=ONE_TABLE, repetitions=3, seed=4, on_progress=interrupt)
    assert not (tmp_path / "out" / "reproduction.md").exists()
    again = reproduce(tmp_path / "out", tables=ONE_TABLE, repetitions=3, seed=4, threads=1, on_progress=told.append)
    assert _contents(again.folder) == _contents(small.folder)
    assert [progress.evaluations for progress in told[:30]] == [0] * 30
    assert told[-1].repetitions_done == told[-1].repetitions


def test_a_folder_of_another_campaign_is_left_as_it_is(small: Reproduction) -> None:
    before = _contents(small.folder)
    with pytest.raises(OtherCampaign, match="another campaign"):
        reproduce(small.folder, tables=ONE_TABLE, repetitions=3, seed=5)
    assert _contents(small.folder) == before


def test_a_folder_with_other_files_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(OtherCampaign, match="not a results folder"):
        reproduce(tmp_path, tables=ONE_TABLE, repetitions=3)
    assert _contents(tmp_path) == {"notes.txt": b"mine"}


def test_a_folder_that_cannot_be_made_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    told: list[Progress] = []
    with pytest.raises(UnwritableFolder):
        reproduce(tmp_path / "file" / "out", tables=ONE_TABLE, repetitions=3, on_progress=told.append)
    assert told == []


def test_statistics_are_named_as_in_the_tables_files() -> None:
    assert {name.removeprefix(printed_table(name).sweep.name + "_") for name in TABLES} == set(Statistic)
