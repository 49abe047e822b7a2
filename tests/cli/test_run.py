"""satisfice run: from a command line or a file to a verdict, an exit code and a study that can be looked at."""

import json
import os
import re
from time import monotonic

import pytest

import satisfice as sf
from tests.cli.conftest import GRID, PROGRAM, THRESHOLDS

FOUND = re.compile(r"FOUND  codec=lc3 txpower=8   (\d+) evaluations   wrong with probability at most 5 %( if .*)?\n")


def test_the_console_session_of_the_product_works_as_written(bench, satisfice):
    words = ["-L", "codec=opus,aac,lc3", "-L", "txpower=4,8,12"]
    words += ["-t", "latency_ms <= 100", "-t", "loss <= 0.01 : bernoulli", "-t", "energy_mj <= 50 ~ 1"]
    words += ["--error-rate", "0.05", "--max-evaluations", "2000", "--jobs", "8", "--storage", "sqlite:///iot.db"]
    done = satisfice("run", *words, *PROGRAM)
    assert done.code == 0
    assert FOUND.fullmatch(done.out)
    assert (bench / "iot.db").exists()
    why = satisfice("explain", "sqlite:///iot.db", "--config", "codec=opus,txpower=4")
    assert why.code == 0
    assert re.match(r"(rejected|left undecided) after \d+ evaluations?[:,] ", why.out)


def test_one_job_gives_the_same_study_every_time(bench, satisfice):
    words = ["run", *GRID, *THRESHOLDS, "--storage", "memory", "--rule", "thompson"]
    first, again = satisfice(*words, *PROGRAM), satisfice(*words, *PROGRAM)
    assert (first.code, first.out) == (again.code, again.out)  # when lines are written is a matter of time
    other = satisfice(*words, "--seed", "5", *PROGRAM)
    assert other.code == 0
    assert other.out != first.out


def test_plain_lines_go_to_standard_error_and_quiet_means_the_verdict_only(bench, satisfice):
    words = ["run", *GRID, *THRESHOLDS, "--storage", "memory"]
    loud, quiet = satisfice(*words, *PROGRAM), satisfice(*words, "-q", *PROGRAM)
    assert FOUND.fullmatch(loud.out)
    assert "satisfice: codec=lc3 txpower=8 passes (" in loud.err
    assert (quiet.out, quiet.err) == (loud.out, "")


def test_json_is_one_document(bench, satisfice):
    done = satisfice("run", *GRID, *THRESHOLDS, "--storage", "memory", "--json", *PROGRAM)
    assert (done.code, done.err) == (0, "")
    said = json.loads(done.out)
    assert (said["outcome"], said["config"]) == ("FOUND", "codec=lc3 txpower=8")
    assert said["parameters"] == {"codec": "lc3", "txpower": 8}
    assert said["counts"]["told"] == said["evaluations"] == sum(one["evaluations"] for one in said["configs"])
    assert said["assumptions"][0].startswith("p90(latency_ms): results of any distribution")
    assert said["condition"] == ""
    best = next(one for one in said["configs"] if one["config"] == said["config"])
    energy = best["metrics"]["energy_mj"]
    assert energy["low"] < energy["estimate"] < min(energy["high"], 50)
    assert best["decision"] == "accepted"


def test_none_is_exit_code_3_and_undecided_4(bench, satisfice):
    none = satisfice("run", "-L", "codec=opus,aac", "-L", "txpower=4", "-t", "latency_ms <= 60", *PROGRAM)
    assert none.code == 3
    assert re.fullmatch(r"NONE   \d+ evaluations   wrong with probability at most 5 %( if .*)?\n", none.out)
    undecided = satisfice("run", *GRID, *THRESHOLDS, "--max-evaluations", "12", *PROGRAM)
    assert undecided.code == 4
    assert re.fullmatch(r"UNDECIDED   12 evaluations   closest: .* \(.*\)\n", undecided.out)


def test_the_goal_all_classifies_every_configuration(bench, satisfice):
    words = ["-L", "codec=lc3", "-L", "txpower=4,8,12", "-t", "latency_ms <= 100 ~ 3", "-t", "energy_mj <= 49 ~ 2"]
    said = json.loads(satisfice("run", *words, "--goal", "all", "--json", *PROGRAM).out)
    assert said["outcome"] == "FOUND"
    assert set(said["accepted"]) == {"codec=lc3 txpower=4", "codec=lc3 txpower=8"}
    assert said["rejected"] == ["codec=lc3 txpower=12"]


