"""Bad input: exit code 2, one message that says what was expected, what came and what to do, and nothing written."""

import json

import pytest

MEANS = "means = [[0.0, 0.0], [1.5, -1.0], [1.0, 3.0]]"
SPEED = '"speed >= 0.5 ~ 0.1 : normal(1)"'

FILES = {
    "more means than thresholds": (MEANS, "means = [[0.0, 0.0, 1.0]]", ["Expected 2 means", "speed, cost", "got 3"]),
    "a short row of means": (MEANS, "means = [[0, 0], [1.5], [1, 3]]", ["each with 2 numbers", "row 2 has 1"]),
    "more names than means": ('"dear"]', '"dear", "more"]', ["Expected 3 different names", "got 4"]),
    "NaN among the means": ("[1.5, -1.0]", "[1.5, nan]", ["must be a finite number", "arm 2 has nan for 'cost'"]),
    "an infinite mean": ("[1.5, -1.0]", "[inf, -1.0]", ["must be a finite number", "arm 2 has inf for 'speed'"]),
    "text among the means": ("[1.5, -1.0]", '[1.5, "x"]', ["some entry is not a number"]),
    "NaN as a threshold": (SPEED, '"speed >= nan : normal(1)"', ["a finite number for the threshold", "^^^"]),
    "an error rate of 0": ("error_rate = 0.1", "error_rate = 0", ["strictly between 0 and 1, got 0", "Try 0.05"]),
    "an error rate of 1": ("error_rate = 0.1", "error_rate = 1.0", ["strictly between 0 and 1, got 1.0"]),
    "an error rate in percent": ("error_rate = 0.1", "error_rate = 5", ["strictly between 0 and 1, got 5"]),
    "an error rate of NaN": ("error_rate = 0.1", "error_rate = nan", ["strictly between 0 and 1, got nan"]),
    "a negative tolerance": (SPEED, '"speed >= 0.5 ~ -1 : normal(1)"', ["tolerance of zero or more, got -1"]),
    "a negative noise scale": (SPEED, '"speed >= 0.5 : normal(-1)"', ["must be a positive finite number, got -1"]),
    "no noise scale": (SPEED, '"speed >= 0.5"', ["how noisy one evaluation is", "Write 'speed >= 0.5 : normal(SD)'"]),
    "an unknown noise model": (SPEED, '"speed >= 0.5 : nrmal(1)"', ["Did you mean 'normal'?"]),
    "an unknown comparison": (SPEED, '"speed => 0.5 : normal(1)"', ["expected '<=', '>=' or '==', got '=>'"]),
    "two limits on one side": ('"cost <= 1', '"speed >= 1', ["several for 'speed >='"]),
    "a misspelt key": ("error_rate", "eror_rate", ["'eror_rate'", "Did you mean 'error_rate'?", "Known: arms"]),
    "a misspelt key of the arms": ("means =", "mean =", ["key of [arms]", "'mean'", "Did you mean 'means'?"]),
    "a misspelt key of the campaign": ("seed =", "sed =", ["key of [simulate]", "Did you mean 'seed'?"]),
    "no arms": ("[arms]", "[simulated]", ["'simulated'", "Did you mean 'simulate'?"]),
    "broken TOML": ('name = "small"', 'name = "small', ["is not valid TOML", "line 2"]),
    "an unknown rule": ("seed = 7", 'rules = ["multitucp"]', ["Did you mean 'multitucb'?"]),
    "a rule as text": ("seed = 7", 'rules = "multitucb"', ["a list with at least one sampling rule"]),
    "an unknown stopping rule": ("seed = 7", 'stopping = "alfa"', ["No stopping rule is called 'alfa'", "'alpha'"]),
    "half a repetition": ("repetitions = 40", "repetitions = 0.5", ["whole number of at least 1, got 0.5"]),
    "a negative seed": ("seed = 7", "seed = -7", ["zero or more, got -7"]),
    "a name for each arm that is no text": ('"dear"]', "3]", ["expected names as a list of strings"]),
    "names beside data": (MEANS, 'data = "past.csv"', ["names cannot be given beside data", "Delete it"]),
    "a number for the data": (MEANS, "data = 3", ["expected data as a string, got 3"]),
    "a text for the correlation": (MEANS, MEANS + '\ncorrelation = "a"', ["Expected the correlation as one number"]),
}


@pytest.mark.parametrize("case", FILES)
def test_an_instance_file_that_makes_no_sense(case, satisfice, edited, files):
    old, new, parts = FILES[case]
    edited(old, new)
    before = files()
    done = satisfice("simulate", "small.toml", "--out", "results")
    check_refused(done, parts)
    assert files() == before


