"""What is odd about results, or about the question, is said wherever people look."""

import json
import os

import numpy as np
import pytest

import satisfice as sf
from tests.cli.test_live_table import drawn, moment

DRIFTING = 'echo "{\\"a\\": $((SATISFICE_NUMBER * 3 % 7 + SATISFICE_NUMBER / 5))}"'
WORDS = ["--config", "one", "-t", "a <= 8 : normal(100)", "-e", "0.000001", "--max-evaluations", "60"]
DRIFT = "a of one drifts up: by "


def checks_of(values):
    """What is odd about the results of a metric x of a configuration a."""
    search = sf.Search(sf.problem_of(["x <= 0 : normal(100)"], 1e-9), ["a"])
    for value in values:
        search.tell("a", {"x": float(value)})
    return search.checks()


@pytest.fixture
def odd(bench, satisfice):
    """A run whose results drift."""
    return satisfice("run", *WORDS, "--", "sh", "-c", DRIFTING)


def test_a_run_its_status_its_report_and_json_tell_checks(odd, bench, satisfice):
    assert f"satisfice: {DRIFT}" in odd.err
    assert odd.err.count(DRIFT) == 1
    assert f"check: {DRIFT}" in " ".join(satisfice("status").out.split())
    said = json.loads(satisfice("status", "--json").out)
    [drift] = [one for one in said["checks"] if one["kind"] == "drift"]
    assert (drift["metric"], drift["config"], drift["results"]) == ("a", "one", 50)
    assert f"by {drift['number']:.2g} standard deviations over 50 results" in drift["words"]
    assert drift["advice"]
    satisfice("report")
    page = (bench / "report.html").read_text(encoding="utf-8")
    assert "Checks of the results" in page
    assert "It drifts up: by" in page


def test_the_live_table_has_one_line_for_checks():
    checks = checks_of(np.linspace(0, 1, 50))
    lines = drawn(moment(60, checks=checks), 100)
    told = [line for line in lines if line.startswith("check: ")]
    assert len(told) == 1
    assert told[0].startswith("check: x of a drifts up: by")
    assert len(checks) > 1
    assert max(map(len, lines)) <= 100
    assert not any(line.startswith("check: ") for line in drawn(moment(60), 100))


REFUSED = {
    "a limit outside the range": (["-t", "loss <= 2 : bernoulli"], ["between 0 and 1", "'loss <= 2 : bernoulli'"]),
    "a limit below the range": (["-t", "e >= -1 : bounded(0, 5)"], ["between 0 and 5", "decides nothing"]),
    "a limit that cannot be proven": (["-t", "loss <= 0 : bernoulli"], ["can never be proven", "Give a tolerance"]),
    "the same at the other end": (["-t", "ok >= 1 : bernoulli"], ["can never be proven", "'ok >= 1 ~ 0.01'"]),
    "counts of none": (["-t", "errors <= 0 : poisson"], ["can never be proven", "at 0 or above"]),
    "a worst value that passes": (
        ["-t", "a <= 5 : normal(1)", "--on-error", "worst", "--worst", "a=3"],
        ["worst value of 'a' passes its limit", "'a <= 5'", "got 3"],
    ),
    "a worst value within a percentile": (
        ["-t", "p95(a) <= 200", "--on-error", "worst", "--worst", "a=3"],
        ["passes its limit", "'p95(a) <= 200'"],
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_makes_no_sense_is_refused_before_anything_runs(case, bench, satisfice):
    words, parts = REFUSED[case]
    done = satisfice("run", "--config", "one", *words, "--", "echo")
    assert (done.code, done.out) == (2, "")
    for part in parts:
        assert part in done.err
    assert not (bench / "satisfice.db").exists()


@pytest.mark.parametrize("threshold", ["loss <= 0 ~ 0.01 : bernoulli", "ok >= 1 : bernoulli of 20", "a >= 0 : normal"])
def test_what_can_be_proven_is_not_refused(threshold):
    assert sf.create_study(["one"], [threshold]).view().doubts == ()


@pytest.mark.parametrize(
    ("threshold", "words"),
    [
        ("loss <= 0.01 ~ 0.02 : bernoulli", "larger than the distance of the limit to the end of the range, 0.01"),
        ("loss <= 0.1 ~ 0.08 : bernoulli", "80 % of the limit: what is accepted may be as high as 0.18"),
        ("t >= 100 ~ 60", "60 % of the limit: what is accepted may be as low as 40"),
        ("p95(t) <= 100 ~ 60", "60 % of the limit: what is accepted may be as high as 160"),
        ("loss <= 1 : bernoulli", "all pass"),
    ],
)
def test_doubtful_limits_are_warned_about(threshold, words):
    [doubt] = sf.create_study(["one"], [threshold]).view().doubts
    assert words in doubt


def test_doubts_are_told_once_before_a_run_and_stand_in_json(bench, satisfice):
    words = ["run", "-L", "x=1,2", "-L", "y=3", "-t", "wall_time <= 5 ~ 4 : normal(9)", "-j", str(os.cpu_count() + 1)]
    words += ["--max-evaluations", "2", "--storage", "memory"]
    done = satisfice(*words, "--", "echo", "{x}")
    told = [
        "the tolerance is 80 % of the limit",
        "the command has no place for {y}: unless the program reads SATISFICE_CONFIG",
        f"{os.cpu_count() + 1} evaluations at a time on {os.cpu_count()} cores wait for each other",
    ]
    for part in told:
        assert done.err.count(part) == 1
    said = json.loads(satisfice(*words, "--json", "--", "echo", "{x}").out)
    assert all(any(part in one for one in said["warnings"]) for part in told)
    quiet = satisfice(*words, "-j", "1", "--", "echo", "{config}")
    assert "no place for" not in quiet.err
    assert "cores" not in quiet.err


@pytest.mark.parametrize("policy", [["worst", "--worst", "a=9"], ["retry", "--retries", "9"]])
def test_a_run_in_which_all_fails_alike_stops_and_is_no_verdict_when_typed_again(policy, bench, satisfice):
    words = ["run", "--config", "one", "--config", "two", "-t", "a <= 5 : normal(1)", "--on-error", *policy]
    words += ["--max-evaluations", "12", "--", "sh", "-c", "echo no such device >&2; exit 7"]
    done = satisfice(*words)
    assert (done.code, done.out) == (1, "")
    for part in (
        "the first 5 evaluations all failed, at the end",
        "no such device",
        "What was told is kept",
        "type it again",
    ):
        assert part in done.err
    assert len(json.loads(satisfice("export", "-f", "json").out)) == 5
    if policy[0] == "worst":
        again = satisfice(*words)
        assert (again.code, again.out) == (1, "")
        assert "failures alone would decide it" in again.err


def test_a_result_that_is_ruled_out_ends_the_study_in_the_words_of_the_command_line(folder, satisfice):
    program = ["--", "sh", "-c", """echo '{"x": 50}'"""]
    words = ["run", "-q", "--config", "a", "-t", "x <= 3 : bounded(0, 5)", "--on-error", "retry"]
    for _ in range(2):
        done = satisfice(*words, *program)
        assert (done.code, done.out) == (1, "")
        for part in ("stopped for good: 'a' has a result that is ruled out", "--fresh --on-error worst"):
            assert part in done.err
    done = satisfice("run", "-q", *words[2:6], "--fresh", "--on-error", "worst", *program)
    assert done.code == 3  # measured, and as bad as can be