SHORTLIST = ["-L", "codec=lc3", "-L", "txpower=4,8,12", "-t", "latency_ms <= 100 ~ 3", "-t", "energy_mj <= 49 ~ 2"]


def test_a_number_as_the_goal_makes_a_shortlist(bench, satisfice):
    done = satisfice("run", *SHORTLIST, "--goal", "2", "--storage", "sqlite:///two.db", *PROGRAM)
    assert done.code == 0
    both = "codec=lc3 txpower=[48], codec=lc3 txpower=[48]"
    assert re.match(rf"FOUND  {both}   \d+ evaluations   wrong with probability at most 5 %", done.out)
    said = json.loads(satisfice("status", "sqlite:///two.db", "--json").out)
    assert (said["goal"], said["config"]) == (2, said["accepted"][0])
    assert set(said["accepted"]) == {"codec=lc3 txpower=4", "codec=lc3 txpower=8"}
    why = satisfice("explain", "sqlite:///two.db", "--config", "codec=lc3,txpower=12").out
    assert re.match(r"rejected after|left undecided after \d+ evaluations?, when 2 others passed: ", why)
    row = json.loads(satisfice("list", "sqlite:///two.db", "--json").out)[0]
    assert row["accepted"] == said["accepted"]
    assert re.search(rf"FOUND  {both}\n", satisfice("list", "sqlite:///two.db").out)
    checked = json.loads(satisfice("verify", "sqlite:///two.db", "--json").out)
    assert (checked["verified"], checked["accepted"]) == (True, said["accepted"])
    assert satisfice("report", "sqlite:///two.db", "--out", "two.html").code == 0
    assert "<p>Find 2 configurations whose means all pass" in (bench / "two.html").read_text()


def test_fewer_than_the_goal_is_exit_code_3(bench, satisfice):
    done = satisfice("run", *SHORTLIST, "--goal", "3", "--storage", "sqlite:///three.db", *PROGRAM)
    assert done.code == 3
    assert re.match(
        r"NONE  fewer than 3 pass( \(codec=lc3 txpower=.* do(es)?\))?   \d+ evaluations   wrong with", done.out
    )
    said = json.loads(satisfice("status", "sqlite:///three.db", "--json").out)
    assert (said["outcome"], said["config"], said["parameters"]) == ("NONE", None, None)
    assert said["rejected"] == ["codec=lc3 txpower=12"]
    assert satisfice("verify", "sqlite:///three.db").code == 0
    assert satisfice("report", "sqlite:///three.db", "--out", "three.html").code == 0
    assert '<span class="badge fail">✗ NONE</span> fewer than 3 pass' in (bench / "three.html").read_text()


def test_a_study_file_may_have_a_number_as_the_goal(bench, satisfice):
    (bench / "two.toml").write_text(STUDY.replace("seed = 3", "seed = 3\ngoal = 2"))
    short = satisfice("run", "two.toml", "--max-evaluations", "4")
    assert short.code == 4
    assert json.loads(satisfice("status", "--json").out)["goal"] == 2
    assert satisfice("run", "two.toml", "--goal", "1", "--name", "one").code == 0


def test_a_warm_start_begins_where_an_earlier_study_ended(bench, satisfice):
    words = [*GRID, *THRESHOLDS, "--json"]
    cold = json.loads(satisfice("run", *words, "--name", "old", *PROGRAM).out)
    assert (cold["warm_start"], satisfice("export", "--name", "old", "--out", "old.csv").code) == (None, 0)
    for given in ("old", "sqlite:///satisfice.db#old", "old.csv"):
        done = satisfice("run", *words, "--name", f"from {given}", "--seed", "1", "--warm-start", given, *PROGRAM)
        assert done.code == 0
        said = json.loads(done.out)
        source = "the file old.csv" if given == "old.csv" else "the study 'old'"
        assert (said["config"], said["warm_start"]) == (cold["config"], source)
        assert any(each.startswith(f"earlier results of {source} steered") for each in said["assumptions"])
        assert said["evaluations"] < cold["evaluations"]
        assert satisfice("verify", "--name", f"from {given}").code == 0
    late = satisfice("run", *GRID, *THRESHOLDS, "--name", "old", "--warm-start", "old.csv", *PROGRAM)
    assert late.code == 0
    assert "'old' began without earlier results, and goes on so: --fresh --warm-start begins anew" in late.err


