"""What a CI sees: JUnit against its schema, Markdown, GitHub's summary, annotations and outputs, and the Action."""

import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import xmlschema
import yaml

ROOT = Path(__file__).parent.parent.parent
SCHEMA = xmlschema.XMLSchema(ROOT / "tests" / "helpers" / "junit.xsd")
PASSES, FAILS = "print('{{\"x\": 1}}')", "print('{{\"x\": 0}}')"
LIMIT = ["-t", "x >= 0.5 ~ 0.1 : bernoulli", "--storage", "memory"]
MIXED = "import sys; print('{{\"x\": %d}}' % (sys.argv[1] == 'b'))"


def program(code=PASSES):
    return ["--", sys.executable, "-c", code, "{config}"]


def cases_of(path):
    """Name and result of each test case of a report that keeps to the schema."""
    SCHEMA.validate(path)
    root = ElementTree.parse(path).getroot()
    suite = root[0]
    cases = [(one.get("name"), one[0].tag if len(one) else "passed") for one in suite.iter("testcase")]
    for key, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.get(key)) == sum(result == tag for _, result in cases)
    assert int(suite.get("tests")) == len(cases)
    return cases


def test_a_verdict_is_a_junit_report(satisfice, folder):
    junit = folder / "out" / "report.xml"
    done = satisfice("run", "--config", "a", "--config", "b", *LIMIT, "--junit", junit, *program(MIXED))
    assert done.code == 0
    cases = cases_of(junit)
    assert cases[0] == ("verdict", "passed")
    assert dict(cases)["b"] == "passed"
    assert dict(cases)["a"] == "skipped"
    assert "every result is 0 or 1" in junit.read_text()


def test_none_is_a_failure_of_all(satisfice, folder):
    done = satisfice("run", "--config", "a", *LIMIT, "--junit", "report.xml", *program(FAILS))
    assert done.code == 3
    assert cases_of(folder / "report.xml") == [("verdict", "failure"), ("a", "failure")]
    assert "rejected after" in (folder / "report.xml").read_text()


@pytest.mark.parametrize("as_what", ["skipped", "failure", "error"])
def test_undecided_is_a_state_of_its_own(satisfice, folder, as_what):
    words = ["--junit", "report.xml", "--junit-undecided", as_what, "--max-evaluations", "2"]
    done = satisfice("run", "--config", "a", *LIMIT, *words, *program())
    assert done.code == 4
    assert cases_of(folder / "report.xml") == [("verdict", as_what), ("a", "skipped")]


def test_a_run_that_stopped_is_an_error_and_no_old_report_is_left(satisfice, folder):
    (folder / "report.xml").write_text("of last week")
    done = satisfice("run", "--config", "a", *LIMIT, "--junit", "report.xml", *program("raise SystemExit(7)"))
    assert done.code == 1
    assert cases_of(folder / "report.xml") == [("verdict", "error")]


def test_hostile_names_are_data_in_every_report(satisfice, folder, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    name = "<b>]]>&\x1b[31m|"
    words = ["--config", name, *LIMIT, "--junit", "report.xml", "--github", "--max-evaluations", "2"]
    done = satisfice("run", *words, *program())
    assert done.code == 4
    assert cases_of(folder / "report.xml")[1][0] == "<b>]]>&\\x1b[31m|"
    page = (folder / "summary.md").read_text()
    assert "<b>" not in page
    assert "\x1b" not in page
    commands = [line for line in done.err.splitlines() if line.startswith("::")]
    assert len(commands) == 1
    assert commands[0].startswith("::warning title=satisfice%3A UNDECIDED::UNDECIDED")


def test_github_gets_a_summary_an_annotation_and_outputs(satisfice, folder, monkeypatch):
    for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"):
        monkeypatch.setenv(name, str(folder / name))
    (folder / "GITHUB_STEP_SUMMARY").write_text("before\n")
    done = satisfice("run", "--config", "a", "--config", "b", *LIMIT, "--github", "-q", *program(MIXED))
    assert done.out.startswith("FOUND  b")
    assert done.err.startswith("::notice title=satisfice%3A FOUND::FOUND  b   ")
    assert "5 %25" in done.err
    summary = (folder / "GITHUB_STEP_SUMMARY").read_text()
    assert summary.startswith("before\n## satisfice: ")
    assert "**FOUND** b " in summary
    assert "| config | decision | evaluations | x >= 0.5 |" in summary
    outputs = dict(line.split("=", 1) for line in (folder / "GITHUB_OUTPUT").read_text().splitlines())
    assert (outputs["outcome"], outputs["config"]) == ("FOUND", "b")
    assert int(outputs["evaluations"]) > 0


def test_the_same_page_goes_to_a_file(satisfice, folder):
    done = satisfice("run", "--config", "a", *LIMIT, "--markdown", "verdict.md", *program(FAILS))
    assert done.code == 3
    assert (folder / "verdict.md").read_text().splitlines()[2].startswith("**NONE** ")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--github"], "this is no step of GitHub Actions"),
        (["--junit-undecided", "green"], "Expected --junit-undecided as skipped, failure or error, got 'green'"),
        (["--junit", "small.toml/x.xml"], "The report cannot be written to small.toml/x.xml"),
    ],
)
def test_what_cannot_be_reported_is_said_before_anything_runs(satisfice, folder, monkeypatch, words, said):
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    done = satisfice("run", "--config", "a", *LIMIT, *words, *program(f"open({str(folder / 'ran')!r}, 'w')"))
    assert done.code == 2
    assert said in done.err
    assert not (folder / "ran").exists()


