"""Commands that show names of users, with names that steer a terminal, a page, a spreadsheet or a CI: they are shown.

Before, [/data] ended run, status and list with a MarkupError, ESC reached the terminal, formulas reached spreadsheets,
and a line that began with ::error:: was a command to the CI.
"""

import csv
import io
import json
import re
from html.parser import HTMLParser

import pyarrow.parquet as pq
import pytest
from rich.console import Console

import satisfice as sf
from satisfice.show.live import Moment, live_view
from tests.helpers.hostile import COLOUR, NAMES, check_shown, hidden

WIDTHS = (40, 80, 200)
STUDY = "[/x]\x1b[2J=1\u202e"
REASON = "it said [/red]\x1b[31m\n::error::x\n\u202eFOUND"
SHOWN = ("[/data]", "[::1]:80", "[red]x", ":boom:", "\\x1b[2J", "e\u0301t", "👨\u200d👩\u200d👧")


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A database with a study of all these names, each by itself and as a parameter, with a failure."""
    path = tmp_path_factory.mktemp("hostile") / "h.db"
    configs = {name: {"x": name} for name in NAMES.values()}
    storage = f"sqlite:///{path}"
    with sf.create_study(
        configs, ["a <= 5 : normal(1)"], storage=storage, name=STUDY, goal="all", on_error="retry"
    ) as study:
        study.fail(study.ask(), REASON)
        for pull in study.ask(2 * len(NAMES)):
            study.tell(pull, {"a": 1.0 + pull.number % 3})
    grid = sf.grid(**{"[/k]": list(NAMES.values())})
    with sf.create_study(grid, ["a <= 5 : normal(1)"], storage=storage, name="grid") as study:
        study.tell(study.ask(), {"a": 1.0})
        study.fail(study.ask(), REASON)
    return storage


@pytest.mark.parametrize("columns", WIDTHS)
def test_tables_and_sentences_show_names_and_obey_none(kept, satisfice, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    for words in (("status",), ("explain",), ("verify",)):
        for name in (STUDY, "grid"):
            done = satisfice(*words, kept, "--name", name)
            check_shown(done.out + done.err)
            assert done.code in (0, 3, 4)
            if words != ("verify",):
                assert all(text[: columns // 3] in done.out for text in SHOWN), (words, name)
    done = satisfice("list", kept)
    check_shown(done.out + done.err)
    assert "[/x]\\x1b[2J=1\\u202e" in done.out


def test_a_table_is_no_wider_than_its_screen(kept, satisfice, monkeypatch):
    for columns in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(columns))
        lines = satisfice("status", kept, "--name", "grid").out.split("\n")[:-2]  # the verdict is never broken
        assert max(len(line) for line in lines) <= columns + len("\\x3a")


@pytest.mark.parametrize("columns", WIDTHS)
def test_the_live_table(kept, columns):
    for name in (STUDY, "grid"):
        with sf.load_study(kept, name) as study:
            view = study.view()
        evaluating = dict.fromkeys(view.configs, 2)
        moment = Moment(view.name, view.problem, view.verdict, view.statuses, view.configs, evaluating)
        screen = io.StringIO()
        console = Console(file=screen, force_terminal=True, color_system="standard", width=columns, height=60)
        console.print(live_view(moment, console))
        assert hidden(COLOUR.sub("", screen.getvalue())) == set()
        assert "[/data]" in screen.getvalue()


def test_errors_show_what_came_and_obey_it_not(kept, satisfice):
    for words in (
        ("status", kept, "--name", "\x1b[2J\n::error::x"),
        ("status", "sqlite:///\x1b[2J::error::x"),
        ("status", "\x1b[2J\n::error::x://"),
        ("explain", kept, "--name", "grid", "--config", "\x1b[2J\n::error::x"),
        ("export", kept, "--name", "grid", "--format", "\x1b[2J\n::error::x"),
        ("run", "--config", "a", "-t", "a\x1b[2J <=\u202e 5\n::error::x", "--", "echo"),
        ("run", "--config", "a", "-t", "a <= 5", "--rule", "\x1b[2J\n::error::x", "--", "echo"),
        ("run", "--config", "a", "-t", "a <= 5", "--", "\x1b[2J\n::error::x"),
        ("run", "--config", "a", "-t", "a <= 5", "--worst", "\x1b[2J\n::error::x=1", "--", "echo"),
        ("run", "\x1b[2J\n::error::x.toml"),
        ("run", "--\x1b[2J\n::error::x"),
        ("status", "a", "\x1b[2J\n::error::x"),
        ("\x1b[2J\n::error::x",),
    ):
        done = satisfice(*words)
        assert (done.code in (1, 2), done.out) == (True, ""), words
        check_shown(done.err)


def test_a_run_says_what_failed_and_obeys_it_not(satisfice, monkeypatch):
    program = r"""printf '[/red]\033[2J\n::error::x\n\302\2332J' >&2; exit 3"""
    done = satisfice("run", "-L", "x=[/data],::error::x", "-t", "a <= 5", "--name", STUDY, "--", "sh", "-c", program)
    assert done.code == 1
    check_shown(done.err)
    assert "[/red]" in done.err  # kept reasons are without control sequences
    good = """echo '{"a": 1, "\\u001b[2J": 2}'"""
    words = ["-t", "a <= 5 : normal(1)", "--storage", "memory", "--", "sh", "-c", good]
    for columns in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(columns))
        done = satisfice("run", "-L", "x=[/data],::error::x,\x1b[2J", "--goal", "all", *words)
        assert done.code == 0
        check_shown(done.out + done.err)
        found = done.out.removeprefix("FOUND  ").split("   ")[0]  # in the order in which they were found
        assert sorted(found.split(", ")) == ["x=::error::x", "x=[/data]", "x=\\x1b[2J"]


def test_a_worker_too(kept, satisfice):
    done = satisfice("worker", "--storage", kept, "--name", STUDY, "--", "sh", "-c", "echo '[/r]\033[2J' >&2; exit 1")
    assert done.code == 1
    check_shown(done.out + done.err)


def test_json_is_exact(kept, satisfice):
    document = json.loads(satisfice("status", kept, "--name", STUDY, "--json").out)
    assert [one["parameters"]["x"] for one in document["configs"]] == list(NAMES.values())
    rows = json.loads(satisfice("export", kept, "--name", STUDY, "--configs", "-f", "json").out)
    assert [row["x"] for row in rows] == list(NAMES.values())
    assert REASON in [
        row["failure"] for row in json.loads(satisfice("export", kept, "--name", STUDY, "-f", "json").out)
    ]


def test_parquet_is_exact(kept, satisfice, folder):
    satisfice("export", kept, "--name", STUDY, "--configs", "--out", folder / "c.parquet")
    assert pq.read_table(folder / "c.parquet")["x"].to_pylist() == list(NAMES.values())


def test_no_cell_of_a_csv_file_is_a_formula(kept, satisfice, folder):
    for more in ((), ("--configs",)):
        satisfice("export", kept, "--name", STUDY, *more, "--out", folder / "c.csv")
        cells = [cell for row in csv.reader(io.StringIO((folder / "c.csv").read_text())) for cell in row]
        assert not any(re.match(r"[=+@\t\r\n]|-(?!\d)", cell) for cell in cells)
        printed = satisfice("export", kept, "--name", STUDY, *more).out
        assert "\n::error::" not in printed
    assert {"'=1+1", "'-O2", "'@SUM(cmd|' /C calc'!A0)", "[/data]", "a|b"} <= set(cells)


def test_numbers_of_a_csv_file_stay_numbers(satisfice, folder):
    configs = {"low": {"x": -1.5, "y": "-3"}, "high": {"x": 2, "y": "+x"}}
    sf.create_study(configs, ["a <= -5 : normal(1)"], storage=f"sqlite:///{folder / 'n.db'}").close()
    rows = list(csv.DictReader(io.StringIO(satisfice("export", "sqlite:///n.db", "--configs").out)))
    assert [(row["x"], row["y"]) for row in rows] == [("-1.5", "-3"), ("2", "'+x")]


def test_a_markdown_table_has_a_line_for_each_row_and_no_links(kept, satisfice):
    printed = satisfice("export", kept, "--name", STUDY, "--configs", "-f", "markdown").out
    check_shown(printed)
    lines = printed.rstrip("\n").split("\n")
    assert len(lines) == 2 + len(NAMES)
    bars = {line.replace("\\|", "").count("|") for line in lines}
    assert len(bars) == 1
    assert "\\[x\\](https\\://example.org)" in printed
    assert "\\`rm\\`" in printed
    assert "<script" not in printed


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.texts = set(), set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data):
        self.texts.append(data)


def test_a_report_is_only_our_own_html(kept, satisfice, folder):
    done = satisfice("report", kept, "--name", STUDY, "--out", folder / "r.html")
    check_shown(done.out)
    page = (folder / "r.html").read_text(encoding="utf-8")
    seen = Tags()
    seen.feed(page)
    assert page.count("<script") == page.count("</script>") == 3  # our own
    assert not any(name.startswith("on") for name in seen.attributes)
    assert hidden(page) == set()
    assert {"<script>alert(1)</script>", "&lt;b&gt;", "[/data]"} <= set(seen.texts)


def test_instances(satisfice, edited, folder, monkeypatch):
    edited('name = "small"', 'name = "[/x]\\u001b[2J::error::$x\\u202e"')
    text = (folder / "small.toml").read_text()
    (folder / "small.toml").write_text(
        text.replace('"slow", "right"', '"[/data]", "=1\\u001b[2J\\n::error::$\\\\frac{$x"')
    )
    for columns in WIDTHS:
        monkeypatch.setenv("COLUMNS", str(columns))
        simulate = ["simulate", "small.toml", "-n", "2", "--out", "made"]  # made once, and shown again
        for words in (["bounds", "small.toml", "-n", "0"], simulate):
            done = satisfice(*words)
            assert done.code == 0, done.err
            check_shown(done.out + done.err)
            assert "[/x]" in done.out
    rows = csv.reader(io.StringIO((folder / "made" / "pulls_per_arm.csv").read_text()))
    assert not any(cell.startswith("=") for row in rows for cell in row)
