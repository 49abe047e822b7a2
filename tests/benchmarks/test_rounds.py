"""Rounds of measurements, and bars made of them."""

from itertools import count

import pytest

from benchmarks.bar import at_least, at_most
from benchmarks.report import bar_table, print_bars
from benchmarks.rounds import QUICK, Effort, Rounds, in_turns


def test_measurements_take_turns():
    turns = count()
    first, second = in_turns(3, [lambda: float(next(turns)), lambda: float(next(turns))])
    assert (first.values, second.values) == ((0.0, 2.0, 4.0), (1.0, 3.0, 5.0))


def test_the_median_counts_and_the_spread_is_told():
    rounds = Rounds((0.5, 9.0, 0.7))
    bar = at_most("time", rounds, 0.7, unit=" s")
    assert (bar.measured, bar.met, bar.shown, bar.spread_shown) == (0.7, True, "0.7 s", "0.5 to 9")
    assert not at_least("time", rounds, 0.71).met


def test_ratios_are_taken_round_by_round():
    assert Rounds((2.0, 9.0)).over(Rounds((1.0, 3.0)), 2.0).values == (4.0, 6.0)
    assert Rounds((2.0, 9.0)).less(Rounds((1.0, 3.0))).values == (1.0, 6.0)


def test_a_share_of_the_work_is_at_least_some():
    assert [QUICK.of(1000), QUICK.of(10), Effort().of(10), QUICK.of(10, least=5)] == [10, 1, 10, 5]


def test_missed_bars_are_marked_on_the_page():
    page = bar_table([at_most("slow", Rounds((2.0,)), 1.0), at_most("fast", Rounds((0.5,)), 1.0)])
    assert page.splitlines()[2:] == [
        "| slow | at most 1 | 2 (missed) | 2 to 2 |  |",
        "| fast | at most 1 | 0.5 | 0.5 to 0.5 |  |",
    ]


def test_bars_on_a_terminal_have_whole_words_and_no_markup(capsys):
    what, details = "8 worker processes, PostgreSQL", "one at a time, log verified; disk: 0.075 ms a commit"
    rounds = Rounds((12_131.0, 13_131.0, 14_131.0))
    print_bars([at_least(what, rounds, 20_000, unit=" events/s", details=details), at_most("[red]", rounds, 1.0)])
    shown = capsys.readouterr().out
    assert "[red]" in shown
    assert "[/]" not in shown
    assert "13,131 events/s" in shown
    assert set(f"{what} {details}".split()) <= set(shown.split())


@pytest.mark.full
def test_the_speed_measurements_run():
    from benchmarks.speed import simulator  # noqa: PLC0415 - loads numba

    bars = [bar for measure in simulator.MEASURES for bar in measure(QUICK)]
    assert len(bars) == 11
    assert all(bar.measured > 0 and bar.spread is not None for bar in bars)


def test_the_live_measurements_run(tmp_path):
    from benchmarks.live import long, opening, steps  # noqa: PLC0415

    measures = (steps.growth, steps.many_configs, opening.opened, long.replayed, long.memory_and_disk)
    bars = [bar for measure in measures for bar in measure(tmp_path, QUICK)]
    assert len(bars) == 9
    assert all(bar.measured > 0 for bar in bars)
