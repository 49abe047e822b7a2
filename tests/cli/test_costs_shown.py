"""Costs on the command line: read from options, files and what a program prints, and shown wherever a study is."""

import csv
import io
import json
import re

import pytest

import satisfice as sf
from satisfice.layout.numbers import compact
from satisfice.show.forecast import forecast
from satisfice.show.live import footer_lines
from satisfice.show.watch import Watch
from satisfice.study import RunProgress

URL = "sqlite:///costs.db"
PROGRAM = """#!/bin/sh
awk -v seed="$SATISFICE_NUMBER" -v size="$1" 'BEGIN {
    srand(seed * 7 + size); x = rand()
    if (size == 9 && x < 0.3) { print "out of luck" > "/dev/stderr"; printf "{\\"usd\\": 3}\\n"; exit 1 }
    printf "{\\"right\\": %d, \\"usd\\": %s}\\n", x < 0.8, size / 100
}'
"""
ASKED = ["-L", "size=1,20,300", "-t", "right >= 0.5 ~ 0.05 : bernoulli"]


@pytest.fixture
def program(folder):
    path = folder / "model.sh"
    path.write_text(PROGRAM)
    path.chmod(0o755)
    return ["--", "./model.sh", "{size}"]


def test_a_reported_cost_is_spent_on_the_cheap_one(program, satisfice):
    done = satisfice("run", *ASKED, "--cost", "usd", "--storage", URL, "--json", *program)
    said = json.loads(done.out)
    assert (done.code, said["config"]) == (0, "size=1")
    cost = said["cost"]
    assert cost["spent"] == pytest.approx(sum(one["spent"] for one in said["configs"]))
    assert (cost["metric"], cost["max_cost"], cost["is_spent"]) == ("usd", None, False)
    dear = said["configs"][2]
    assert 1 <= dear["evaluations"] <= 3
    assert (dear["spent"], dear["expected_cost"]) == (3.0 * dear["evaluations"], 3.0)
    shown = satisfice("status", URL).out
    assert re.search(r"^cost: [\d.]+ usd$", shown, re.MULTILINE)
    why = satisfice("explain", URL, "--config", "size=300").out
    assert f"; its evaluations cost {dear['spent']:g} usd" in why
    rows = list(csv.DictReader(io.StringIO(satisfice("export", URL).out)))
    assert sum(float(row["evaluation_cost"]) for row in rows) == pytest.approx(cost["spent"])
    table = list(csv.DictReader(io.StringIO(satisfice("export", URL, "--configs").out)))
    assert [float(row["spent"]) for row in table] == [one["spent"] for one in said["configs"]]
    satisfice("report", URL, "-o", "report.html")
    with open("report.html", encoding="utf-8") as file:
        page = file.read()
    assert "An evaluation costs <code>usd</code>" in page
    assert re.search(r"cost: [\d.]+ usd", page)
    assert satisfice("verify", URL).code == 0


def test_a_budget_ends_a_run_and_says_so(program, satisfice):
    words = ["run", *ASKED, "--cost", "size / 10", "--storage", URL]
    done = satisfice(*words, "--max-cost", "2.05", *program)
    assert done.code == 4
    assert done.out.startswith("UNDECIDED ")
    assert "no further evaluation is started: the study has cost 2" in done.err
    said = json.loads(satisfice("status", URL, "--json").out)
    assert said["cost"]["is_spent"]
    assert 0 < said["cost"]["spent"] <= 2.05
    assert any("no further evaluation" in words for words in said["warnings"])
    assert satisfice(*words, "--max-cost", "1000", *program).code == 0
    assert sf.verify(URL).ok


def test_what_is_to_go_is_told_in_money(program, satisfice):
    words = [*ASKED, "--cost", "size", "--max-evaluations", "25", "--storage", URL]
    satisfice("run", *words, *program)
    said = json.loads(satisfice("status", URL, "--json").out)["cost"]
    assert said["expected_to_go"] > 1
    assert re.search(r"^cost: \d+; about [\d.]+ to go at present estimates$", satisfice("status", URL).out, re.M)


def test_the_live_view_tells_what_was_spent_and_what_is_to_go():
    """Of two that look alike the cheap one is what is left to pay for."""
    study = sf.create_study(
        ["dear", "cheap"],
        ["x >= 0.5 ~ 0.05 : bernoulli"],
        cost={"dear": 50, "cheap": 2},
        max_cost=900,
        storage="memory",
    )
    before = study.view()
    for _ in range(5):
        study.tell(study.ask(), {"x": 1})
    moment = Watch(before, None).moment(RunProgress(study, study.view(), ()))
    line = footer_lines(moment)[1].plain
    spent, left = study.view().cost.spent, forecast(moment.problem.goal, moment.statuses, moment.expected_cost)
    assert left.cost == 2 * left.evaluations
    assert f" · cost {spent:g} of at most 900 · " in line
    assert f"about {left.evaluations} to go, cost {compact(left.cost)}" in line


