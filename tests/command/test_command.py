"""Evaluating a program: templates, metrics from its output, time limits; what goes wrong gets a sentence."""

import re
import signal
import threading
from time import monotonic, sleep

import pytest

from satisfice.command import CommandEvaluation, parse_reading
from satisfice.command.output import last_object
from satisfice.command.template import filled, places_of, read_value
from satisfice.errors import EvaluationFailed, InvalidCommand, NotMeasured
from tests.helpers.programs import gone, in_proc, python, run


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("--codec={codec}", "--codec=lc3"),
        ("{codec}{level}", "lc34"),
        ("{{codec}}", "{codec}"),
        ('{"codec": "{codec}"}', '{"codec": "lc3"}'),
        ("{}", "{}"),
        ("{tx-power} {on}", "0.10 true"),
    ],
)
def test_a_template_is_filled_in(text, expected):
    assert filled(text, {"codec": "lc3", "level": 4, "tx-power": "0.10", "on": True}) == expected


def test_places_are_named_once_and_in_order():
    assert places_of(["{b} {a}", "{{c}} {b}", "{1}"]) == ["b", "a"]


@pytest.mark.parametrize(("text", "value"), [("4", 4), ("0.5", 0.5), ("0.10", "0.10"), ("007", "007"), ("lc3", "lc3")])
def test_a_value_is_a_number_only_if_nothing_is_lost(text, value):
    assert read_value(text) == value
    assert str(read_value(text)) == text


def test_arguments_reach_the_program_one_by_one_and_no_shell_reads_them():
    code = "import sys, json; print(json.dumps({'a': len(sys.argv), 'b': sys.argv[1] == '$HOME; ls *'}))"
    assert run(python(code, "{word}", "two words"), word="$HOME; ls *") == {"a": 3, "b": 1}


def test_the_program_knows_its_configuration_its_number_its_environment_and_its_folder(tmp_path):
    (tmp_path / "lc3").mkdir()
    code = (
        "import os, json; e = os.environ; print(json.dumps({'a': int(e['SATISFICE_NUMBER']), 'b': "
        "[e['SATISFICE_CONFIG'], e['MODE'], os.path.basename(os.getcwd())] == ['one', 'x-lc3', 'lc3']}))"
    )
    evaluation = python(code, environment={"MODE": "x-{codec}"}, folder=str(tmp_path / "{codec}"))
    assert run(evaluation, codec="lc3") == {"a": 7, "b": 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        ('warm-up {"a": 1}\n{"a": 2}\nbye', {"a": 2}),
        ('{\n  "a": {"b": [1, {"c": 2}]}\n}', {"a": {"b": [1, {"c": 2}]}}),
        ('{"a": 1} {"a":', {"a": 1}),
        ("{not json} [1]", None),
        ("", None),
    ],
)
def test_the_last_object_counts(text, expected):
    assert last_object(text) == expected


def test_metrics_from_patterns_keys_time_and_exit_code():
    code = (
        "import sys; print('took 1.5 s, took 2.5 s'); print({'x': 1}); print('{\"p\": {\"q\": [3, 4]}}'); sys.exit(5)"
    )
    readings = dict(map(parse_reading, ["took=/took ([0-9.]+) s/", "deep=p.q.1"]))
    evaluation = python(code, metrics=["took", "deep", "exit_code", "wall_time"], readings=readings)
    results = run(evaluation)
    assert (results["took"], results["deep"], results["exit_code"]) == (2.5, 4, 5)
    assert 0 < results["wall_time"] < 60
    assert set(results) == {"took", "deep", "exit_code", "wall_time"}


def test_a_pattern_may_be_in_standard_error_and_have_no_group():
    code = "import sys; print('7 apples', file=sys.stderr)"
    assert run(python(code, metrics=["n"], readings=dict([parse_reading("n=/[0-9]+(?= apples)/")]))) == {"n": 7}


