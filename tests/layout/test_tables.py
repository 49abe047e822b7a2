"""Tables as plain text and as Markdown."""

from satisfice.layout import markdown
from satisfice.layout.text_table import text_table


def test_a_text_table_aligns_words_left_and_numbers_right():
    text = text_table(("rule", "mean", "seen"), [("a", "1,000", "x"), ("longer", "7", "")], left=(0, 2))
    assert text.split("\n") == ["rule     mean  seen", "a       1,000  x", "longer      7"]


def test_a_text_table_without_rows_is_its_heads():
    assert text_table(("a", "bc"), []) == "a  bc"


def test_a_markdown_table():
    made = markdown.table(("what", "number"), [("one", "1"), ("two", "22")])
    assert made.split("\n") == ["| what | number |", "| :-- | --: |", "| one | 1 |", "| two | 22 |"]


def test_nothing_in_a_cell_ends_it():
    rows = [("x|y", "`p|q`"), ("already \\| escaped", "two\nlines")]
    assert markdown.table(("a", "b"), rows).split("\n")[2:] == [
        "| x\\|y | `p\\|q` |",
        "| already \\| escaped | two lines |",
    ]


def test_headings_and_plain_text():
    assert markdown.heading("In short") == "## In short"
    assert markdown.heading("Less", 3) == "### Less"
    assert markdown.escape("g_i* < 0, `a*b<c`") == "g_i\\* &lt; 0, `a*b<c`"