def test_the_same_command_goes_on_and_another_one_is_another_study(bench, satisfice):
    first = satisfice("run", *GRID, *THRESHOLDS, "--max-evaluations", "20", *PROGRAM)
    assert first.code == 4
    second = satisfice("run", *GRID, *THRESHOLDS, "--max-evaluations", "2000", *PROGRAM)
    assert second.code == 0
    assert re.search(r"going on with 'bench-\w+' after 20 evaluations", second.err)
    third = satisfice("run", *GRID, *THRESHOLDS, "--max-evaluations", "2000", *PROGRAM)
    assert (third.code, third.out) == (0, second.out)
    satisfice("run", *GRID, *THRESHOLDS, "--error-rate", "0.1", *PROGRAM)
    assert len(json.loads(satisfice("list", "--json").out)) == 2


def test_max_time_ends_a_run(bench, satisfice):
    words = ["--config", "one", "-t", "latency_ms <= 89", "--max-time", "1s", "-q"]
    done = satisfice("run", *words, "--", "sh", "-c", "sleep 0.1; ./bench.sh --codec lc3 --tx 8")
    assert done.code == 4
    assert "UNDECIDED" in done.out


SLEEPS = ["--", "sh", "-c", "echo $$ > running; sleep 300; echo 1"]
"""A program that is ended long before it ends."""


def test_max_time_ends_what_runs_for_run_and_for_workers(folder, satisfice):
    """The run waited for it, and a worker knew no limit; what was ended is given back and counts for nothing."""
    question = ["--config", "one", "-t", "a <= 5 : normal(1)", "--storage", "sqlite:///long.db"]
    for words in (["run", "-q", *question], ["worker", "-q", "--storage", "sqlite:///long.db"]):
        begun = monotonic()
        done = satisfice(*words, "--max-time", "1s", *SLEEPS)
        assert (done.code, done.out.split()[0]) == (4, "UNDECIDED"), done.err
        assert monotonic() - begun < 60
        with pytest.raises(ProcessLookupError):
            os.kill(int((folder / "running").read_text()), 0)
    with sf.load_study(f"sqlite:///{folder}/long.db") as study:
        counts = study.counts()
    assert (counts.told, counts.failed, counts.released) == (0, 0, 2)


def test_a_worker_makes_no_more_evaluations_than_it_is_told(folder, satisfice):
    question = ["--config", "one", "-t", "a <= 5 : normal(1)", "--storage", "sqlite:///some.db"]
    program = ["--", "echo", '{"a": 4.9}']
    assert satisfice("run", "-q", *question, "--max-time", "0.001s", *program).code == 4
    done = satisfice("worker", "-q", "--storage", "sqlite:///some.db", "--max-evaluations", "7", *program)
    assert done.code == 4, done.err
    with sf.load_study(f"sqlite:///{folder}/some.db") as study:
        assert study.counts().asked == study.counts().told == 7


STUDY = """
thresholds = ["latency_ms <= 80", "energy_mj <= 50 ~ 1"]
error_rate = 0.1
command = ["./bench.sh", "--codec", "{codec}", "--tx", "{power}"]
seed = 3
jobs = 2
[grid]
codec = ["opus", "lc3"]
power = [8]
"""


def test_a_study_file_says_everything_and_options_replace_it(bench, satisfice):
    (bench / "radio.toml").write_text(STUDY)
    done = satisfice("run", "radio.toml", "--json")
    assert done.code == 0
    said = json.loads(done.out)
    assert (said["study"], said["config"], said["error_rate"]) == ("radio", "codec=lc3 power=8", 0.1)
    assert (bench / "satisfice.db").exists()
    options = ["--error-rate", "0.2", "-L", "codec=lc3", "-L", "power=4,8", "--name", "other", "--json"]
    other = json.loads(satisfice("run", "radio.toml", *options).out)
    assert (other["error_rate"], [one["config"] for one in other["configs"]]) == (
        0.2,
        ["codec=lc3 power=4", "codec=lc3 power=8"],
    )