def test_a_summary_that_cannot_be_written_is_a_sentence(satisfice, folder, monkeypatch):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder))
    done = satisfice("run", "--config", "a", *LIMIT, "--github", *program())
    assert done.code == 2
    assert "The runner's user must be allowed to write there" in done.err


def run_action(folder, **inputs):
    """The script of the Action as GitHub's runner starts it."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    said = {f"SATISFICE_ACTION_{name.upper()}": value for name, value in inputs.items()}
    runner = {
        **{"GITHUB_ACTIONS": "true", "GITHUB_ACTION_PATH": str(ROOT), "GITHUB_WORKSPACE": str(folder)},
        **{name: str(folder / name) for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")},
    }
    script = [sys.executable, str(ROOT / "ci" / "github_action.py")]
    return subprocess.run(script, env=kept | runner | said, cwd=folder, capture_output=True, text=True, check=False)


def study_file(folder, code):
    text = f"""thresholds = ["x >= 0.5 ~ 0.1 : bernoulli"]
command = ["{sys.executable}", "-c", '''{code}''']
[configs]
a = {{}}
"""
    (folder / "gate.toml").write_text(text)


def test_the_action_runs_a_study_and_ends_as_its_verdict_says(tmp_path):
    study_file(tmp_path, PASSES)
    done = run_action(tmp_path, study="gate.toml", install="none", junit="report.xml", report="report.html")
    assert done.returncode == 0, done.stderr
    assert "outcome=FOUND" in (tmp_path / "GITHUB_OUTPUT").read_text()
    assert "**FOUND** a" in (tmp_path / "GITHUB_STEP_SUMMARY").read_text()
    assert cases_of(tmp_path / "report.xml") == [("verdict", "passed"), ("a", "passed")]
    assert "<html" in (tmp_path / "report.html").read_text()
    study_file(tmp_path, FAILS)
    none = run_action(tmp_path, study="gate.toml", arguments="--fresh", install="none", undecided="fail")
    assert none.returncode == 3
    assert "::error title=satisfice%3A NONE::" in none.stderr


def test_undecided_passes_with_a_warning_unless_it_shall_fail(tmp_path):
    words = f"--config a -t 'x >= 0.5 : bernoulli' --max-evaluations 2 -- {sys.executable} -c \"{PASSES}\""
    words = words.replace('{{"x": 1}}', '{{\\"x\\": 1}}')
    assert run_action(tmp_path, arguments=words, install="none").returncode == 0
    failing = run_action(tmp_path, arguments=words, install="none", undecided="fail")
    assert failing.returncode == 4
    assert "::warning title=satisfice%3A UNDECIDED::" in failing.stderr


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ({}, "Expected a study file in the input study"),
        ({"study": "x.toml", "undecided": "maybe"}, "Expected the input undecided as pass or fail, got 'maybe'"),
        ({"arguments": "--name 'open"}, "cannot be split into words"),
    ],
)
def test_inputs_that_make_no_sense_are_an_annotation(tmp_path, inputs, said):
    done = run_action(tmp_path, install="none", **inputs)
    assert done.returncode == 2
    assert done.stderr.startswith("::error title=satisfice::")
    assert said in done.stderr


def test_an_input_is_never_part_of_a_script():
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    (step,) = action["runs"]["steps"]
    assert "${{" not in step["run"]
    assert {name.removeprefix("SATISFICE_ACTION_").lower() for name in step["env"]} == set(action["inputs"])
    script = (ROOT / "ci" / "github_action.py").read_text()
    assert all(f'given("{name.upper()}")' in script for name in action["inputs"])


def test_the_job_of_gitlab_knows_the_states_apart():
    job = yaml.safe_load((ROOT / "ci" / "gitlab.yml").read_text())[".satisfice"]
    assert job["allow_failure"] == {"exit_codes": 4}
    written = job["script"][0].split()
    assert job["artifacts"]["reports"]["junit"] == written[written.index("--junit") + 1]
    assert written[written.index("--markdown") + 1] in job["artifacts"]["paths"]
