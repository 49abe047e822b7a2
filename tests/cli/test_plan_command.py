"""satisfice plan: what it prints and keeps, and what it says of files that make no sense."""

import json
from pathlib import Path

import pytest

import satisfice as sf
from satisfice.show.plan import print_plan
from tests.cli.test_bad_input import check_refused
from tests.cli.test_terminal import seen

STUDY = """
name = "shop"
thresholds = ["speed >= 0.5 ~ 0.1 : normal(1)", "cost <= 1 ~ 0.1"]
error_rate = 0.1
max_evaluations = 500
command = "./bench.sh {size}"

[grid]
size = [1, 2, 3]
mode = ["a"]

[plan]
spread = { cost = 2 }
repetitions = 40
scenarios = ["one clearly passes", "all clearly fail"]
seed = 7
"""
THRESHOLDS = ["speed >= 0.5 ~ 0.1 : normal(1)", "cost <= 1 ~ 0.1"]


@pytest.fixture
def study(folder):
    (folder / "study.toml").write_text(STUDY)
    return folder / "study.toml"


def test_prints_what_was_assumed_and_a_line_for_each_scenario(satisfice, study, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    done = satisfice("plan", "study.toml")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "shop: evaluations to expect, 40 simulated studies of each scenario"
    assert lines[1].startswith("3 configurations, error rate 0.1, goal any, budget 500, ")
    assert [line.split("  ")[0] for line in lines if line.startswith(("one", "all"))] == [
        "one clearly passes",
        "all clearly fail",
    ]
    assert "standard deviations: speed 1, cost 2" in lines
    told = "cost is undeclared, and simulated as normal: accepting a configuration that just passes then takes "
    told += "about 160 of its evaluations; about 310 if exponential, about 950 if lognormal(1)"
    assert told in " ".join(done.out.split())
    assert max(map(len, lines)) <= 80


@pytest.mark.parametrize(
    ("limit", "told"),
    [
        ("p99(cost) <= 1 ~ 0.1", "p99(cost): an evaluation is taken to return one number; where it returns a list of"),
        ("share(cost <= 1) >= 0.9 ~ 0.01", "share(cost <= 1): an evaluation is taken to return one number"),
        ("cost >= 0.9 ~ 0.01 : independent", "cost: an evaluation is taken to return one number"),
        ("cost <= 1 ~ 0.1 : normal(1)", ""),
    ],
)
def test_says_that_lists_are_not_planned(limit, told, capsys):
    """A plan of a load generator's lists was one of single requests, and did not say so."""
    spread = {"cost": 2} if limit.startswith("p99") else {}
    few = {"repetitions": 1, "budget": 2, "scenarios": ["all clearly fail"], "engine": "interpreted"}
    print_plan("shop", sf.plan([limit], 2, spread=spread, **few), None)
    out = " ".join(capsys.readouterr().out.split())
    assert told in out
    assert out.count("taken to return") == bool(told)


def test_json_is_what_python_gets(satisfice, study):
    found = json.loads(satisfice("plan", "study.toml", "--json").out)
    scenarios = ["one clearly passes", "all clearly fail"]
    options = {"error_rate": 0.1, "budget": 500, "repetitions": 40, "seed": 7, "scenarios": scenarios}
    expected = sf.plan(THRESHOLDS, 3, spread={"cost": 2}, **options)
    assert found == {"name": "shop"} | json.loads(json.dumps(expected.as_dict()))


def test_options_replace_what_the_file_says(satisfice, study):
    words = ("--budget", "9", "--spread", "cost=4", "--just", "0.1", "--clearly", "0.5", "-n", "10", "--seed", "0")
    found = json.loads(satisfice("plan", "study.toml", "--json", *words, "--scenario", "all just fail").out)
    assert (found["budget"], found["repetitions"], found["seed"]) == (9, 10, 0)
    assert found["spread"] == {"speed": 1.0, "cost": 4.0}
    assert (found["just"], found["clearly"]) == (0.1, 0.5)
    assert [each["scenario"] for each in found["scenarios"]] == ["all just fail"]
    assert found["scenarios"][0]["undecided"] == 1.0
    again = json.loads(satisfice("plan", "study.toml", "--json", "--max-evaluations", "9", *words[2:]).out)
    assert again["budget"] == 9


def test_workers_get_a_line_of_their_own(satisfice, study, monkeypatch):
    """Options replace the file's keys here, too, and the JSON is what Python gets."""
    monkeypatch.setenv("COLUMNS", "80")
    declared = [f"{limit} : poisson" if limit.startswith("cost") else limit for limit in THRESHOLDS]
    asked = STUDY.replace(json.dumps(THRESHOLDS), json.dumps(declared)).replace("spread = { cost = 2 }\n", "")
    study.write_text(asked + 'workers = 2\ndurations = "constant"\n')
    lines = satisfice("plan", "study.toml", "--workers", "8", "--durations", "lognormal(1)").out.splitlines()
    assert [line.split()[-8] for line in lines if line.endswith(" 0")] == ["1", "8", "1", "8"]
    assert any(line.startswith("durations lognormal(1); used: ") for line in lines)
    found = json.loads(satisfice("plan", "study.toml", "--json").out)
    expected = sf.plan(
        declared,
        3,
        **{"error_rate": 0.1, "budget": 500, "repetitions": 40, "seed": 7, "workers": 2, "durations": "constant"},
        scenarios=["one clearly passes", "all clearly fail"],
    )
    assert found == {"name": "shop"} | json.loads(json.dumps(expected.as_dict()))


def test_out_keeps_a_plot_and_every_run(satisfice, study):
    done = satisfice("plan", "study.toml", "--out", "kept")
    assert done.code == 0
    assert "kept in kept: plan.png" in done.out
    assert Path("kept/plan.png").read_bytes().startswith(b"\x89PNG")
    assert len(Path("kept/summary.csv").read_text().splitlines()) == 3
    assert satisfice("plan", "study.toml", "--out", "kept") == done


def test_a_terminal_shows_how_far_it_is(study, folder):
    code, lines = seen(["plan", "study.toml", "-n", "4000"], folder, 100)
    assert code == 0, lines
    assert any("/8,000 runs " in line for line in lines)


FILES = {
    "a misspelt key": ("seed = 7", "sed = 7", ["key of [plan]", "Did you mean 'seed'?"]),
    "a misspelt scenario": ('"all clearly fail"', '"all clearly fails"', ["Did you mean 'all clearly fail'?"]),
    "no spread": (
        "spread = { cost = 2 }",
        "",
        ["Metric 'cost' (checked) leaves open how much", "spread = { cost = ... }"],
    ),
    "a spread of no metric": ("{ cost = 2 }", "{ cots = 2 }", ["'cots'", "Did you mean 'cost'?"]),
    "a spread that is a number": ("{ cost = 2 }", "2", ["study.toml: expected spread as a table", "got 2"]),
    "a spread of 0": ("{ cost = 2 }", "{ cost = 0 }", ["the spread of 'cost' as a positive number, got 0"]),
    "no configurations": ("[grid]\nsize = [1, 2, 3]\n", "[grid]\nsize = []\n", ["a list of values for 'size'"]),
    "a threshold that cannot be read": ("cost <= 1 ~ 0.1", "cost <= 1 ~ x", ["for the tolerance, got 'x'", "^"]),
    "a noise that does not exist": (": normal(1)", ": nrmal(1)", ["Did you mean 'normal'?", "^^^^^^^^"]),
    "a goal that is no number": ("error_rate = 0.1", "goal = true", ["1 or more, got True"]),
    "a goal of more than there are": ("error_rate = 0.1", "goal = 4", ["to find 4 that pass", "only 3 to choose from"]),
    "a goal that does not exist": ("error_rate = 0.1", 'goal = "some"', ["'some'"]),
    "an error rate in percent": ("error_rate = 0.1", "error_rate = 10", ["strictly between 0 and 1, got 10"]),
    "no budget": ("max_evaluations = 500", "max_evaluations = 0", ["The budget must be a whole number"]),
    "half a repetition": ("repetitions = 40", "repetitions = 0.5", ["whole number of at least 1, got 0.5"]),
}


@pytest.mark.parametrize("case", FILES)
def test_a_study_file_that_makes_no_sense(case, satisfice, study, files):
    old, new, parts = FILES[case]
    assert old in STUDY
    study.write_text(STUDY.replace(old, new))
    before = files()
    check_refused(satisfice("plan", "study.toml", "--out", "kept"), parts)
    assert files() == before


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (["nowhere.toml"], ["There is no study file nowhere.toml"]),
        (["small.toml"], ["No key of the file is called 'arms'"]),
        (["study.toml", "--spread", "cost"], ["--spread expects METRIC=NUMBER, got 'cost'"]),
        (["study.toml", "--spread", "cost=much"], ["--spread expects METRIC=NUMBER, got cost=much"]),
        (["study.toml", "--just", "2"], ["no more than 'clearly', got 2 and 1"]),
        (["study.toml", "--budget", "many"], ["--budget"]),
        (["study.toml", "--workers", "0"], ["workers must be a whole number from 1 to 100,000", "got 0"]),
        (["study.toml", "--durations", "long"], ["No kind of durations is called 'long'", "lognormal"]),
        (["study.toml", "--durations", "metric(time)"], ["No metric with a threshold is called 'time'"]),
        (["study.toml", "--durations", "metric(cost) + 5%"], ["'+ 0.5% x 30' behind it", "got 'metric(cost) + 5%'"]),
    ],
)
def test_options_that_make_no_sense(words, parts, satisfice, study):
    check_refused(satisfice("plan", *words), parts)
