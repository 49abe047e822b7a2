"""Simulated workers: how durations are written, what is refused, and what comes out."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidInstance, InvalidProblem, UnknownName
from satisfice.simulation.campaign import plan_cells, run_campaign
from satisfice.simulation.durations import Durations, as_durations, drawing_of, duration_of

PROBLEM = sf.problem_of(["latency_ms <= 100 ~ 2 : normal(10)", "loss <= 0.5 ~ 0.1 : normal(0.5)"], 0.1)
ARMS = sf.arms_for(PROBLEM, [[112.0, 0.2], [90.0, 0.8], [92.0, 0.2]])
INSTANCE = sf.Instance.of(PROBLEM, ARMS, name="radio", arm_names=["a", "b", "c"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("constant", Durations()),
        ("lognormal(1)", Durations("lognormal", 1.0)),
        (" Lognormal( 0.5 ) ", Durations("lognormal", 0.5)),
        ("metric(latency_ms)", Durations("metric", metric="latency_ms")),
        ("lognormal(1) + 0.5% x 30", Durations("lognormal", 1.0, share=0.005, factor=30.0)),
        ("constant+1e1%x2", Durations(share=0.1, factor=2.0)),
    ],
)
def test_what_is_written_is_read_and_written_again(text, expected):
    assert as_durations(text) == expected
    assert as_durations(str(expected)) == as_durations(expected) == expected


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("", "Expected durations such as 'constant'"),
        (3, "Expected durations such as .*, got 3"),
        ("lognormal(1) + 30 x 0.5%", "Expected durations such as"),
        ("lognormal", "lognormal needs the standard deviation of the logarithm"),
        ("metric", "metric needs a name"),
        ("constant(2)", "constant has no number"),
        ("lognormal(-1)", "a number from 0 to 10"),
        ("lognormal(much)", "a number from 0 to 10"),
        ("lognormal(11)", "a number from 0 to 10"),
        ("constant + 101% x 2", "a share of at most 100 %"),
        ("constant + 1% x 0.5", "a factor from 1"),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(given, says):
    with pytest.raises(InvalidInstance, match=says):
        as_durations(given)


def test_an_unknown_kind_is_named():
    with pytest.raises(UnknownName, match="lognormal"):
        as_durations("lognorm(1)")


@pytest.mark.parametrize(
    ("thresholds", "means", "says"),
    [
        (["x >= 0 : normal(1)"], [[-0.5]], "must then be positive, but it is -0.5 for '1'"),
        (["geomean(x) <= 2 : normal(1)"], [[1.0]], "'geomean\\(x\\) <= 2' is not simulated by its single results"),
        (["x >= 0.5 : bernoulli of 40"], [[0.6]], "is not simulated by its single results"),
    ],
)
def test_a_metric_that_can_be_no_duration_is_refused(thresholds, means, says):
    problem = sf.problem_of(thresholds, 0.1)
    arms = sf.arms_for(problem, means, sds=1.0)
    with pytest.raises(InvalidInstance, match=says):
        sf.simulate(problem, arms, durations="metric(x)")


def test_an_unknown_metric_is_named():
    with pytest.raises(UnknownName, match="latency_ms"):
        sf.simulate(PROBLEM, ARMS, durations="metric(latency)")


@pytest.mark.parametrize("workers", [0, -1, True, 1.5, "8", [], [4, 0], 10**6, None])
def test_numbers_of_workers_that_can_be_none_are_refused(workers):
    with pytest.raises((InvalidInstance, InvalidProblem), match="workers"):
        sf.simulate(PROBLEM, ARMS, workers=workers)
    with pytest.raises((InvalidInstance, InvalidProblem), match="workers"):
        sf.plan(PROBLEM, 3, workers=workers)


@pytest.mark.parametrize("text", ["constant", "lognormal(1)", "constant + 20% x 5", "lognormal(0.5) + 5% x 10"])
def test_drawn_durations_have_their_mean(text):
    durations = as_durations(text)
    rng, drawing = np.random.default_rng(1), drawing_of(durations, INSTANCE)
    drawn = np.array([duration_of(rng, drawing, np.zeros(2)) for _ in range(20_000)])
    assert drawn.mean() == pytest.approx(durations.mean, abs=5 * drawn.std() / 20_000**0.5 + 1e-12)


def test_a_metric_lasts_as_long_as_its_result_says():
    drawing = drawing_of(as_durations("metric(latency_ms)"), INSTANCE)
    slope, threshold = PROBLEM.standardisation().slopes[0], 100.0
    for value in (90.0, 130.0):
        results = np.array([slope * (value - threshold), 0.0])
        assert duration_of(np.random.default_rng(1), drawing, results) == pytest.approx(value)
    assert duration_of(np.random.default_rng(1), drawing, np.array([slope * (-5.0 - threshold), 0.0])) == 0.0


@pytest.mark.parametrize(("threshold", "slope"), [("p50(x) <= 8", 1.0), ("p50(x) >= 8", -1.0)])
def test_a_percentile_lasts_as_long_as_what_it_is_taken_of(threshold, slope):
    """Its deficits are drawn in the metric's own unit, whichever side passes."""
    problem = sf.problem_of([threshold], 0.1)
    instance = sf.Instance.of(problem, sf.arms_for(problem, [[7.0], [9.0]], sds=1.0))
    drawing = drawing_of(as_durations("metric(x)"), instance)
    for value in (6.5, 12.0):
        assert duration_of(np.random.default_rng(1), drawing, np.array([slope * (value - 8.0)])) == pytest.approx(value)


