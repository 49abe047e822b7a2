"""The benchmark page: made from its numbers, and enough of them."""

from pathlib import Path

import pytest

from benchmarks.evaluations.bars import bars
from benchmarks.evaluations.contestants import DEFAULT, PAPER_RULES, SUB_GAUSSIAN
from benchmarks.evaluations.family import HALF_GOOD, THOUSAND, chosen_members, family
from benchmarks.evaluations.files import read
from benchmarks.evaluations.measure import compare
from benchmarks.evaluations.page import page

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_the_page_says_what_its_numbers_say():
    assert page(read(DOCS)) == (DOCS / "benchmark.md").read_text(encoding="utf-8"), "run `make compare`"


def test_the_page_is_about_the_whole_family_at_enough_repetitions():
    made = read(DOCS)
    assert {member.name for member in made.members} == {member.name for member in family()}
    assert min(row.repetitions for row in made.rows) >= 2000
    assert (DOCS / "figures/benchmark.png").stat().st_size < 300_000


def test_no_contestant_breaks_its_guarantee():
    """The lower end of each 95 % interval, of which there are hundreds, is below the error rate by far."""
    made = read(DOCS)
    rates = {member.name: member.instance.problem.error_rate for member in made.members}
    assert [row for row in made.rows if row.wrong_low > rates[row.instance]] == []


MISSED = {
    "every instance: 99 % quantile over median",
    "every instance, sd unknown: 99 % quantile over median",
    "coins at 0.5: mean over that as sub-Gaussian(1/2)",
    "sd unknown over known without transfer, where more than 200 are needed",  # one run in 2,000, on decoys
}
"""The bars that the page says are missed. One that is missed besides fails here, and one that holds again must go."""


def test_the_bars_that_are_missed_are_known():
    assert {bar.what for bar in bars(read(DOCS)) if not bar.met} == MISSED


def measured(instance, contestants, repetitions):
    """The bars that these contestants allow on one instance, by what they are called."""
    made = compare(chosen_members([instance]), contestants, repetitions=repetitions, seed=1, threads=1)
    return {bar.what: bar for bar in bars(made)}


@pytest.mark.parametrize("instance", [THOUSAND, HALF_GOOD])
def test_bars_that_are_measured_in_seconds_hold_now(instance):
    """The page's numbers may be older than the code."""
    bar = measured(instance, (DEFAULT,), 200)[f"{instance}: mean evaluations"]
    assert bar.met, bar.details
    assert bar.measured < 0.6 * bar.bar, bar.details


@pytest.mark.full
def test_the_default_takes_less_than_half_of_multitucb_on_the_medical_instance():
    """Measured now: the page's numbers may be older than the code."""
    found = measured("medical", (DEFAULT, PAPER_RULES[0]), 300)
    bar = found["medical: mean over MultiTUCB's"]
    assert bar.measured < 0.5, bar.details


@pytest.mark.full
def test_coins_take_fewer_evaluations_than_their_scale_says():
    """Told that results are 0 or 1, against told only that they are sub-Gaussian(1/2)."""
    found = measured("coins at 0.9", (DEFAULT, SUB_GAUSSIAN), 60)
    bar = found["coins at 0.9: mean over that as sub-Gaussian(1/2)"]
    assert (bar.met, bar.bar) == (True, 1.0), bar.details