@pytest.mark.parametrize("metric", ["usd", "wall_time"])
def test_failed_programs_have_costs(program, satisfice, metric):
    words = ["-L", "size=9,8", "-t", "right >= 0.5 ~ 0.05 : bernoulli", "--cost", metric, "--on-error", "worst"]
    done = satisfice("run", *words, "--max-evaluations", "12", "--storage", URL, "--json", *program)
    said = json.loads(done.out)
    assert said["counts"]["failed"] > 0
    assert said["cost"]["estimated"] == 0
    with sf.load_study(URL) as study:
        failed = [one.cost for one in study.evaluations() if one.failure]
    assert failed == [3.0] * len(failed) if metric == "usd" else min(failed) > 0


def test_a_program_that_is_killed_has_used_its_time(folder, satisfice):
    words = ["--config", "a", "-t", "x >= 0", "--cost", "wall_time", "--timeout", "0.3s"]
    done = satisfice("run", *words, "--storage", URL, "--", "sleep", "30")
    assert done.code == 1
    with sf.load_study(URL) as study:
        assert [one.cost for one in study.evaluations()] == [0.3]


def test_a_program_that_does_not_print_its_cost_is_no_bad_configuration(program, satisfice):
    done = satisfice("run", *ASKED, "--cost", "eur", "--on-error", "worst", "--storage", URL, *program)
    assert done.code == 1
    assert "'eur'" in done.err
    assert "It is what an evaluation costs." in done.err
    with sf.load_study(URL) as study:
        assert study.counts().told == 0


def test_a_cost_may_be_anywhere_in_the_output(folder, satisfice):
    words = ["--config", "a", "-t", "x >= 0.5 : bernoulli", "--cost", "usd", "-m", "usd=/paid ([0-9.]+)/"]
    satisfice("run", *words, "--max-evaluations", "3", "--storage", URL, "--", "echo", 'paid 0.5 {{"x": 1}}')
    with sf.load_study(URL) as study:
        assert study.view().cost.spent == 1.5


def test_keys_of_a_study_file(program, satisfice, folder):
    (folder / "study.toml").write_text(
        'thresholds = ["right >= 0.5 ~ 0.05 : bernoulli"]\ncommand = "./model.sh {size}"\nmax_cost = 40\n'
        f'storage = "{URL}"\n[cost]\nsmall = 1\nlarge = 30\n[configs.small]\nsize = 1\n[configs.large]\nsize = 300\n'
    )
    done = satisfice("run", "study.toml", "--json")
    said = json.loads(done.out)
    assert (said["cost"]["max_cost"], said["configs"][1]["spent"]) == (40.0, 0.0)
    assert said["configs"][0]["spent"] == said["configs"][0]["evaluations"]
    shown = satisfice("plan", "study.toml", "-n", "20", "--scenario", "one clearly passes").out
    assert "at a cost of at most 40" in " ".join(shown.split())
    assert re.search(r"^scenario +mean +median +90 % +cost +90 % ", shown, re.MULTILINE)


def test_a_plan_cannot_know_what_is_reported(program, satisfice, folder):
    (folder / "study.toml").write_text(
        'thresholds = ["right >= 0.5 ~ 0.05 : bernoulli"]\ncost = "usd"\nmax_cost = 4\n[grid]\nsize = [1, 2]\n'
    )
    words = ["plan", "study.toml", "-n", "20", "--scenario", "one clearly passes"]
    assert "Evaluations report their cost as usd: to plan it, say what you expect by --cost." in satisfice(*words).out
    assert "at a cost of at most 4" in " ".join(satisfice(*words, "--cost", "0.01 * size").out.split())


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--cost", "0"], "must be a number of more than 0"),
        (["--cost", "-3"], "must be a number of more than 0"),
        (["--cost", "2 * sise"], "is called 'sise'. Did you mean 'size'?"),
        (["--cost", "size / 0"], "division by zero"),
        (["--cost", "size="], "--cost expects NAME=NUMBER,NAME=NUMBER, got size=."),
        (["--cost", "a=1"], "No config is called 'a'"),
        (["--cost", "2 +"], "cannot be read at its end"),
        (["--max-cost", "3"], "nothing says what an evaluation costs"),
        (["--cost", "1", "--max-cost", "-3"], "--max-cost must be a number, 0 or more"),
        (["--cost", "1", "--max-cost", "nan"], "--max-cost must be a number"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_run(program, satisfice, folder, words, sentence):
    done = satisfice("run", *ASKED, *words, "--storage", URL, *program)
    assert done.code == 2
    assert sentence in done.err
    assert not (folder / "costs.db").exists()