def test_without_workers_or_durations_nothing_is_timed():
    cells = plan_cells([INSTANCE], ["pandora"], repetitions=3, max_evaluations=300)
    assert [(cell.workers, cell.durations) for cell in cells] == [(1, None)]
    made = run_campaign(cells, engine="interpreted")
    assert made.summaries[0].timing is None
    assert "workers" not in cells[0].description() | made.summaries[0].as_dict()
    assert "workers" not in made.table().column_names


def test_one_worker_stands_beside_many():
    given = {"repetitions": 60, "max_evaluations": 1000, "engine": "interpreted"}
    made = sf.simulate(PROBLEM, ARMS, workers=[4, 16], durations="lognormal(1) + 1% x 10", **given)
    plain = sf.simulate(PROBLEM, ARMS, **given)
    one, few, many = made.summaries
    assert [row.timing.workers for row in made.summaries] == [1, 4, 16]
    assert one.mean == plain.summaries[0].mean == one.timing.asked
    assert one.timing.time == pytest.approx(one.mean, rel=0.2)
    assert one.timing.time > few.timing.time > many.timing.time
    assert many.timing.asked > many.mean
    assert many.timing.time >= many.mean / 16
    rows = made.table().to_pydict()
    assert set(rows["workers"]) == {1, 4, 16}
    assert np.mean([time for time, count in zip(rows["time"], rows["workers"], strict=True) if count == 16]) == (
        pytest.approx(many.timing.time)
    )
    assert str(made.summary()).splitlines()[0].split()[-3:] == ["workers", "asked", "time"]


def test_times_of_a_metric_are_in_units_of_what_was_asked_for():
    given = {"repetitions": 40, "max_evaluations": 1000, "engine": "interpreted"}
    made = sf.simulate(PROBLEM, ARMS, durations="metric(latency_ms)", **given)
    summary, record = made.summaries[0], made.cells[0].record
    assert record.times.sum() == pytest.approx(record.lasted.sum())
    assert summary.timing.time == pytest.approx(summary.mean)
    assert 85 < record.lasted.sum() / record.asked.sum() < 115


def test_a_campaign_with_a_clock_is_kept_and_another_clock_is_another_campaign(tmp_path):
    def run(durations):
        cells = plan_cells([INSTANCE], ["pandora"], repetitions=3, max_evaluations=300, workers=4, durations=durations)
        return run_campaign(cells, folder=tmp_path, engine="interpreted")

    first = run("lognormal(1)")
    first.save(tmp_path)
    again = run("lognormal(1)")
    assert np.array_equal(first.cells[1].times, again.cells[1].times)
    assert "time_90" in (tmp_path / "summary.csv").read_text()
    with pytest.raises(sf.SatisficeError, match="another campaign"):
        run("constant")


def test_a_plan_shows_one_worker_and_many():
    given = {"repetitions": 30, "scenarios": ["one clearly passes", "all clearly fail"], "budget": 500}
    given |= {"engine": "interpreted"}
    made = sf.plan(PROBLEM, 3, workers=8, durations="lognormal(1)", **given)
    lines = [line.split() for line in str(made).splitlines()]
    assert lines[0][:6] == ["scenario", "workers", "used", "asked", "time", "90"]
    assert [line[-8] for line in lines[1:]] == ["1", "8", "1", "8"]
    document = made.as_dict()
    assert (document["workers"], document["durations"]) == (8, "lognormal(1)")
    first = document["scenarios"][0]
    assert first["with_workers"]["time"] < first["time"]
    assert first["with_workers"]["asked"] >= first["with_workers"]["mean"]
    plain = sf.plan(PROBLEM, 3, **given)
    assert plain.timing is None
    assert plain.as_dict()["scenarios"][0]["mean"] == first["mean"]
    assert "with_workers" not in plain.as_dict()["scenarios"][0]


def test_a_seed_makes_the_same_times_for_ever_apart_from_what_is_drawn_of_results():
    """Durations have a stream of their own: with others the same evaluations are asked for, if one asks at a time."""
    cells = plan_cells([INSTANCE], ["multitucb"], repetitions=3, max_evaluations=40, seed=2, durations="lognormal(1)")
    kept = run_campaign(cells[-1:], engine="interpreted").cells[0].record
    assert kept.lasted.tolist() == pytest.approx([17.080938, 19.061682, 33.293455])
    constant = plan_cells([INSTANCE], ["multitucb"], repetitions=3, max_evaluations=40, seed=2, durations="constant")
    plain = run_campaign(constant[-1:], engine="interpreted").cells[0].record
    assert plain.totals.tolist() == kept.totals.tolist() == plain.lasted.tolist()
    assert plain.guess_deficits.tolist() == kept.guess_deficits.tolist()
