"""Looking at a study: status, explain, verify, list, export, report; and working for it."""

import csv
import io
import json
import re
from html.parser import HTMLParser

import pyarrow.parquet
import pytest

import satisfice as sf
from tests.cli.conftest import GRID, PROGRAM, THRESHOLDS

URL = "sqlite:///iot.db"


def test_status_shows_the_table_and_the_verdict(radio, satisfice, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    done = satisfice("status", URL)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].startswith("radio: p90(latency_ms) <= 100")
    assert sum("✓ passes" in line for line in lines) == 1
    assert lines[-1].startswith("FOUND  codec=lc3 txpower=8 ")
    assert "assuming p90(latency_ms): results of any distribution" in done.out
    said = json.loads(satisfice("status", URL, "--json").out)
    assert said["config"] == "codec=lc3 txpower=8"


def test_status_of_an_undecided_study_has_its_exit_code(bench, satisfice):
    satisfice("run", *GRID, *THRESHOLDS, "--max-evaluations", "5", "--storage", URL, *PROGRAM)
    done = satisfice("status", URL)
    assert done.code == 4
    assert done.out.splitlines()[-1].startswith("UNDECIDED   5 evaluations")


def test_status_with_a_forecast_says_what_is_left(bench, satisfice):
    satisfice("run", *GRID, *THRESHOLDS, "--max-evaluations", "30", "--storage", URL, *PROGRAM)
    assert "forecast" not in satisfice("status", URL).out
    words = " ".join(satisfice("status", URL, "--forecast").out.split())
    assert re.search(r"forecast: (about|more than) [\d,]+ evaluations in all at the present estimates", words)
    assert "simulated runs" in words
    assert json.loads(satisfice("status", URL, "--forecast", "--json").out)["forecast"]["at"] == 30


def test_explain_says_why(bench, satisfice):
    words = [*GRID, *THRESHOLDS, "--goal", "all", "--storage", URL, "--jobs", "2"]
    assert satisfice("run", *words, *PROGRAM).code == 0
    one = satisfice("explain", URL, "--config", "txpower=12,codec=opus")
    pattern = (
        r"rejected after \d+ evaluations: energy_mj is above 50 \(estimate [\d.]+, 95 % interval [\d.]+ to [\d.]+\)\n"
    )
    measured = r"measured: \./bench\.sh --codec {codec} --tx {txpower} \(bench\.sh [\d,]+ bytes, sha256 \w{8}\) on .*\n"
    assert re.fullmatch(pattern + measured, one.out)
    assert satisfice("explain", URL, "--config", "codec=opus txpower=12").out == one.out
    everything = satisfice("explain", URL).out.splitlines()
    assert len(everything) == 10
    assert "codec=opus txpower=12: " + one.out.splitlines()[0] in everything
    assert everything[-1] == one.out.splitlines()[-1]
    said = json.loads(satisfice("explain", URL, "--json", "--config", "codec=opus,txpower=12").out)
    assert (said[0]["binding"], said[0]["decision"]) == ("energy_mj", "rejected")
    assert said[0]["subject"] == json.loads(satisfice("status", URL, "--json").out)["subject"]
    assert said[0]["subject"]["words"][0] == "./bench.sh"


def test_verify_recomputes_and_knows_a_seal(radio, satisfice):
    done = satisfice("verify", URL)
    assert (done.code, done.err) == (0, "")
    assert re.match(r"radio: \d+ events verified, head \w{16}   FOUND  codec=lc3 txpower=8 ", done.out)
    seal = re.search(r"head (\w+)", done.out)[1]
    assert satisfice("verify", URL, "--head", seal).code == 0
    other = satisfice("verify", URL, "--head", "0" * 16)
    assert other.code == 1
    assert "does not contain the seal" in other.err
    assert json.loads(satisfice("verify", URL, "--json").out)["verified"] is True


def test_list(radio, satisfice):
    satisfice("run", *GRID, *THRESHOLDS, "--max-evaluations", "3", "--storage", URL, "--name", "short", *PROGRAM)
    done = satisfice("list", URL)
    assert done.code == 0
    assert [line.split()[0] for line in done.out.splitlines()] == ["study", "radio", "short"]
    rows = json.loads(satisfice("list", URL, "--json").out)
    assert [(row["study"], row["outcome"]) for row in rows] == [("radio", "FOUND"), ("short", "UNDECIDED")]


def test_export_in_every_format_says_the_same(radio, satisfice):
    rows = list(csv.DictReader(io.StringIO(satisfice("export", URL).out)))
    with sf.load_study(URL) as study:
        evaluations = list(study.evaluations())
    assert [float(row["latency_ms"]) for row in rows] == [one.results["latency_ms"] for one in evaluations]
    as_json = json.loads(satisfice("export", URL, "-f", "json").out)
    assert [row["config"] for row in as_json] == [row["config"] for row in rows]
    assert satisfice("export", URL, "-o", "out/all.parquet").out == ""
    table = pyarrow.parquet.read_table(radio / "out" / "all.parquet").to_pylist()
    for row in table:
        row |= {name: f"{row[name]:%Y-%m-%dT%H:%M:%S.%fZ}" for name in ("asked_at", "told_at")}
    assert table == as_json
    assert [list(row) for row in (rows[0], as_json[0])] == [list(table[0])] * 2
    markdown = satisfice("export", URL, "-f", "markdown").out.splitlines()
    assert len(markdown) == len(rows) + 2
    assert markdown[0].startswith("| number | config |")


