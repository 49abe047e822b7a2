"""What one begins with: try, init and compare-studies."""

import tomllib
from pathlib import Path

import pytest

from satisfice.cli.app import COMMANDS
from satisfice.cli.parse import grid_of
from satisfice.cli.run import run
from satisfice.cli.try_once import try_

LIMIT = ["-t", "a <= 1.5 : normal(1)"]


def test_a_try_shows_what_was_run_and_read_and_records_nothing(bench, satisfice):
    done = satisfice("try", "-L", "n=1,2", *LIMIT, "--", "echo", '{"a": {n}, "b": 7}')
    assert done.code == 0
    assert 'n=2: echo \'{"a": 2, "b": 7}\'' in done.out
    assert "a <= 1.5: 1, within the limit" in done.out
    assert "a <= 1.5: 2, beyond the limit" in done.out
    assert "recorded beside it: b = 7" in done.out
    assert not Path("satisfice.db").exists()


def test_a_try_says_which_tool_was_recognised(bench, satisfice):
    Path("wrk.txt").write_text("  10 requests in 1.00s, 1.00KB read\nRequests/sec:   10.00\n")
    done = satisfice("try", "--config", "one", "-t", "requests_per_second >= 5", "--", "cat", "wrk.txt")
    assert "recognised as the output of wrk" in done.out


def test_a_try_goes_on_after_a_failure_and_ends_with_one(bench, satisfice):
    done = satisfice("try", "-L", "n=1,2", *LIMIT, "--", "sh", "-c", 'test $0 = 2 && echo \'{"a": "x"}\'', "{n}")
    assert done.code == 1
    assert done.out.count("failed:") == 4
    assert "got 'x'" in done.out
    assert "4 evaluations failed" in done.err


PRINTS = """
n=$(cat number || echo 0)
echo $((n + 1)) > number
echo "{\\"size\\": $((700 + $0)), \\"ok\\": $((n % 2)), \\"latency_ms\\": 3.$n, \\"times\\": [1, 2], \\"level\\": $0}"
"""


def test_a_try_proposes_thresholds_to_copy_and_they_run(bench, satisfice):
    limits = ["size <= 800", "ok <= 0.9 ~ 0.05", "latency_ms <= 9 ~ 1", "p95(times) <= 4", "exit_code <= 0"]
    words = ["-L", "n=1,2", *(word for limit in limits for word in ("-t", limit)), "--", "sh", "-c", PRINTS, "{n}"]
    done = satisfice("try", *words)
    assert done.code == 0, done.err
    assert "latency_ms <= 9: 3, then 3.1, within the limit" in done.out
    assert "size <= 800: 702, within the limit" in done.out
    copied = [line.strip() for line in done.out.splitlines() if line.startswith("  -t ")]
    assert copied == [
        "-t 'size <= 800 : exact'",
        "-t 'ok <= 0.9 ~ 0.05 : bernoulli'",
        "-t 'latency_ms <= 9 ~ 1'",
        "-t 'exit_code <= 0 : exact'",
        "-t 'level <= LIMIT : exact'",
    ]
    assert "size was the same in all results of each of 2 configurations: if it is always the same" in done.out
    assert "to limit its slow results instead, use p95(latency_ms)" in done.out
    again = [word for line in copied[:4] for word in ("-t", line[4:-1])]
    assert satisfice("run", "-L", "n=1,2", *again, "--max-evaluations", 4, "-q", *words[-5:]).code in (0, 4)


def test_a_try_needs_no_limit(bench, satisfice):
    done = satisfice("try", "-L", "n=1,2", "--", "sh", "-c", PRINTS, "{n}")
    assert done.code == 0, done.err
    assert "-t 'size <= LIMIT : exact'" in done.out
    assert "add a limit and type run" in done.err
    done = satisfice("try", "-L", "n=1,2", "-t", "n <= 1", "--", "echo", "nothing to read")
    assert done.code == 0, done.err
    assert "1 of 2 configurations fail n <= 1 before anything is run" in done.err
    assert "no metric found: print JSON" in done.out


def test_a_list_is_proposed_a_percentile_and_declared_metrics_nothing(bench, satisfice):
    limits = ["-t", "times <= 4", "-t", "a <= 1.5 : normal(1)"]
    done = satisfice("try", "--config", "one", *limits, "--", "echo", '{"a": 1, "times": [1, 2]}')
    assert done.code == 1
    assert done.out.count("failed:") == 2
    assert "-t 'p95(times) <= 4'" in done.out
    assert "-t 'a" not in done.out


