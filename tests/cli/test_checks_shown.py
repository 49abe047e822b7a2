"""What is odd about results, or about the question, is said wherever people look."""

import json
import os

import numpy as np
import pytest

import satisfice as sf
from satisfice.show.live import Moment
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


def test_a_run_is_strict_by_an_option_or_a_key(bench, satisfice):
    every = ["--config", "one", "-t", "a <= 1000 : normal(60)", "-e", "1e-9", "--min-evaluations", "60"]
    words = [*every, "--", "sh", "-c", DRIFTING]
    done = satisfice("run", *words)
    assert (done.code, done.out.rstrip().rsplit("; ", 1)[1]) == (0, "results drift: read the check")
    again = satisfice("run", "--strict", *words)
    assert again.code == 4
    assert " FOUND one is withheld: results drift: read the check" in again.out
    status = satisfice("status")
    assert (status.code, status.out.splitlines()[-1]) == (4, again.out.strip())
    assert json.loads(satisfice("status", "--json").out)["failed_checks"] == ["results drift"]
    text = f"command = {json.dumps(['sh', '-c', DRIFTING])}\nthresholds = ['a <= 1000 : normal(60)']\nstrict = true\n"
    text += "error_rate = 1e-9\nmin_evaluations = 60\n[configs.one]\n"
    (bench / "study.toml").write_text(text)
    assert satisfice("run", "study.toml", "--storage", "memory").code == 4
    (bench / "study.toml").write_text(text.replace("strict = true", "strict = 1"))
    refused = satisfice("run", "study.toml", "--storage", "memory")
    assert refused.code == 2
    assert "strict must be true or false, got 1" in refused.err


HINT = "size was 750 in all 5 results: if it is always the same, declare it exact"
CONSTANT = 'echo "{\\"size\\": 750, \\"loss\\": $((SATISFICE_NUMBER % 2))}"'


def test_a_hint_stands_in_a_run_its_verdict_its_status_its_page_and_json(bench, satisfice):
    limits = ["-t", "size <= 800", "-t", "loss <= 0.9", "--max-evaluations", "5"]
    done = satisfice("run", "--config", "one", *limits, "--", "sh", "-c", CONSTANT)
    assert done.out == f"UNDECIDED   5 evaluations   closest: one ({HINT})\n"
    lines = done.err.splitlines()
    assert f"satisfice: {HINT}" in lines
    assert sum("loss was 0 or 1 in all 5 results" in line for line in lines) == 2  # as it came up, and at the end
    status = satisfice("status").out
    assert f"closest: one ({HINT})" in status
    assert "warning: loss was 0 or 1 in all 5 results" in status
    said = json.loads(satisfice("status", "--json").out)
    assert said["closest"]["metric"] == "size"
    assert f"{HINT}." in said["warnings"]
    satisfice("report")
    page = (bench / "report.html").read_text(encoding="utf-8")
    assert f"closest: <b>one ({HINT})</b>" in page
    assert '<p class="hint">hint: loss was 0 or 1 in all 5 results' in page
    assert satisfice("explain", "--config", "one").out.startswith(
        f"undecided after 5 evaluations: {HINT}; least certain"
    )


def test_lines_of_a_piped_run_say_what_holds_it_up(bench, satisfice, monkeypatch):
    monkeypatch.setattr("satisfice.show.watch.LINE_SECONDS", 0.0)
    done = satisfice(
        "run", "--config", "one", "-t", "size <= 800", "--max-evaluations", "6", "--", "sh", "-c", CONSTANT
    )
    told = [line for line in done.err.splitlines() if "1 configuration open" in line]
    assert told[-1].endswith(f"1 configuration open · closest: one ({HINT.replace('all 5', 'all 6')})")


def test_the_live_table_says_what_holds_the_study_up(bench):
    search = sf.Search(sf.problem_of(["size <= 800", "loss <= 0.9"]), ["a"])
    for number in range(5):
        search.tell("a", {"size": 750, "loss": number % 2})
    seen = Moment("s", search.problem, search.verdict, search.statuses(), hints=search.hints())
    lines = drawn(seen, 160)
    assert f"closest: a ({HINT})" in lines
    assert [line[:38] for line in lines if line.startswith("hint: ")] == ["hint: loss was 0 or 1 in all 5 results"]


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


def test_a_time_limit_within_the_limit_decides_an_obvious_case_at_once(bench, satisfice):
    """No evaluation that ends can move the mean beyond its limit; a limit below the time limit waits for its shape."""
    words = ["--config", "one", "-e", "0.05", "--max-evaluations", "5", "--timeout", "60s"]
    done = satisfice("run", *words, "-t", "wall_time <= 500", "--", "true")
    assert (done.code, done.out.split()[2]) == (0, "2")
    assert done.out.rstrip().endswith("wrong with probability at most 5 %"), "nothing is assumed"
    assert json.loads(satisfice("status", "--json").out)["thresholds"] == ["wall_time <= 500 : bounded(0, 525)"]
    waits = satisfice("run", *words, "-t", "wall_time <= 50", "--", "true")
    assert "waiting for 36 results since nothing is declared about wall_time" in waits.out
    worst = [*words, "--on-error", "worst", "--worst", "wall_time=900"]
    assert satisfice("run", *worst, "-t", "wall_time <= 500", "--", "true").code == 4
