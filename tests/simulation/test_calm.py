"""Results that are only folded, since nothing can come of them: the same runs as if each had been looked at."""

from math import exp

import numpy as np
import pytest

import satisfice as sf
from satisfice.noise import known_scale
from satisfice.noise.kinds import SLACK, NoiseTable
from satisfice.noise.normal import KNOWN_SCALE
from satisfice.paper.article import SYNTHETIC
from satisfice.rules.pandora import Pandora
from satisfice.simulation import trial
from satisfice.simulation.cell import Cell, new_record, prepared
from satisfice.stopping import STOPPING_RULES
from satisfice.testing.noise import check_calm, check_leeway


def small() -> sf.Instance:
    """Three arms, of which one passes; a run takes some hundred evaluations."""
    problem = sf.problem_of(["x >= 0 ~ 0.02 : normal(1)", "y >= 0 ~ 0.02 : normal(1)"], 0.02)
    return sf.Instance.of(problem, sf.arms_for(problem, [[0.15, 0.3], [-0.1, 0.2], [0.1, -0.3]]))


def run_of(
    stopping: str, block: int = 0, instance: sf.Instance = SYNTHETIC, evaluations: int = 12_000
) -> tuple[int, np.ndarray]:
    """How a run ends, and its streaks; interpreted."""
    cell = Cell(instance, Pandora(), STOPPING_RULES[stopping](), 1, evaluations, 1)
    record, streaks = new_record(cell, 1), np.zeros((evaluations, 2), np.int64)
    written = prepared(cell, "interpreted")(block, record, streaks)
    return int(record.endings[0]), streaks[:written]


def counting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many results were looked at."""
    looks, looked_at = [0], trial.looked_at

    def counted(*arguments):
        looks[0] += 1
        return looked_at(*arguments)

    monkeypatch.setattr(trial, "looked_at", counted)
    return looks


@pytest.mark.parametrize("stopping", ["evidence", "transfer"])
def test_runs_are_those_in_which_every_result_is_looked_at(stopping: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = counting(monkeypatch)
    ending, streaks = run_of(stopping)
    assert looks[0] < 0.8 * streaks[:, 1].sum(), "hardly a result was spared a look"
    monkeypatch.setattr(trial, "FEWEST", 1 << 62)
    looks[0] = 0
    same_ending, same_streaks = run_of(stopping)
    assert looks[0] == same_streaks[:, 1].sum()
    assert ending == same_ending
    assert streaks.tolist() == same_streaks.tolist()


def falls_too_far(monkeypatch: pytest.MonkeyPatch) -> None:
    leeway = Pandora.leeway
    monkeypatch.setattr(Pandora, "leeway", lambda self, *arguments: 100.0 * leeway(self, *arguments))


def accepts_too_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NoiseTable, "needed_at_least", lambda self, metric, pulls, level: 2.0 * level * pulls**0.5)


def never_rejects(monkeypatch: pytest.MonkeyPatch) -> None:
    between = trial.find_range

    def careless(judge, rule, state, *arguments):
        found = between(judge, rule, state, *arguments)
        state.calm[trial.HIGH] = np.inf
        return found

    monkeypatch.setattr(trial, "find_range", careless)


@pytest.mark.parametrize("mistake", [falls_too_far, accepts_too_late, never_rejects])
def test_mistakes_made_on_purpose_are_found(mistake, monkeypatch: pytest.MonkeyPatch) -> None:
    right = [run_of("transfer", block, small(), 2000)[1].tolist() for block in range(10)]
    mistake(monkeypatch)
    assert [run_of("transfer", block, small(), 2000)[1].tolist() for block in range(10)] != right


@pytest.mark.parametrize("tolerance", ["", " ~ 0.05", " ~ 0.2"])
def test_between_the_two_sums_nothing_is_enough(tolerance: str) -> None:
    problem = sf.problem_of([f"x >= 3{tolerance} : normal(2)"])
    check_calm(problem.metrics[0].noise, problem, seed=7)


def wider(pulls: int, last: int, *asked: float) -> tuple[float, float]:
    low, high = known_scale.between(pulls, last, *asked)
    return low - 0.02 * abs(low), high


def for_now(pulls: int, last: int, *asked: float) -> tuple[float, float]:
    return known_scale.between(pulls, pulls, *asked)


@pytest.mark.parametrize("between", [wider, for_now])
def test_ranges_that_are_too_wide_do_not_keep_the_contract(between) -> None:
    class Careless(sf.Normal):
        process = KNOWN_SCALE._replace(calm=KNOWN_SCALE.calm._replace(between=between))

    noise = Careless(2.0)
    with pytest.raises(AssertionError, match="said to be calm, and enough_within says enough"):
        check_calm(noise, sf.Problem((sf.Metric("x", 3.0, tolerance=0.2, noise=noise),)))


def test_what_is_needed_at_least_is_less_than_a_level_by_its_bound_and_not_much_less() -> None:
    noise, rng = sf.problem_of(["x >= 3 : normal(2)"]).noise(1), np.random.default_rng(8)
    for _ in range(2000):
        pulls, level = int(exp(rng.uniform(0.0, 14.0))), rng.uniform(0.8, 30.0)
        need = noise.needed_at_least(0, pulls, level)
        deficit = -need * noise.numbers[0, 1]
        assert noise.most_within(0, pulls, deficit, np.zeros(0), 1.0) < level - 0.1 * SLACK
        assert noise.most_within(0, pulls, deficit * (1 + 1e-6), np.zeros(0), 1.0) > level - 1e-4
    assert noise.needed_at_least(0, 50, 0.5) == -np.inf, "the bound is never below ln 2"


def test_an_arm_that_falls_by_less_than_its_leeway_stays_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    setting, leeway, found = SYNTHETIC.problem.setting(12), Pandora.leeway, []
    monkeypatch.setattr(Pandora, "leeway", lambda self, *asked: found.append(leeway(self, *asked)) or found[-1])
    check_leeway(Pandora(), setting)
    assert np.count_nonzero(found) > 50
    falls_too_far(monkeypatch)
    with pytest.raises(AssertionError, match="which is not above"):
        check_leeway(Pandora(), setting)