def test_export_of_configurations(radio, satisfice):
    satisfice("export", URL, "--configs", "-o", "configs.csv")
    rows = list(csv.DictReader(io.StringIO((radio / "configs.csv").read_text())))
    assert [(row["codec"], row["txpower"]) for row in rows][:2] == [("opus", "4"), ("opus", "8")]
    best = next(row for row in rows if row["decision"] == "accepted")
    low, middle, high = (float(best[f"p90(latency_ms){end}"]) for end in ("_low", "", "_high"))
    assert low < middle < high <= 110
    satisfice("export", URL, "--configs", "-o", "configs.parquet")
    assert pyarrow.parquet.read_table(radio / "configs.parquet").num_rows == 9


class Outside(HTMLParser):
    """Collects what a page would load from elsewhere, and checks that tags are closed."""

    def __init__(self):
        super().__init__()
        self.loads, self.open, self.tags = [], [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.loads += [value for name, value in attributes if name in {"src", "href"} and value[:1] != "#"]
        if tag not in {"meta"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_report_is_one_file_that_needs_nothing_else(radio, satisfice):
    done = satisfice("report", URL, "-o", "out/report.html")
    assert (done.code, done.out) == (0, "radio: out/report.html\n")
    page = (radio / "out" / "report.html").read_text(encoding="utf-8")
    parser = Outside()
    parser.feed(page)
    assert parser.loads == []
    assert parser.open == []
    assert parser.tags.count("svg") > 3 * 9  # every configuration at every limit
    assert "@import" not in page
    assert "url(" not in page
    for part in ("FOUND", "codec=lc3 txpower=8", "wrong with probability at most 5 %", "accepted after", "independent"):
        assert part in page


def test_the_report_of_a_study_with_failures_and_odd_names(bench, satisfice):
    words = ["--config", "<b>&", "--config", "other", "-t", "a <= 5 : bounded(0, 9)", "--on-error", "worst"]
    program = 'test $((SATISFICE_NUMBER % 4)) = 1 && { echo "<script>" >&2; exit 1; }; echo "{\\"a\\": 4}"'
    satisfice("run", *words, "--max-evaluations", "20", "--", "sh", "-c", program)
    assert satisfice("report").code == 0
    page = (bench / "report.html").read_text(encoding="utf-8")
    parser = Outside()
    parser.feed(page)
    assert parser.open == []
    assert parser.tags.count("script") == 3  # our own
    page = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "&lt;b&gt;&amp;" in page
    assert "counts as the worst result" in page


def test_the_report_of_a_study_that_has_not_begun(bench, satisfice):
    sf.create_study(["a", "b"], ["x <= 1 : normal(1)"], storage=f"sqlite:///{bench}/new.db").close()
    assert satisfice("report", "sqlite:///new.db").code == 0
    assert satisfice("status", "sqlite:///new.db").code == 4
    assert "not evaluated yet" in (bench / "report.html").read_text(encoding="utf-8")


EVALUATE = """
import random
def evaluate(config):
    return {"x": random.gauss(config["mean"], 0.1)}
def crash(config):
    raise ValueError("no bench")
"""


@pytest.fixture
def work(bench):
    """A study that waits for workers, and a module with functions that evaluate."""
    (bench / "mine.py").write_text(EVALUATE)
    configs = {"low": {"mean": 0.2}, "high": {"mean": 0.9}}
    sf.create_study(configs, ["x >= 0.5 : normal(0.1)"], storage=f"sqlite:///{bench}/work.db", name="w").close()
    return bench


def test_a_worker_with_a_function(work, satisfice, monkeypatch):
    monkeypatch.syspath_prepend(work)
    done = satisfice("worker", "--storage", "sqlite:///work.db", "--jobs", "2", "mine:evaluate")
    assert done.code == 0
    assert done.out.startswith("FOUND  high ")
    assert "working for 'w'" in done.err
    again = satisfice("worker", "--storage", "sqlite:///work.db", "-q", "mine:evaluate")
    assert again.out == done.out
    assert re.search(r"'w' was decided on .* UTC by \d+ evaluations of .*; nothing was run\n$", again.err)


def test_a_worker_with_a_program(work, satisfice):
    done = satisfice("worker", "--storage", "sqlite:///work.db", "-m", "x=/x: (.*)/", "--", "echo", "x: {mean}")
    assert done.code == 0
    assert done.out.startswith("FOUND  high ")


def test_a_worker_whose_function_fails(work, satisfice, monkeypatch):
    monkeypatch.syspath_prepend(work)
    done = satisfice("worker", "--storage", "sqlite:///work.db", "mine:crash")
    assert done.code == 1
    assert "no bench" in done.err
    assert "Traceback" not in done.err


def test_the_storage_of_the_environment(radio, satisfice, monkeypatch):
    monkeypatch.setenv("SATISFICE_STORAGE", URL)
    assert satisfice("verify").code == 0
    assert satisfice("list").out.splitlines()[1].startswith("radio")


def test_a_backup_on_the_command_line(satisfice, radio):
    done = satisfice("backup", "sqlite:///iot.db", "copy.db")
    assert (done.code, done.out) == (0, "copied 1 study to copy.db\n")
    assert satisfice("status", "sqlite:///copy.db").out == satisfice("status", "sqlite:///iot.db").out
    done = satisfice("backup", "sqlite:///iot.db", "copy.db")
    assert done.code == 2
    assert "There is a file 'copy.db' already" in done.err
