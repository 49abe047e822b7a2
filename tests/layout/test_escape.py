"""Text of others, escaped for where it goes."""

import json
import re

import pytest

from satisfice.layout import escape
from tests.helpers.hostile import NAMES, check_shown, hidden

PLAIN = (
    "codec=opus txpower=4",
    "latency_ms",
    "std::sort",
    "C:\\temp",
    "é",
    "e\u0301",
    "👨\u200d👩\u200d👧",
    "::1",
    "日本",
)


@pytest.mark.parametrize("text", PLAIN)
def test_what_steers_nothing_stays_as_it_is(text):
    assert escape.visible(text) == escape.log_line(text) == escape.log_lines(text) == text
    assert escape.csv_cell(text) == text
    assert escape.html_text(text) == text
    assert escape.markdown_text(text) == text
    assert escape.figure_text(text) == text


@pytest.mark.parametrize("case", NAMES)
def test_nothing_steers_a_log(case):
    check_shown(escape.log_line(NAMES[case]))
    check_shown(escape.log_lines(f"  {NAMES[case]}\n{NAMES[case]}"))
    assert "\n" not in escape.log_line(NAMES[case])


def test_controls_are_written_as_python_writes_them():
    assert (
        escape.visible("a\x1b[2J\r\n\t\x07\x9b\u202e\ud800\ufeff")
        == "a\\x1b[2J\\r\\n\\t\\x07\\x9b\\u202e\\ud800\\ufeff"
    )


def test_commands_of_a_ci_are_no_commands_wherever_a_line_begins():
    said = escape.log_lines("x\n::error file=a::x\n  ::warning::y\n##[error]x\n##vso[task]x\n##teamcity[x]")
    assert not re.search(r"^\s*::|##\[|##vso|##teamcity", said, re.MULTILINE)


def test_json_is_one_line_that_reads_back():
    document = {"names": list(NAMES.values())}
    text = escape.json_text(document)
    assert json.loads(text) == document
    assert "##[" not in text
    assert hidden(text) == set()


@pytest.mark.parametrize("value", [-1.5, 3, None, True, [1], "-3", "+1e5", "a=b", "x-y", ""])
def test_cells_that_no_spreadsheet_computes_stay(value):
    assert escape.csv_cell(value) is value


@pytest.mark.parametrize("text", ["=1", "+x", "-O2", "@x", "\tx", "\rx", "\nx", " =1", "\uff1d1"])
def test_formulas_are_texts(text):
    assert escape.csv_cell(text) == f"'{text}"


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("a;=1", "a;'=1"),
        ('a; "=1', "a; \"'=1"),
        ("a\r-1\n@x\t+y", "a\r'-1\n'@x\t'+y"),
        ("=1;=2", "'=1;'=2"),
        ("\n=x", "'\n'=x"),
        ("a;b=1;c", "a;b=1;c"),
    ],
)
def test_formulas_within_a_text_are_texts_where_a_spreadsheet_splits_it(text, cell):
    assert escape.csv_cell(text) == cell


def test_a_command_after_a_carriage_return_is_none():
    assert escape.without_commands("x\r ::error::y") == "x\r \\x3a:error::y"


def test_markdown_that_is_none():
    assert escape.markdown_text("[x](http://y) `c` *b* _i_ ~~s~~ <b> &amp; a|b $t$ \\*") == (
        "\\[x\\](http\\://y) \\`c\\` \\*b\\* \\_i\\_ \\~\\~s\\~\\~ &lt;b> &amp;amp; a\\|b \\$t\\$ \\\\\\*"
    )
