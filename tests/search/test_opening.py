"""The order in which arms are opened: a permutation of all of them, another for each seed, the same for ever."""

import numpy as np
import pytest

import satisfice as sf
from satisfice.search.opening import opened, permuted, scrambled, seed_from


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 16, 17, 100, 257])
@pytest.mark.parametrize("seed", [0, 1, 2**40 + 3])
def test_every_arm_has_one_place(count, seed):
    assert sorted(permuted(place, count, seed) for place in range(count)) == [*range(count)]


def test_another_seed_is_another_order_be_it_in_the_high_or_the_low_bits():
    orders = {tuple(permuted(place, 50, seed) for place in range(50)) for seed in (0, 1, 1 << 31, 1 << 32, 1 << 52)}
    assert len(orders) == 5


def test_each_arm_is_first_about_as_often_as_others():
    """2,000 seeds, ten arms: within five standard deviations, at the first place and at the last."""
    for place in (0, 9):
        first = np.bincount([permuted(place, 10, seed) for seed in range(2000)], minlength=10)
        assert np.abs(first - 200).max() < 5 * np.sqrt(2000 * 0.1 * 0.9)


def test_orders_are_those_of_logs_that_exist():
    """A log names its seed alone: under another order it would lead to other choices."""
    assert [permuted(place, 8, 1) for place in range(8)] == [7, 5, 2, 3, 4, 1, 6, 0]
    assert [scrambled(number, 2**33 + 7) for number in range(3)] == [2653916248, 3158531076, 1299412576]


def test_scrambling_is_the_finalizer_of_murmurhash3():
    """As published, for a seed of 0 that adds nothing: the number is multiplied by 2^32 over the golden ratio first."""
    for number in (1, 2, 77, 123_456_789):
        mixed = number * 0x9E3779B1 % 2**32
        for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
            mixed = (mixed ^ mixed >> shift) * factor % 2**32
        assert scrambled(number, 0) == mixed ^ mixed >> 16


def test_a_simulated_run_draws_its_seed_from_all_that_a_draw_can_tell_apart():
    seeds = [seed_from(np.random.default_rng(seed)) for seed in range(200)]
    assert seeds == [int(np.random.default_rng(seed).random() * 2**53) for seed in range(200)]
    assert 2**52 < max(seeds) < 2**53


def test_without_an_order_places_are_arms():
    assert [opened(np.zeros(0, dtype=np.int64), place) for place in range(3)] == [0, 1, 2]
    assert [opened(np.array([2, 0, 1]), place) for place in range(3)] == [2, 0, 1]


def test_the_cheapest_arms_are_opened_first():
    problem = sf.problem_of(["x >= 0 : normal(1)"], 0.1)
    search, order = sf.Search(problem, list("abcde"), costs=[3.0, 1.0, 2.0, 1.0, 9.0]), []
    while len(order) < 5:
        arm = search.ask()
        order += [arm] if arm not in order else []
        search.tell(arm, {"x": -1.0})
    assert [{"a": 3, "b": 1, "c": 2, "d": 1, "e": 9}[arm] for arm in order] == [1, 1, 2, 3, 9]


def first_asks(results, under_way=()):
    """Which arm is asked for when one may be opened, with results of the arms in the order of opening."""
    search = sf.Search(sf.problem_of(["x >= 0 : normal(1)"], 1e-9), [f"arm {number}" for number in range(40)], seed=3)
    order = [permuted(place, 40, 3) for place in range(40)]
    for place, found in enumerate(results):
        search.take_choice(place, None, order[place])
        search.fold(order[place], (found,))
    for _ in range(150):
        search.fold(order[0], (0.4,))
    busy = np.zeros(40, dtype=np.int64)
    busy[[order[place] for place in under_way]] = 1
    return order.index(search.choose(300, busy))


def test_one_of_those_opened_last_is_looked_at_again_in_place_of_a_new_one():
    assert first_asks([0.4, -1, -1, -1]) == 4, "the next new one"
    assert first_asks([0.4, -1, 0.9, -1]) == 2
    assert first_asks([0.4, 0.9, 0.9, -1]) == 2, "the newest"
    assert first_asks([0.4, 0.9, 0.9, -1], under_way=[2]) == 1
    assert first_asks([0.4, 0.9, -1, -1, -1]) == 1, "four are looked back at"
    assert first_asks([0.4, 0.9, -1, -1, -1, -1]) == 6
    assert first_asks([0.4, 0.3, -1, -1]) == 4, "it must look better than the leader"