def test_numbers_that_no_limit_is_about_are_results_too():
    evaluation = python('print(\'{"a": 1, "b": 2, "c": 3, "note": "hi"}\')')
    assert run(evaluation) == {"a": 1, "b": 2, "c": 3}


WRK_LINES = "  10 requests in 1.00s, 1.00KB read\nRequests/sec:   10.00\nTransfer/sec:    1.00KB"


def test_what_a_tool_prints_is_recognised_or_read_as_it_is_called():
    code = f"print({WRK_LINES!r})"
    for reader in (None, "wrk"):
        results = run(python(code, metrics=["requests_per_second", "wall_time"], reader=reader))
        assert results["requests_per_second"] == 10.0
        assert results["bytes_per_second"] == 1024
        assert results["wall_time"] > 0


def test_the_object_of_a_program_comes_before_what_is_recognised():
    code = f"print({WRK_LINES!r}); print('{{\"requests_per_second\": 7}}')"
    assert run(python(code, metrics=["requests_per_second"]))["requests_per_second"] == 7
    assert run(python(code, metrics=["requests_per_second"], reader="wrk"))["requests_per_second"] == 10


def test_what_a_reader_does_not_find():
    with pytest.raises(EvaluationFailed, match=r"No value in the output of wrk is called 'latency_p99'"):
        run(python(f"print({WRK_LINES!r})", metrics=["latency_p99"]))
    with pytest.raises(EvaluationFailed, match=r"Expected output that the reader hyperfine can read, got 'hello'"):
        run(python("print('hello')", metrics=["mean"], reader="hyperfine"))


FAILURES = {
    "no output": ("pass", ["Expected a JSON object of metrics", "got nothing", "--metric"]),
    "output without JSON": ("print('all fine')", ["Expected a JSON object", "got 'all fine'"]),
    "a metric is missing": ('print(\'{"a": 1, "bb": 2}\')', ["each of a, b", "'b'", "Did you mean 'bb'?"]),
    "an exit code": (
        "import sys; print('{\"a\": 1, \"b\": 1}'); sys.exit('no radio')",
        ["exit code 1", "said: no radio"],
    ),
    "a signal": ("import os; os.kill(os.getpid(), 9)", ["exit code -9"]),
}


@pytest.mark.parametrize("case", FAILURES)
def test_a_failed_evaluation_says_why(case):
    code, parts = FAILURES[case]
    with pytest.raises(EvaluationFailed) as failed:
        run(python(code))
    for part in parts:
        assert part in str(failed.value)


def test_a_slip_in_what_is_measured_anyway_is_seen():
    with pytest.raises(EvaluationFailed, match=r"Did you mean 'wall_time', which needs no output, by 'wal_time'\?"):
        run(python("pass", metrics=["wal_time"]))
    with pytest.raises(EvaluationFailed) as failed:
        run(python("pass", metrics=["latency"]))
    assert "Did you mean" not in str(failed.value)


def test_a_pattern_or_key_that_is_not_there_says_which():
    with pytest.raises(EvaluationFailed, match=r"No value for 'n': nothing in the output matches /x\(\.\)/"):
        run(python("print('y')", metrics=["n"], readings=dict([parse_reading("n=/x(.)/")])))
    with pytest.raises(EvaluationFailed, match=r"No value for 'n': p\.r: No key is called 'r'"):
        run(python('print(\'{"p": {"q": 1}}\')', metrics=["n"], readings=dict([parse_reading("n=p.r")])))


def test_what_is_no_number_is_left_to_whoever_records_it():
    assert run(python("print('x1,5')", metrics=["n"], readings=dict([parse_reading("n=/x(.*)/")]))) == {"n": "1,5"}
    assert run(python('print(\'{"a": true, "b": "fast"}\')')) == {"a": 1, "b": "fast"}


