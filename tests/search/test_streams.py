"""The stream of an ask is a function of the seed and of its number alone."""

import numpy as np

from satisfice.search.live import philox_stream


def test_every_ask_has_its_own_stream_whatever_was_drawn_before():
    stream = philox_stream(42)
    for number in (3, 0, 10**12, 3):
        expected = np.random.Generator(np.random.Philox(key=42, counter=[0, 0, 0, number])).standard_normal(9)
        rng = stream(number)
        assert rng.standard_normal(9).tolist() == expected.tolist()
        rng.integers(10, dtype=np.int32)  # leaves half a number behind
