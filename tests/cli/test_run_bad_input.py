"""Bad input of live studies: a sentence each, the right exit code, and nothing lost or changed."""

import json
import os
import sqlite3

import pytest

from tests.cli.conftest import GRID, PROGRAM, THRESHOLDS
from tests.cli.test_bad_input import check_refused

ONE = ["--config", "one", "-t", "a <= 5 : normal(1)"]
BROKEN = {
    "no threshold": (["--config", "one", *PROGRAM], ["Expected at least one threshold", "-t 'latency_ms <= 100'"]),
    "no configurations": (["-t", "a <= 5", "--", "echo"], ["-L codec=opus,aac", "got neither"]),
    "both kinds of configurations": ([*ONE, "-L", "x=1,2", "--", "echo"], ["got both"]),
    "no program": (ONE, ["Expected a command after --", "got none"]),
    "a program that is not there": ([*ONE, "--", "bnech"], ["There is no program 'bnech'", "./bnech"]),
    "a file that is not there": ([*ONE, "--", "./bnech.sh"], ["There is no program './bnech.sh'"]),
    "a file that may not be executed": ([*ONE, "--", "./small.toml"], ["chmod +x small.toml"]),
    "an unknown parameter": (
        [*GRID, *THRESHOLDS, "--", "./bench.sh", "{codek}"],
        ["{codek}", "Did you mean 'codec'?", "Known: codec, config, number, repeat, txpower"],
    ),
    "a value without a name": (["-L", "opus,aac", *THRESHOLDS, *PROGRAM], ["-L expects NAME=VALUE", "'opus,aac'"]),
    "a parameter twice": (["-L", "x=1", "-L", "x=2", *THRESHOLDS, *PROGRAM], ["names the parameter 'x' twice"]),
    "a value twice": (["-L", "x=1,1", *THRESHOLDS, *PROGRAM], ["different ones", "'x'"]),
    "a configuration twice": (["--config", "a", "--config", "a", *THRESHOLDS, *PROGRAM], ["different names", "'a'"]),
    "a threshold that cannot be read": (
        ["--config", "one", "-t", "a =< 5", "--", "echo"],
        ["expected '<=', '>=' or '=='", "^"],
    ),
    "an error rate in percent": ([*ONE, "-e", "5", "--", "echo"], ["strictly between 0 and 1, got 5"]),
    "an unknown goal": ([*ONE, "--goal", "every", "--", "echo"], ["'any'", "'all'", "'every'"]),
    "a goal of none": ([*ONE, "--goal", "0", "--", "echo"], ["whole number of 1 or more, got 0"]),
    "half a goal": ([*ONE, "--goal", "2.5", "--", "echo"], ["whole number of 1 or more, got '2.5'"]),
    "a goal of more than there are": ([*ONE, "--goal", "2", "--", "echo"], ["to find 2 that pass", "only 1 to choose"]),
    "earlier results that are not there": (
        [*ONE, "--warm-start", "old.csv", "--", "echo"],
        ["Expected earlier results in old.csv", "no such file"],
    ),
    "an unknown earlier study": (
        [*ONE, "--warm-start", "old", "--", "echo"],
        ["no earlier results to start from", "satisfice.db"],
    ),
    "an unknown policy": ([*ONE, "--on-error", "ignore", "--", "echo"], ["'stop', 'retry' or 'worst'", "'ignore'"]),
    "no worst value": ([*ONE, "--on-error", "worst", "--", "echo"], ["worst value of 'a'"]),
    "a worst value of nothing": ([*ONE, "--worst", "b=1", "--", "echo"], ["'b'", "Known: a"]),
    "a worst value that is no number": ([*ONE, "--worst", "a=bad", "--", "echo"], ["METRIC=NUMBER", "a=bad"]),
    "an unknown rule": ([*ONE, "--rule", "thomson", "--", "echo"], ["Did you mean 'thompson'?"]),
    "an unknown stopping rule": ([*ONE, "--stopping", "evidnce", "--", "echo"], ["Did you mean 'evidence'?"]),
    "no jobs": ([*ONE, "--jobs", "0", "--", "echo"], ["--jobs must be a whole number from 1 to ", "got 0"]),
    "jobs that nobody counts": (
        [*ONE, "--jobs", "9" * 400, "--", "echo"],
        ["--jobs must be a whole number from 1 to "],
    ),
    "no evaluations": ([*ONE, "--max-evaluations", "0", "--", "echo"], ["--max-evaluations must be", "got 0"]),
    "no time": ([*ONE, "--max-time", "0", "--", "echo"], ["--max-time expects a time", "'0'"]),
    "a time in fortnights": ([*ONE, "--timeout", "2f", "--", "echo"], ["--timeout expects a time", "10m", "'2f'"]),
    "a pattern that is none": ([*ONE, "-m", "a=/(/", "--", "echo"], ["not a regular expression"]),
    "a place for an unknown metric": ([*ONE, "-m", "b=/x/", "--", "echo"], ["'b'", "Thresholds: a"]),
    "no study file": (["none.toml"], ["There is no study file none.toml"]),
    "a file that is no study": (["small.toml"], ["small.toml", "No key of the file is called 'arms'"]),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_run_that_makes_no_sense(case, bench, satisfice, files):
    words, parts = BROKEN[case]
    before = files()
    check_refused(satisfice("run", *words), parts)
    assert files() == before


FAILING = {
    "output without JSON": ("echo fine", ["Expected a JSON object", "'fine'", "--metric"]),
    "a missing metric": ("""echo '{"b": 1}'""", ["each of a", "'a'", "Known: b"]),
    "text for a number": ("""echo '{"a": "fast"}'""", ["Expected a finite number for 'a'", "'fast'"]),
    "a list for a number": ("""echo '{"a": [2]}'""", ["Expected one number rather than 1", "for 'a'", "[2]"]),
    "null for a number": ("""echo '{"a": null}'""", ["Expected a finite number for 'a'", "None"]),
    "not a number": ("""echo '{"a": NaN}'""", ["'a'", "finite number", "nan"]),
    "infinity": ("""echo '{"a": 1e999}'""", ["'a'", "finite number", "inf"]),
    "an exit code": ("echo no radio >&2; exit 3", ["exit code 3", "no radio"]),
}


@pytest.mark.parametrize("case", FAILING)
def test_a_program_that_fails_stops_the_study_with_a_sentence(case, bench, satisfice):
    program, parts = FAILING[case]
    done = satisfice("run", *ONE, "--", "sh", "-c", program)
    assert (done.code, done.out) == (1, "")
    assert "Traceback" not in done.err
    for part in (*parts, "What was told is kept"):
        assert part in done.err
    rows = json.loads(satisfice("export", "-f", "json").out)
    assert [row["a"] for row in rows] == [None]
    assert parts[0] in rows[0]["failure"]
    assert satisfice("verify").code == 0


def test_in_memory_nothing_is_said_to_be_kept(bench, satisfice):
    """Before, it was said that nothing is lost."""
    fails_later = """if mkdir begun; then echo '{"a": 2}'; else exit 3; fi"""
    done = satisfice("run", *ONE, "--storage", "memory", "-j", "1", "--", "sh", "-c", fails_later)
    assert (done.code, done.out) == (1, "")
    assert "exit code 3" in done.err
    assert "Results were in memory and are gone: give --storage. Mend it and type the same again, or " in done.err
    assert "kept" not in done.err


def test_a_value_outside_its_range(bench, satisfice):
    words = ["--config", "one", "-t", "loss <= 0.5 : bernoulli"]
    done = satisfice("run", *words, "--", "echo", '{"loss": 0.3}')
    assert done.code == 1
    assert "Expected 0 or 1 for 'loss' (bernoulli), got 0.3" in done.err


def test_a_study_of_that_name_that_asks_something_else(radio, satisfice, files):
    before = files()
    words = [*GRID, *THRESHOLDS, "--storage", "sqlite:///iot.db", "--name", "radio", "--error-rate", "0.01"]
    check_refused(satisfice("run", *words, *PROGRAM), ["'radio'", "error_rate is 0.05 there and 0.01 here"])
    assert files() == before


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["status", "sqlite:///nowhere.db"], ["nowhere.db"]),
        (["run", *ONE, "--storage", "oracle://x", "--", "echo"], ["oracle://x", "sqlite:///study.db"]),
        (["status", "sqlite:///iot.db", "--name", "radoi"], ["'radoi'", "Did you mean 'radio'?"]),
        (["explain", "sqlite:///iot.db", "--config", "codec=opus,txpower=5"], ["codec=opus,txpower=5", "Known"]),
        (["verify", "sqlite:///iot.db", "--name", "x"], ["'x'"]),
        (["export", "sqlite:///iot.db", "-f", "xml"], ["'xml'", "Known: csv, json, markdown, parquet"]),
        (["export", "sqlite:///iot.db", "-o", "x.xls"], ["x.xls", ".csv"]),
        (["export", "sqlite:///iot.db", "-f", "parquet"], ["--out FILE.parquet"]),
        (["export", "sqlite:///iot.db", "-o", "iot.db/x.csv"], ["x.csv"]),
        (["report", "sqlite:///iot.db", "-o", "iot.db/x.html"], ["x.html"]),
        (["worker", "--storage", "sqlite:///iot.db"], ["Expected either a function", "after --"]),
        (["worker", "--storage", "sqlite:///iot.db", "nowhere:f"], ["'nowhere:f'", "module:name"]),
        (["worker", "--storage", "sqlite:///iot.db", "math:pi"], ["'math:pi' is not a function"]),
        (["worker", "--storage", "sqlite:///iot.db", "--", "echo", "{codek}"], ["{codek}", "'codec'"]),
        (["worker", "--storage", "sqlite:///iot.db", "--patience", "x", "--", "echo"], ["--patience", "'x'"]),
    ],
)
def test_a_look_at_something_that_is_not_there(words, parts, radio, satisfice, files):
    before = files()
    done = satisfice(*words)
    assert done.code in {1, 2}
    assert done.out == ""
    assert done.err.startswith("satisfice: ")
    for part in parts:
        assert part in done.err
    assert files() == before


