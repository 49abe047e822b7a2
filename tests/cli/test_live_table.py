"""The table of a study fits the screen, loses no digit of what it shows, and counts what it does not show."""

import io

import numpy as np
import pytest
from rich.console import Console

import satisfice as sf
from satisfice.layout.numbers import compact, duration, with_interval
from satisfice.noise.process import Interval
from satisfice.show.forecast import forecast
from satisfice.show.live import Moment, interesting, live_view
from satisfice.show.status import StatusCache
from satisfice.stopping.decision import ACCEPT

THRESHOLDS = ["latency_ms <= 100 ~ 2", "loss <= 0.05 : bernoulli", "energy_mj <= 50 ~ 1 : normal(6)"]
GRID = {f"codec={codec} txpower={power}": {"codec": codec, "txpower": power} for codec in "ab" for power in (4, 8, 12)}


def moment(evaluations, configs=GRID, goal="any", **more):
    """A study of simulated radios after so many evaluations; the last but one is good."""
    problem = sf.problem_of(THRESHOLDS, 0.05, goal=goal)
    search = sf.Search(problem, list(configs), rule="thompson", stopping="evidence", seed=1)
    rng = np.random.default_rng(1)
    for _ in range(evaluations):
        name = search.ask()
        if name is None:
            break
        good = name == list(configs)[-2]
        results = {
            "latency_ms": rng.normal(85 if good else 120, 12),
            "loss": int(rng.random() < (0.001 if good else 0.1)),
            "energy_mj": rng.normal(40 if good else 58, 6),
        }
        search.tell(name, results)
    return Moment("radio", problem, search.verdict, search.statuses(), configs, **more)


def drawn(seen, width, height=40):
    console = Console(width=width, height=height, force_terminal=True, color_system=None, file=io.StringIO())
    console.print(live_view(seen, console))
    return console.file.getvalue().splitlines()


@pytest.mark.parametrize("evaluations", [0, 7, 60, 1000])
@pytest.mark.parametrize("width", [60, 80, 100, 140, 200])
def test_the_table_fits_and_is_whole(evaluations, width):
    lines = drawn(moment(evaluations, evaluating={"codec=b txpower=8": 2}, max_evaluations=2000), width)
    assert max(map(len, lines)) <= width
    assert not any("…" in line for line in lines[:-2])
    head = lines[1].split()
    assert head[:3] == ["codec", "txpower", "runs"]
    assert "≤ 100" in lines[1]
    assert [line.split()[:2] for line in lines[2:8]] == [[codec, power] for codec in "ab" for power in ("4", "8", "12")]


def test_wide_screens_show_more():
    seen = moment(60, evaluating={"codec=b txpower=8": 2})
    narrow, wide = "\n".join(drawn(seen, 80)), "\n".join(drawn(seen, 140))
    assert "●" in wide
    assert "●" not in narrow
    for text in (narrow, wide):
        assert "▸ 2 now" in text
        assert "evaluating codec=b txpower=8 ×2" in text
        assert "━" in text
        assert "–" in text


def test_what_is_decided_is_said():
    seen = moment(1000)
    text = "\n".join(drawn(seen, 100))
    assert text.count("✓ passes") == 1
    assert "evaluating" not in text
    everything = moment(5000, goal="all")
    text = "\n".join(drawn(everything, 100))
    assert (text.count("✓ passes"), text.count("✗ fails")) == (1, 5)


def test_a_thousand_configurations_show_what_matters_and_count_the_rest():
    many = {f"model-{number:04}": {} for number in range(1000)}
    seen = moment(3000, many, evaluating={"model-0500": 1}, max_evaluations=100_000, seconds=60.0)
    lines = drawn(seen, 100, height=30)
    assert len(lines) <= 30
    shown, rest = interesting(seen, 20)
    assert (len(shown), len(shown) + len(rest)) == (19, 1000)
    assert "model-0500" in [status.name for status in shown]
    assert any(status.decision == ACCEPT for status in shown) == (seen.verdict.arm is not None)
    assert any("more:" in line for line in lines)
    assert not any(status.decision == ACCEPT for status in rest)


def test_a_status_cache_brings_what_matters_up_to_date_first():
    study = sf.create_study(
        [f"model-{number}" for number in range(40)],
        THRESHOLDS[:1],
        rule="thompson",
        stopping="evidence",
        storage="memory",
    )
    rng = np.random.default_rng(1)
    study.run(lambda name: {"latency_ms": rng.normal(120 + int(name[6:]), 10)}, max_evaluations=60)
    cache, view = StatusCache(len(study.problem.metrics)), study.view()
    some = cache.statuses(view, {"model-39": 1}, most=3)
    assert [status.pulls for status in some] == list(view.evaluations.values())
    assert sum(status.pulls for status in some) == 60
    known = [status.name for status in some if status.means[0] == status.means[0]]
    assert len(known) == 3
    assert "model-39" in known
    assert cache.statuses(view) == view.statuses
    seen = Moment("x", study.problem, study.verdict(), some, study.configs)
    for width in (60, 80, 140):
        assert len(drawn(seen, width, 100)) > 40


def test_what_remains_is_about_right():
    """Told at half of the way; within a factor of three is what such a line is for."""
    whole = moment(10_000).verdict.evaluations
    left = remaining(moment(whole // 2))
    assert left is not None
    assert whole / 6 < left.evaluations < whole * 1.5
    assert left.cost is None
    assert remaining(moment(3)) is None
    assert remaining(moment(10_000, goal="all")) is None
    assert remaining(moment(whole // 2, goal=2)) is None, "of a second one nothing is known"


def test_with_several_to_find_it_is_said_how_many_there_are():
    seen = moment(10_000, goal=2, seconds=2.0)
    assert f"{len(seen.verdict.accepted)} of 2 found" in "\n".join(drawn(seen, 100))
    assert "found" not in "\n".join(drawn(moment(10), 100))


def remaining(seen):
    return forecast(seen.problem.goal, seen.statuses, seen.expected_cost)


@pytest.mark.parametrize(
    ("number", "text"),
    [(0.0, "0"), (0.012345, "0.0123"), (98.76, "98.8"), (12345.6, "12,346"), (float("inf"), "∞"), (-3.21, "-3.21")],
)
def test_numbers_in_few_digits(number, text):
    assert compact(number) == text


@pytest.mark.parametrize(
    ("mean", "low", "high", "text"),
    [
        (89.123, 86.81, 91.42, "89.1 (86.8–91.4)"),
        (0.002, 0.0, 0.0123, "0.002 (0–0.012)"),
        (-3.0, -5.1, -1.3, "-3.0 (-5.1 to -1.3)"),
        (1234.5, 900.0, 1500.0, "1,234 (900–1,500)"),
        (7.0, float("-inf"), float("inf"), "7.00"),
        (7.0, 7.0, 7.0, "7.000 (7.000–7.000)"),
    ],
)
def test_an_interval_has_the_digits_that_mean_something(mean, low, high, text):
    assert with_interval(mean, Interval(low, high)) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.04, "0.0 s"), (12.6, "13 s"), (200, "3 min 20 s"), (7500, "2 h 5 min"), (172_800, "2 d")]
)
def test_durations(seconds, text):
    assert duration(seconds) == text