def test_named_configurations_with_environment_and_folder_of_their_own(bench, satisfice):
    (bench / "here").mkdir()
    program = 'test "$MODE" = "mode-$1" && test -d ../here && echo "took $2 s"'
    words = ["--config", "fast:seconds=1", "--config", "slow:seconds=9", "-t", "took <= 5 : normal(1)"]
    words += ["-m", "took=/took ([0-9.]+) s/", "--env", "MODE=mode-{config}", "--cwd", "here", "--json"]
    said = json.loads(satisfice("run", *words, "--", "sh", "-c", program, "sh", "{config}", "{seconds}").out)
    assert (said["outcome"], said["config"], said["parameters"]) == ("FOUND", "fast", {"seconds": 1})


def test_a_program_may_get_dashes_and_braces(bench, satisfice):
    words = ["--config", "one", "-t", "exit_code <= 0.5 : normal(1)", "-q"]
    done = satisfice("run", *words, "--", "sh", "-c", 'test "$1 $2" = "--json {{x}}"', "sh", "--json", "{{x}}")
    assert done.code == 0


def test_extra_numbers_are_recorded_and_exported(bench, satisfice):
    words = ["--config", "one", "-t", "a <= 5 : normal(1)"]
    done = satisfice("run", *words, "--", "echo", '{"a": 1, "b": 2, "note": "x"}')
    assert done.code == 0
    rows = json.loads(satisfice("export", "--format", "json").out)
    assert [(row["a"], row["b"]) for row in rows] == [(1.0, 2)] * 2
    assert satisfice("verify").code == 0


FLAKY = 'test $((SATISFICE_NUMBER % 5)) = 3 && test "$TRIES" != many && exit 7; echo "{\\"a\\": 1, \\"b\\": 0}"'
FLAKY_WORDS = ["--config", "one", "-t", "a <= 5 : normal(1)", "-t", "b <= 0.5 ~ 0.2 : bernoulli"]


def test_failures_as_worst_results(bench, satisfice):
    words = [*FLAKY_WORDS, "--on-error", "worst", "--worst", "a=9"]
    done = satisfice("run", *words, "--", "sh", "-c", FLAKY)
    assert done.code == 0
    assert re.search(r"evaluations? failed.*worst result", done.err)
    rows = json.loads(satisfice("export", "-f", "json").out)
    failed = [row for row in rows if row["failure"]]
    assert failed
    assert all("exit code 7" in row["failure"] and (row["a"], row["b"]) == (9, 1) for row in failed)


def test_a_failure_stops_and_the_mended_program_is_measured_anew(bench, satisfice):
    (bench / "flaky.sh").write_text(f"#!/bin/sh\n{FLAKY}\n")
    (bench / "flaky.sh").chmod(0o755)
    done = satisfice("run", *FLAKY_WORDS, "--", "./flaky.sh")
    assert done.code == 1
    assert "exit code 7" in done.err
    assert "Traceback" not in done.err
    (bench / "flaky.sh").write_text(f"#!/bin/sh\nTRIES=many\n{FLAKY}\n")
    mixed = satisfice("run", *FLAKY_WORDS, "--", "./flaky.sh")
    assert mixed.code == 2
    assert "the file ./flaky.sh was" in mixed.err
    assert satisfice("run", *FLAKY_WORDS, "--fresh", "--", "./flaky.sh").code == 0


def test_a_failure_stops_and_the_same_command_goes_on_after_mending(bench, satisfice):
    """What is mended need not be the program."""
    (bench / "flaky.sh").write_text(f"#!/bin/sh\ntest -e mended && TRIES=many\n{FLAKY}\n")
    (bench / "flaky.sh").chmod(0o755)
    done = satisfice("run", *FLAKY_WORDS, "--", "./flaky.sh")
    assert done.code == 1
    assert "type the same again, with --fresh if that changes the program" in done.err
    (bench / "mended").write_text("yes")
    again = satisfice("run", *FLAKY_WORDS, "--", "./flaky.sh")
    assert again.code == 0
    assert "going on with" in again.err


def test_retries_run_out(bench, satisfice):
    done = satisfice("run", *FLAKY_WORDS, "--on-error", "retry", "--retries", "1", "--", "sh", "-c", FLAKY)
    assert done.code == 1
    rows = [row for row in json.loads(satisfice("export", "-f", "json").out) if row["failure"]]
    assert [(row["number"], row["attempt"]) for row in rows] == [(3, 0), (3, 1)]