def test_a_try_repeats_as_often_as_one_says(bench, satisfice):
    count = ["--", "sh", "-c", 'echo x >> runs; echo "{\\"a\\": $SATISFICE_REPEAT}"']
    assert satisfice("try", "--config", "one", *LIMIT, "--repeat", 3, *count).code == 0
    assert len(Path("runs").read_text().split()) == 3
    done = satisfice("try", "--config", "one", "-t", "a <= 1.5", "--repeat", 1, *count)
    assert "to copy" not in done.out
    assert satisfice("try", "--config", "one", *LIMIT, "--repeat", 0, *count).code == 2
    assert satisfice("run", "--config", "one", *LIMIT, "--repeat", 2, *count).code == 2


def test_a_try_takes_whatever_a_run_takes():
    assert try_ in COMMANDS
    assert try_.__signature__.parameters.keys() >= run.__kwdefaults__.keys()


def test_a_file_is_written_that_runs_and_is_not_written_over(bench, satisfice):
    words = ["-L", "n=1..2", "-L", "codec=opus", *LIMIT]
    done = satisfice("init", "new.toml", *words, "--", "echo", '{"a": {n}}', "{codec}")
    assert done.code == 0
    said = tomllib.loads(Path("new.toml").read_text())
    assert said["grid"] == {"n": [1, 2], "codec": ["opus"]}
    assert said["command"] == ["echo", '{"a": {n}}', "{codec}"]
    assert satisfice("run", "new.toml", "-q").code == 0
    assert satisfice("init", "new.toml").code == 2
    assert satisfice("init", "odd.toml", "-t", "a about 5").code == 2
    assert not Path("odd.toml").exists()
    assert satisfice("init", "example.toml").code == 0
    assert tomllib.loads(Path("example.toml").read_text())["grid"] == {"codec": ["opus", "aac", "lc3"]}


ODD = [
    'a"b',
    "a'b",
    "a\nb = 1",
    "a\\b",
    "{x}",
    "é \U0001f600",
    "\x7f\x1b\t\r",
    "a.b",
    "# c",
    '"""',
    "nan",
    "-inf",
    "1e20",
    "",
]


def test_a_file_means_what_was_typed_whatever_that_is(bench, satisfice):
    """Once an emoji was no TOML, nor nan, nor DEL."""
    words = [part for place, one in enumerate(ODD) for part in ("-L", f"{one.replace('=', '')}{place}={one},{place}")]
    assert satisfice("init", "odd.toml", *words, *LIMIT, "--", *ODD).code == 0
    text = Path("odd.toml").read_text(encoding="utf-8")
    said = tomllib.loads(text)
    assert said["command"] == ODD
    assert repr(said["grid"]) == repr(grid_of(words[1::2]))
    assert said["thresholds"] == [LIMIT[1]]


@pytest.mark.parametrize(
    "name", ['it\'s "radio".toml', "a\nthresholds = []\n#.toml", "a?b#c%.toml", "é \U0001f600.toml", "a\r\x7f"]
)
def test_a_file_of_any_name_is_one_that_runs(bench, satisfice, name):
    """Once a quote in its name ended the address of its storage."""
    assert satisfice("init", name, "-L", "n=1", *LIMIT, "--", "echo", '{"a": {n}}').code == 0
    assert satisfice("run", name, "-q").code == 0
    assert [path.name for path in Path().glob("*.db")] == [tomllib.loads(Path(name).read_text())["storage"][10:]]


@pytest.mark.parametrize(("values", "word"), [("n=1", "\udcff"), ("\udcff=1", "x"), ("n=\udcff", "x")])
def test_what_cannot_be_written_to_a_file_gets_a_sentence(bench, satisfice, values, word):
    done = satisfice("init", "new.toml", "-L", values, *LIMIT, "--", "echo", word)
    assert done.code == 2
    assert "half a character" in done.err
    assert not Path("new.toml").exists()


def test_two_studies_side_by_side(bench, satisfice):
    for name, value in (("first", 1), ("second", 9)):
        satisfice(
            "run",
            "-L",
            "n=1,2",
            *LIMIT,
            "-q",
            "--name",
            name,
            "--goal",
            "all",
            "--",
            "echo",
            f'{{"a": {value}}}',
            "{n}",
        )
    done = satisfice("compare-studies", "first", "sqlite:///satisfice.db#second")
    assert done.code == 0
    assert "A  first: FOUND" in done.out
    assert "B  second: NONE" in done.out
    assert "measured otherwise: word 2 of the command" in done.out
    assert done.out.count("differs") == 4
    assert satisfice("compare-studies", "first", "third").code == 2
