"""The stream of an ask is a function of the seed and of its number alone."""

import numpy as np

import satisfice as sf
from satisfice.search.live import philox_stream


def test_every_ask_has_its_own_stream_whatever_was_drawn_before():
    stream = philox_stream(42)
    for number in (3, 0, 10**12, 3):
        expected = np.random.Generator(np.random.Philox(key=42, counter=[0, 0, 0, number])).standard_normal(9)
        rng = stream(number)
        assert rng.standard_normal(9).tolist() == expected.tolist()
        rng.integers(10, dtype=np.int32)  # leaves half a number behind


def test_who_reads_of_choices_chooses_like_who_made_them():
    """Draws for more arms than are drawn anew at a choice leave scores behind, which later choices build on."""
    arms = [f"arm {place}" for place in range(100)]
    problem = sf.problem_of(["x >= 1 : normal(1)"], 1e-9)
    made, read = (sf.Search(problem, arms, rule="thompson", seed=3) for _ in range(2))
    results, under_way = np.random.default_rng(5), np.zeros(len(arms), dtype=np.int64)
    for number in range(140):
        arm = made.choose(number, under_way)
        read.take_choice(number, under_way, arm)
        value = float(results.normal())
        for search in (made, read):
            search.fold(arm, (value,))
    assert made.choose(140, under_way) == read.choose(140, under_way)
    for name, kept in made.state().items():
        assert kept.tobytes() == read.state()[name].tobytes(), name
