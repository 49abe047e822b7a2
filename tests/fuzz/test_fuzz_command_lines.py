"""Command lines of `satisfice run` made of anything, up to the point where something would be run."""

from itertools import chain
from unittest.mock import patch

import pytest
import typer
from hypothesis import example, given
from hypothesis import strategies as st

import satisfice as sf
from satisfice.cli.app import app
from tests.fuzz.odd import TEXTS, check_sentences, full, quick, works_or_says_why

COMMAND = typer.main.get_command(app)
OPTIONS = (
    *("-L", "--config", "--baseline", "-t", "-e", "--goal", "-m", "--max-evaluations", "--max-time", "-j"),
    *("--timeout", "--on-error", "--retries", "--worst", "--env", "--cwd", "--rule", "--stopping", "--seed", "--name"),
)
KNOWN = [
    *("x=1,2", "x=a,b", "x=", "=1", "x", "a:b=1", "a:b", "a:", ":", "b=1", "a <= 5", "a >= 0.5 : bernoulli", "x={y}"),
    *("0.05", "0", "1", "-1", "nan", "inf", "9" * 5000, "1e999", "5m", "2f", "any", "all", "stop", "worst", "x=1,1 "),
    *("a=/(.*)/", "a=b.c", "a=/(/", "A=B", "A", "pandora", "alpha", "x:y", ".:y", ".", "wall_time <= 3 : bounded"),
    *("x=1,1", "x=e\u0301,\u00e9", "\udcff", "x=\udcff", "x=\0", "a <= baseline + 3%", "2" * 30),
]
WORDS = st.one_of(TEXTS, st.sampled_from(KNOWN))
PAIRS = st.lists(st.tuples(st.sampled_from(OPTIONS), WORDS).map(list), max_size=5).map(lambda some: list(chain(*some)))
PROGRAMS = st.one_of(
    st.just(["--", "echo", "{x}"]),
    st.just(["--", "echo"]),
    st.lists(WORDS, max_size=3).map(lambda words: ["--", *words]),
    st.just([]),
)
THIRTY = ",".join(map(str, range(30)))
USUAL = ["-L", "x=1,2", "-t", "a <= 5"]
LINES = st.builds(lambda usual, pairs, program: usual + pairs + program, st.sampled_from([USUAL, []]), PAIRS, PROGRAMS)


def made(request, **_):
    """In the place of a run: its study."""
    sf.create_study(**request.study | {"storage": "memory"}).close()
    list(request.doubts())
    return 0


def check_line(words):
    """A study is made, or a sentence says why not, or the help says how options are written."""

    def run():
        with patch("satisfice.cli.session.run_request", made):
            return COMMAND.main(["run", *words], prog_name="satisfice", standalone_mode=False)

    try:
        works_or_says_why(run)
    except Exception as error:
        if not hasattr(error, "format_message"):  # typer's own: an option that does not exist, no number for one
            raise
        check_sentences(error.format_message() + ".")


@quick
@given(LINES)
@example(["--config", "\udcff", "-t", "a <= 5", "--", "echo"])
@example([*USUAL, "--name", "\udcff", "--", "echo"])
@example([*USUAL, "--name", "a\0b", "--", "echo"])
@example(["-L", "x=\udcff", "-t", "a <= 5", "--", "echo"])
@example([*USUAL, "--seed", "2" * 300, "--", "echo"])
@example([*USUAL, "--cwd", "\0", "--", "echo"])
@example([*USUAL, "--", "\0"])
@example([*USUAL, "--env", "A=\0", "--", "echo"])
@example([*(word for place in range(8) for word in ("-L", f"x{place}={THIRTY}")), "-t", "a <= 5", "--", "echo"])
def test_a_command_line_is_understood_or_refused_in_sentences(words):
    check_line(words)


@pytest.mark.full
@full
@given(LINES)
def test_twenty_thousand_command_lines(words):
    check_line(words)
