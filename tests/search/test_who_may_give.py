"""Capital that an arm holds goes on to another only while the holder has nothing under way, whoever it is."""

import numpy as np

from satisfice.search.entrust import may_give


def test_every_holder_has_to_have_nothing_under_way_the_first_too():
    under_way = np.array([2, 0, 1])
    assert [may_give(holder, under_way) for holder in (-1, 0, 1, 2)] == [True, False, True, False]
    assert [may_give(holder, None) for holder in (-1, 0, 1, 2)] == [True] * 4
