"""The benchmark page: made from its numbers, and enough of them."""

from pathlib import Path

from satisfice.comparison.bars import bars
from satisfice.comparison.family import family
from satisfice.comparison.files import read
from satisfice.comparison.page import page

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


def test_every_bar_holds():
    assert [bar.what for bar in bars(read(DOCS)) if not bar.met] == []