def test_several_studies_and_no_name(radio, satisfice):
    satisfice("run", *ONE, "--storage", "sqlite:///iot.db", "--name", "other", "--", "echo", '{"a": 1}')
    check_refused(satisfice("status", "sqlite:///iot.db"), ["2 studies", "'other', 'radio'"])
    assert satisfice("status", "sqlite:///iot.db", "--name", "other").code == 0


def test_a_password_is_never_printed(bench, satisfice):
    url = "postgresql://someone:s3cret@127.0.0.1:1/evals"
    for words in (["status", url], ["run", *ONE, "--storage", url, "--", "echo", "{config}"]):
        done = satisfice(*words)
        assert done.code == 1
        assert "s3cret" not in done.out + done.err
        assert "127.0.0.1" in done.err


def test_a_file_that_is_no_database(bench, satisfice):
    (bench / "notes.db").write_text("these are my notes\n" * 100)
    done = satisfice("run", *ONE, "--storage", "sqlite:///notes.db", "--", "echo", "{config}")
    assert done.code == 1
    assert "not an SQLite database" in done.err
    assert (bench / "notes.db").read_text().startswith("these are my notes")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(bench, satisfice):
    (bench / "closed").mkdir(mode=0o500)
    done = satisfice("run", *ONE, "--storage", "sqlite:///closed/x.db", "--", "echo", "{config}")
    assert done.code == 1
    assert "closed/x.db" in done.err


def test_a_changed_log_is_noticed(radio, satisfice):
    assert satisfice("verify", "sqlite:///iot.db").code == 0
    with sqlite3.connect(radio / "iot.db") as connection:
        table, column = body_column(connection)
        number, body = connection.execute(
            f"select rowid, {column} from {table} where {column} like '%values%'"
        ).fetchone()
        first = json.loads(body)["values"][0]
        changed = body.replace(json.dumps(first), json.dumps(first - 30), 1)
        assert changed != body
        connection.execute(f"update {table} set {column} = ? where rowid = ?", (changed, number))
    connection.close()
    done = satisfice("verify", "sqlite:///iot.db")
    assert done.code == 1
    assert "NOT verified" in done.err
    assert done.out == ""
    said = json.loads(satisfice("verify", "sqlite:///iot.db", "--json").out)
    assert said["verified"] is False
    assert said["problems"]


def body_column(connection):
    """Which table and column hold the bodies of events."""
    for (table,) in connection.execute("select name from sqlite_master where type = 'table'").fetchall():
        columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
        if "body" in columns:
            return table, "body"
    raise LookupError("no table has bodies of events")
