"""Tables of a study, cell by cell."""

from math import inf

import pytest

from satisfice.cli.export_formats import estimated
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