REFUSED = {
    "an unknown parameter": ({"words": ["echo", "{codek}"]}, ["{codek}", "Did you mean 'codec'?", "number"]),
    "one in the environment": ({"words": ["echo"], "environment": {"A": "{z}"}}, ["{z}", "Known: codec"]),
    "one in the folder": ({"words": ["echo"], "folder": "{z}"}, ["{z}"]),
    "no command": ({"words": []}, ["Expected a command after --"]),
    "a program that is not there": ({"words": ["benhc"]}, ["There is no program 'benhc'", "./benhc"]),
    "a file that is not there": ({"words": ["./benhc"]}, ["There is no program './benhc'", "There is no file benhc"]),
    "a file that may not run": ({"words": ["./plain"]}, ["may not be executed", "chmod +x plain"]),
    "no time": ({"words": ["echo"], "timeout": 0.0}, ["more than 0 seconds, got 0"]),
    "a place for another metric": (
        {"words": ["echo"], "readings": dict([parse_reading("c=/x/")])},
        ["'c'", "Thresholds: a, b"],
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_command_that_cannot_work_is_refused_before_anything_runs(case, tmp_path, monkeypatch):
    given, parts = REFUSED[case]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").write_text("echo")
    with pytest.raises(InvalidCommand) as refused:
        CommandEvaluation(metrics=["a", "b"], **given).check([{"codec": "lc3"}])
    for part in parts:
        assert part in str(refused.value)


def test_a_program_that_is_there_passes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bench.sh").write_text("#!/bin/sh\necho")
    (tmp_path / "bench.sh").chmod(0o755)
    for words, folder in ((["./bench.sh"], None), (["./bench.sh"], str(tmp_path)), (["{codec}"], None), (["sh"], None)):
        CommandEvaluation(words, metrics=["a"], folder=folder).check([{"codec": "lc3"}])


@pytest.mark.parametrize("text", ["latency", "=x", "a=", "9=/x/", "a=/", "a=/x", "a=/(/"])
def test_a_reading_that_makes_no_sense(text):
    with pytest.raises(InvalidCommand, match=re.escape(text.partition("=")[2] or text)):
        parse_reading(text)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(NotMeasured, match="There is no folder"):
        run(python("pass", folder=str(tmp_path / "nowhere")))


CHILD = """
import os, subprocess, sys, time
child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])
open(sys.argv[1] + '.tmp', 'w').write(str(child.pid))
os.rename(sys.argv[1] + '.tmp', sys.argv[1])
print('still at it', file=sys.stderr, flush=True)
time.sleep(60)
"""


@in_proc
def test_a_time_out_ends_the_program_and_its_children(tmp_path):
    with pytest.raises(EvaluationFailed, match=r"did not end within 2 s and was killed; it said: still at it"):
        run(python(CHILD, str(tmp_path / "pid"), timeout=2.0))
    assert gone(tmp_path / "pid")


@in_proc
def test_a_program_that_does_not_listen_is_killed():
    code = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('x', flush=True); time.sleep(60)"
    began = monotonic()
    with pytest.raises(EvaluationFailed, match="was killed"):
        run(python(code, timeout=0.5))
    assert monotonic() - began < 20


@in_proc
def test_a_stop_ends_everything_that_runs_and_nothing_starts_again(tmp_path):
    evaluation = python(CHILD, str(tmp_path / "pid"))
    failures = []

    def evaluate():
        try:
            run(evaluation)
        except EvaluationFailed as error:
            failures.append(str(error))

    thread = threading.Thread(target=evaluate)
    thread.start()
    until = monotonic() + 20
    while not (tmp_path / "pid").exists() and monotonic() < until:
        sleep(0.02)
    evaluation.processes.stop()
    thread.join(timeout=20)
    assert gone(tmp_path / "pid")
    assert f"exit code -{int(signal.SIGTERM)}" in failures[0]
    with pytest.raises(NotMeasured, match="told to stop"):
        run(evaluation)
