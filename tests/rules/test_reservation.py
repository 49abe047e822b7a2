"""The table of reservation costs is what finite differences give, and the rule reads it without jumps."""

from itertools import pairwise
from math import exp, log

import numpy as np
import pytest

from satisfice.rules.pandora import COLUMNS, EDGES, FIRST_EDGE, LEAST_TO_GO, LOWEST, TABLE, reservation_cost

Curve = tuple[np.ndarray, np.ndarray]


def solved(edge: float, step: float = 0.06) -> Curve:
    """z and ln(R/n) of an arm that is all the same as paying R, backwards in time from where nobody goes on.

    With R = 1 the free boundary is where v becomes 1: z is all the same there at n = e^s, so that ln(R/n) = -s.
    """
    z = edge - step * np.arange(round((edge + 7.5) / step), -1.0, -1.0)
    value = np.append(np.ones(len(z) - 1), 0.0)
    time_step = 0.9 * step * step
    drift, spread = 0.25 * time_step / step * z[1:-1], 0.5 * time_step / step**2
    times, places = [], []
    for s in np.arange(3.0, -19.0, -time_step):
        onward = value[1:-1] + drift * (value[2:] - value[:-2]) + spread * (value[2:] - 2 * value[1:-1] + value[:-2])
        value[1:-1] = np.minimum(onward + time_step * exp(s), 1.0)
        times.append(s - time_step)
        places.append(np.count_nonzero(value >= 1 - 1e-9) - 1)
    found = [place for place in np.unique(places) if 0 < place < max(places)]
    when = [np.mean(np.array(times)[np.array(places) == place]) for place in found]
    return z[found], -np.array(when)


@pytest.mark.parametrize("row", range(0, EDGES, 2))
def test_the_table_is_the_solution(row: int) -> None:
    edge = FIRST_EDGE + row
    z, costs = solved(edge)
    for column in range(COLUMNS):
        at = LOWEST + column / 2
        if at < edge - 0.4:
            assert np.interp(at, z, costs) == pytest.approx(TABLE[row, column] + log(edge - at), abs=0.1)


def test_between_the_points_of_the_table_it_is_near_the_solution() -> None:
    z, costs = solved(4.0)
    for at in np.arange(-4.9, 3.2, 0.1):
        assert log(reservation_cost(at, 4.0, 1.0)) == pytest.approx(np.interp(at, z, costs), abs=0.2)


def test_a_better_arm_costs_less_and_a_higher_edge_more() -> None:
    for edge in np.arange(1.0, 30.0, 0.7):
        costs = [reservation_cost(float(score), float(edge), 7.0) for score in np.arange(-40.0, edge + 3.0, 0.05)]
        assert all(later <= sooner for sooner, later in pairwise(costs))
        assert reservation_cost(0.3, float(edge) + 0.5, 7.0) > reservation_cost(0.3, float(edge), 7.0)


def test_of_an_arm_in_the_table_a_higher_edge_never_costs_less() -> None:
    """By this a simulation knows how far a leader may fall (`Pandora.leeway`); below the table it is not so."""
    for score in np.arange(LOWEST, 14.0, 0.03):
        edges = np.arange(max(score + LEAST_TO_GO, 0.5), 14.0, 0.03)
        costs = [reservation_cost(float(score), float(edge), 7.0) for edge in edges]
        assert all(later >= sooner * (1.0 - 1e-12) for sooner, later in pairwise(costs))


def test_any_score_has_a_cost_that_can_be_compared() -> None:
    for score in (-1e300, -1e9, -700.0, 0.0, 50.0, 1e300):
        assert 0.0 < reservation_cost(score, 4.0, 1e9) < 1e290
    assert reservation_cost(1.0, 4.0, 50.0) == pytest.approx(5 * reservation_cost(1.0, 4.0, 10.0))


def test_beyond_its_edge_an_arm_is_the_better_the_further_it_has_come() -> None:
    """What is left falls with the number of results, and a score grows with its root."""
    before = reservation_cost(6.0, 4.0, 10.0)
    assert reservation_cost(12.0, 4.0, 10.0) == pytest.approx(before / 16)
    assert reservation_cost(12.0, 4.0, 40.0) == pytest.approx(before / 4), "four times the results at the same mean"