def test_a_time_out_is_a_failure(bench, satisfice):
    done = satisfice("run", *FLAKY_WORDS, "--timeout", "0.2s", "--", "sleep", "20")
    assert done.code == 1
    assert "did not end within 0.2 s and was killed" in done.err


@pytest.mark.parametrize("jobs", [1, 4])
def test_wall_time_and_exit_code_are_measured(jobs, bench, satisfice):
    words = [
        "-L",
        "seconds=0.01,0.2",
        "-t",
        "wall_time <= 0.1 ~ 0.02 : normal",
        "-t",
        "exit_code <= 0.5 : bounded(0, 1)",
    ]
    said = json.loads(satisfice("run", *words, "--jobs", jobs, "--json", "--", "sleep", "{seconds}").out)
    assert (said["outcome"], said["config"]) == ("FOUND", "seconds=0.01")


def test_wall_time_is_bounded_by_the_time_limit(bench, satisfice):
    words = ["-L", "seconds=0.01,0.2", "-t", "wall_time <= 0.4 ~ 0.2 : bounded", "--timeout", "0.9s"]
    said = json.loads(satisfice("run", *words, "--json", "--", "sleep", "{seconds}").out)
    assert said["outcome"] == "FOUND"
    assert any("[0, 0.9]" in one for one in said["assumptions"])


@pytest.mark.parametrize(
    ("threshold", "sentence"),
    [
        ("wall_time <= 1 : bounded", "expected a time limit, since no range is given: --timeout 60s"),
        ("energy <= 1 : bounded", "expected the range of 'energy', as in bounded(0, 200)"),
    ],
)
def test_bounded_by_nothing(threshold, sentence, bench, satisfice):
    done = satisfice("run", "--config", "one", "-t", threshold, "--", "true")
    assert done.code == 2
    assert sentence in done.err


def test_a_verdict_does_not_wait_for_programs_that_hang(bench, satisfice):
    """One configuration passes at once, the other's first evaluation never ends."""
    program = 'test "$1" = quick && echo "{\\"a\\": 1}" || sleep 300'
    words = ["--config", "stuck", "--config", "quick", "-t", "a <= 5 : normal(1)", "--jobs", "2"]
    began = monotonic()
    done = satisfice("run", *words, "--", "sh", "-c", program, "sh", "{config}")
    assert (done.code, done.out.split("   ")[0]) == (0, "FOUND  quick")
    assert monotonic() - began < 60
    assert satisfice("verify").code == 0
    said = json.loads(satisfice("status", "--json").out)
    assert (said["counts"]["failed"], said["stopped"]) == (0, None)


def test_a_prepare_command_that_fails_names_the_configuration_and_counts_for_nothing(bench, satisfice):
    words = ["-L", "n=1,2", "-t", "a <= 0.5 : bernoulli", "--on-error", "worst", "--prepare", "exit 3"]
    done = satisfice("run", *words, "--", "echo", '{"a": 1, "n": {n}}')
    assert done.code == 1
    assert re.search(r"of 'n=[12]': The prepare command, 'exit 3', ended with exit code 3", done.err)
    assert json.loads(satisfice("status", "--json").out)["counts"]["told"] == 0


def test_a_shell_runs_one_text(bench, satisfice):
    words = ["-L", "n=1,2", "-t", "lines <= 5 : normal(1)", "-m", "lines=/([0-9]+)/", "--shell", "sh", "-q"]
    assert satisfice("run", *words, "--", "seq {n} | wc -l").code == 0
    done = satisfice("run", *words, "--", "seq", "{n}")
    assert (done.code, "expected one text to run, quoted: -- 'seq {n}'; got 2 words" in done.err) == (2, True)


def test_output_is_shown_line_by_line_with_whose_it_is(bench, satisfice):
    words = ["--config", "one", "-t", "a <= 5 : normal(1)", "--show-output"]
    done = satisfice("run", *words, "--", "sh", "-c", 'echo \'{"a": 1}\'; printf "\\033[2Jwarm\\n" >&2')
    assert 'one #0 | {"a": 1}' in done.err
    assert "one #1 ! \\x1b[2Jwarm" in done.err
