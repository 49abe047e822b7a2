"""Every command: what it prints, what it writes, and that help answers at once."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet
import pytest

import satisfice as sf
from satisfice.cli.app import COMMANDS, _named

MEANS = "means = [[0.0, 0.0], [1.5, -1.0], [1.0, 3.0]]"

HELP = """
import sys
from satisfice.cli import main
try:
    main()
finally:
    print("loaded:", *{"numba", "matplotlib", "scipy", "pyarrow", "numpy", "sqlalchemy"} & set(sys.modules))
"""


@pytest.mark.parametrize("words", [[], *([_named(command)] for command in COMMANDS)], ids=" ".join)
def test_help_loads_nothing_heavy(words):
    command = [sys.executable, "-c", HELP, *words, "--help"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert " ".join(["Usage: satisfice", *words, "[OPTIONS]"]) in done.stdout
    assert done.stdout.splitlines()[-1].split() == ["loaded:"]


def test_version(satisfice):
    assert satisfice("--version") == (0, f"satisfice {sf.__version__}\n", "")


def test_rules_lists_all_of_them(satisfice):
    done = satisfice("rules")
    assert done.code == 0
    for name in ("multitucb", "multihdoc", "multilucb", "multiapt", "alpha"):
        assert any(line.startswith(name) for line in done.out.splitlines())


def test_simulate_prints_a_table(satisfice):
    done = satisfice("simulate", "small.toml", "-r", "multitucb", "-r", "multilucb", "--stopping", "alpha")
    assert (done.code, done.err) == (0, "")
    first, second, *table, last = done.out.splitlines()
    assert first == "small: evaluations until the answer, 40 runs of each rule"
    assert second == "error rate 0.1, tolerance 0.1, stopping AlphaBoundary"
    assert [line.split()[0] for line in table] == ["timed", "rule", "MultiTUCB", "MultiLUCB"]
    assert last == "in brackets: the upper end of a 95 % interval"


def test_simulate_shows_workers_beside_one(satisfice, edited):
    edited("speed >= 0.5 ~ 0.1 : normal(1)", "speed >= 0.5 ~ 0.1 : poisson")
    words = ("--workers", "4", "--workers", "8", "--durations", "lognormal(1)")
    done = satisfice("simulate", "small.toml", *words)
    assert "durations lognormal(1)" in " ".join(done.out.split())
    rows = [line.split() for line in done.out.splitlines() if line.startswith("Pandora")]
    assert [row[1] for row in rows] == ["1", "4", "8"]
    assert float(rows[0][-1]) > float(rows[1][-1]) > float(rows[2][-1])
    found = json.loads(satisfice("simulate", "small.toml", *words, "--json").out)
    assert [(row["workers"], f"{row['asked']:,.0f}") for row in found] == [
        (1, rows[0][-2]),
        (4, rows[1][-2]),
        (8, rows[2][-2]),
    ]


def test_simulate_in_json_is_what_python_gets(satisfice):
    done = satisfice("simulate", "small.toml", "--json", "-n", "30", "--threads", "1")
    said = sf.load_instance("small.toml").instance
    expected = sf.simulate(said.problem, said.arms, name="small", repetitions=30, seed=7).summaries[0]
    assert done.code == 0
    assert json.loads(done.out) == [json.loads(json.dumps(expected.as_dict()))]


def test_options_replace_what_the_file_says_zero_included(satisfice):
    def mean(*words):
        return json.loads(satisfice("simulate", "small.toml", "--json", *words).out)[0]["mean"]

    assert mean("--seed", "7") == mean()
    assert mean("--seed", "0") != mean()


def test_sweeps_are_all_combinations(satisfice):
    words = ("--error-rate", "0.2", "--error-rate", "0.1", "--tolerance", "0", "--tolerance", "0.5")
    rows = json.loads(satisfice("simulate", "small.toml", "--json", *words).out)
    assert [(row["error_rate"], row["tolerance"]) for row in rows] == [(0.2, 0), (0.2, 0.5), (0.1, 0), (0.1, 0.5)]


def test_out_keeps_everything(satisfice, tmp_path):
    done = satisfice("simulate", "small.toml", "--out", "results/small")
    assert done.code == 0
    assert "kept in results/small: results.parquet, summary.csv" in done.out
    folder = tmp_path / "results" / "small"
    assert pyarrow.parquet.read_table(folder / "results.parquet").num_rows == 40
    with (folder / "summary.csv").open() as file:
        assert [row["rule"] for row in csv.DictReader(file)] == ["Pandora"]
    with (folder / "pulls_per_arm.csv").open() as file:
        assert [row["arm"] for row in csv.DictReader(file)] == ["slow", "right", "dear"]
    assert (folder / "evaluations.png").read_bytes().startswith(b"\x89PNG")
    assert len(list((folder / "cells").iterdir())) == 1
    again = satisfice("simulate", "small.toml", "--out", "results/small")
    assert again == done


def test_bounds_says_what_it_can_and_why_it_cannot(satisfice):
    done = satisfice("bounds", "small.toml", "-n", "20")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("small: a good arm exists, error rate 0.1\n")
    assert "MultiTUCB, AlphaBoundary: mean of 20 simulated runs" in done.out
    assert "an oracle that names right, at error rate 0.0333" in done.out
    assert "no lower bound as printed: Expected means in [0, 1]" in " ".join(done.out.split())
    assert "simulated runs" not in satisfice("bounds", "small.toml", "-n", "0").out


def test_bounds_in_json(satisfice):
    found = json.loads(satisfice("bounds", "small.toml", "--json", "-n", "0").out)
    said = sf.load_instance("small.toml").instance
    assert found["practical_limit"] == sf.theory.needs(said.problem, said.arms.means).practical_limit()
    assert found["simulated"] == found["oracle_floors"] == []
    found = json.loads(satisfice("bounds", "small.toml", "--json", "-n", "5").out)
    assert {runs["repetitions"] for runs in found["simulated"]} == {5}
    expected = [sf.oracle_floor(said, shared=shared, repetitions=50, seed=7).as_dict() for shared in (False, True)]
    assert found["oracle_floors"] == expected


def test_bounds_without_a_noise_scale(satisfice, edited):
    edited('"speed >= 0.5 ~ 0.1 : normal(1)", "cost <= 1 ~ 0.1 : normal(2)"]', '"speed >= 0.5", "cost <= 1"]')
    edited_again = Path("small.toml").read_text().replace("[arms]", "[arms]\nsds = [1, 2]")
    Path("small.toml").write_text(edited_again)
    done = satisfice("bounds", "small.toml", "-n", "10")
    assert (done.code, done.err) == (0, "")
    assert "MultiTUCB, AlphaBoundary" not in done.out
    assert "The paper is about noise of known scale" in " ".join(done.out.split())
    found = json.loads(satisfice("bounds", "small.toml", "-n", "0", "--json").out)
    said = sf.load_instance("small.toml").instance
    assert found["practical_limit"] == sf.theory.needs(said.problem, said.arms.means, spread=[1, 2]).practical_limit()
    assert found["upper_bound"] is None


def test_bounds_of_arms_that_nobody_can_tell(satisfice, edited):
    edited('"speed >= 0.5 ~ 0.1 : normal(1)", "cost <= 1 ~ 0.1 : normal(2)"]', '"speed >= 0 : normal(1)"]')
    Path("small.toml").write_text(Path("small.toml").read_text().replace(MEANS, "means = [[0.0], [-1.0], [-1.0]]"))
    done = satisfice("bounds", "small.toml", "-n", "1", "--json")
    assert "just at a threshold" in json.loads(done.out)["reasons"]["oracle_floors"]


SWEEP = ("--error-rate", "0.2", "--error-rate", "0.1", "--tolerance", "0.05", "--tolerance", "0.5")
SWEEP += ("-r", "multitucb", "--stopping", "alpha")


def test_a_file_gets_all_columns(satisfice):
    head = satisfice("simulate", "small.toml", *SWEEP).out.splitlines()[3]
    for name in ("rate", "tolerance", "mean", "sd", "median", "90 %", "99 %", "wrong %", "out %"):
        assert name in head


@pytest.mark.parametrize("columns", [40, 70, 80, 140])
def test_a_narrow_screen_loses_columns_and_no_digits(columns, satisfice, monkeypatch):
    monkeypatch.setenv("COLUMNS", str(columns))
    done = satisfice("simulate", "small.toml", *SWEEP)
    assert "…" not in done.out
    lines = done.out.splitlines()
    assert any("mean" in line and "wrong %" in line for line in lines)
    if columns >= 70:
        assert max(map(len, lines)) <= columns
    assert ("no room for" in done.out) == (columns < 80)


def test_python_m_satisfice_is_the_same_program():
    done = subprocess.run([sys.executable, "-m", "satisfice", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"satisfice {sf.__version__}\n"


def test_a_rule_is_found_in_the_current_folder_and_hides_no_package(tmp_path):
    """As the installed program sees it, which does not have the current folder on its path.

    The rule is not complete, so that nothing need be compiled: docs/how-to/add-a-rule.md runs a whole one this way.
    """
    (tmp_path / "json.py").write_text("raise RuntimeError('a file of the user was taken for a package')\n")
    (tmp_path / "mine.py").write_text("class Half:\n    def bonus(self, pulls, setting):\n        return 0.0\n")
    (tmp_path / "small.toml").write_text('thresholds = ["a >= 1 : normal(1)"]\n[arms]\nmeans = [[2.0]]\n')
    program = "import sys; sys.path.remove(''); from satisfice.cli import main; main()"
    words = ["simulate", "small.toml", "-r", "mine:Half"]
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "A sampling rule must be a NamedTuple" in done.stderr
    assert "Half lacks priority" in done.stderr


def test_the_installed_program_answers():
    program = os.path.join(os.path.dirname(sys.executable), "satisfice")
    done = subprocess.run([program, "rules"], capture_output=True, text=True, check=True)
    assert "multitucb" in done.stdout
