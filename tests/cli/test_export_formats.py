"""Tables of a study, cell by cell."""

import csv
import io
import re
from math import inf

import pytest

from satisfice.cli.export_formats import as_csv, as_markdown, estimated
from satisfice.noise.process import Interval


@pytest.mark.parametrize(
    ("interval", "shown"),
    [
        (Interval(4.0, inf), "5.00 (at least 4.00)"),
        (Interval(-inf, 6.0), "5.00 (at most 6.00)"),
        (Interval(-inf, inf), "5.00"),
        (Interval(4.0, 6.0), "5.0 (4.0–6.0)"),
    ],
)
def test_an_interval_with_one_end_keeps_it(interval, shown):
    assert estimated(5.0, interval) == shown


ODD = ["FOUND\r=1+1", "x\r::error::y", "a;=1+1", 'b;"=1+1"', "c\n=1+1", "d\t@SUM(1)", "e\r\n  ::error::z", "plain"]


def test_a_csv_file_has_a_row_for_each_row_wherever_a_spreadsheet_splits_it():
    """Once a lone carriage return ended a row, before a formula."""
    text = "".join(as_csv({"name": ODD, "n": list(range(len(ODD)))}))
    assert [row[1] for row in csv.reader(io.StringIO(text, newline=""))] == ["n", *map(str, range(len(ODD)))]
    assert [row[1] for row in csv.reader(io.StringIO(text, newline=None))] == ["n", *map(str, range(len(ODD)))]
    for line in re.split("\r|\n", text):
        assert not [cell for cell in re.split("[;\t]", line) if cell.strip(' "').startswith(("=", "+", "-", "@"))]


def test_no_line_of_a_csv_file_is_a_command_of_a_ci():
    text = "".join(as_csv({"name": ODD, "lists": [["x\r::error::y", "a;=1"]] * len(ODD)}))
    assert not re.search("^ *::[a-z]", re.sub("\r|\n", "\n", text), re.MULTILINE)
    assert ";=" not in text


def test_a_page_has_no_line_that_a_value_began():
    text = as_markdown({"name": ODD})
    assert len(re.split("\r|\n", text.strip())) == len(ODD) + 2