OPTIONS = {
    "an unknown rule": (["-r", "multilucp"], ["'multilucp'", "Did you mean 'multilucb'?", "Known: multiapt"]),
    "a module that is not there": (["-r", "nowhere:Rule"], ["'nowhere:Rule'", "No module named 'nowhere'"]),
    "a class that is not there": (["-r", "math:Rule"], ["'math:Rule'", "no attribute 'Rule'"]),
    "something that is no rule": (["-r", "math:pi"], ["must be a NamedTuple", "lacks bonus"]),
    "an unknown stopping rule": (["--stopping", "alpa"], ["Did you mean 'alpha'?"]),
    "an error rate above 1": (["--error-rate", "1.5"], ["strictly between 0 and 1, got 1.5"]),
    "an error rate of 0": (["--error-rate", "0"], ["strictly between 0 and 1, got 0"]),
    "a negative tolerance": (["--tolerance", "-1"], ["the tolerance must be zero or more, got -1"]),
    "an infinite tolerance": (["--tolerance", "inf"], ["the tolerance must be a finite number, got inf"]),
    "no repetitions": (["-n", "0"], ["repetitions must be a whole number of at least 1, got 0"]),
    "no budget": (["--max-evaluations", "0"], ["max_evaluations must be a whole number of at least 1, got 0"]),
    "a negative seed": (["--seed", "-1"], ["zero or more, got -1"]),
    "text for a number": (["--seed", "x"], ["--seed"]),
    "no threads": (["--threads", "0"], ["--threads"]),
    "an unknown option": (["--repetition", "3"], ["--repetition"]),
}


@pytest.mark.parametrize("case", OPTIONS)
def test_options_that_make_no_sense(case, satisfice, files):
    words, parts = OPTIONS[case]
    before = files()
    check_refused(satisfice("simulate", "small.toml", "--out", "results", *words), parts)
    assert files() == before


RECORDS = {
    "a metric without a column": ("arm,speed,costs\na,1,2\n", ["No column of past.csv is called 'cost'", "'costs'?"]),
    "no column of arms": ("arms,speed,cost\na,1,2\n", ["No column of past.csv is called 'arm'", "'arms'?"]),
    "text in a column": ("arm,speed,cost\na,1,2\na,x,2\n", ["column 'speed' must hold numbers"]),
    "an empty cell": ("arm,speed,cost\na,1,2\na,,2\n", ["row 2, column 'speed' is nan", "finite number"]),
    "no rows": ("arm,speed,cost\n", ["no rows", "at least one past evaluation"]),
    "rows of different lengths": ("arm,speed,cost\na,1\n", ["cannot be read as CSV"]),
}


@pytest.mark.parametrize("case", RECORDS)
def test_records_that_make_no_sense(case, satisfice, edited, files, tmp_path):
    content, parts = RECORDS[case]
    (tmp_path / "past.csv").write_text(content)
    edited('names = ["slow", "right", "dear"]\n' + MEANS, 'data = "past.csv"')
    before = files()
    check_refused(satisfice("simulate", "small.toml", "--out", "results"), parts)
    check_refused(satisfice("bounds", "small.toml"), parts)
    assert files() == before


@pytest.mark.parametrize("command", ["simulate", "bounds"])
@pytest.mark.parametrize(
    ("path", "parts"),
    [("smal.toml", ["There is no instance file smal.toml"]), (".", ["cannot be read"])],
    ids=["missing", "a folder"],
)
def test_no_instance_file(command, path, parts, satisfice):
    check_refused(satisfice(command, path), parts)


def test_a_file_where_the_results_folder_should_be(satisfice, tmp_path, files):
    (tmp_path / "results").write_text("precious")
    before = files()
    for place in ("results", "results/inside"):
        done = satisfice("simulate", "small.toml", "--out", place)
        check_refused(done, [place, "Choose a"])
        assert files() == before


@pytest.mark.parametrize("words", [[], ["-n", "41"], ["--seed", "8"], ["--error-rate", "0.2"], ["-r", "multilucb"]])
def test_a_results_folder_of_another_campaign_is_not_touched(words, satisfice, files, tmp_path):
    if words:
        assert satisfice("simulate", "small.toml", "--out", "results").code == 0
    else:
        (tmp_path / "results").mkdir()
        (tmp_path / "results" / "thesis.tex").write_text("precious")
    before = files()
    check_refused(satisfice("simulate", "small.toml", "--out", "results", *words), ["results", "Nothing was changed"])
    assert files() == before


def test_a_file_where_a_reproduction_should_go(satisfice, files, tmp_path):
    (tmp_path / "here").write_text("precious")
    before = files()
    check_refused(satisfice("reproduce", "-n", "1", "--out", "here"), ["here", "Nothing was changed"])
    check_refused(satisfice("reproduce", "-t", "synthetic_delta_ds"), ["synthetic_delta_ds", "synthetic_delta_sd"])
    check_refused(satisfice("reproduce", "-n", "few"), ["--repetitions", "'paper'", "'few'"])
    assert files() == before


def test_bad_input_under_json_leaves_standard_output_empty(satisfice):
    done = satisfice("simulate", "small.toml", "--json", "-r", "multitucp")
    check_refused(done, ["multitucb"])
    with pytest.raises(json.JSONDecodeError):
        json.loads(done.out)


def test_no_command_and_unknown_commands(satisfice):
    assert satisfice("simulat").code == 2
    shown = satisfice()
    assert "Usage: satisfice" in shown.out + shown.err


def check_refused(done, parts):
    """Exit code 2, a message on standard error with these parts, no traceback, nothing on standard output."""
    assert done.code == 2, done
    assert done.out == ""
    assert done.err.startswith("satisfice: ") or "Usage: satisfice" in done.err
    assert "Traceback" not in done.err
    for part in parts:
        assert part in done.err
