"""The printed tables of the paper, run again with few repetitions: every mean within what chance explains.

With |z| <= 4.5 a true mean fails one time in 150,000.
"""

import pytest

from satisfice.paper import printed_table
from satisfice.paper.article import SWEEPS, Statistic, has_table, table_name
from satisfice.paper.comparisons import (
    ComparedNumber,
    Part,
    Planned,
    Ran,
    compared_number,
    extra_runs_of,
    planned_cells,
)
from satisfice.simulation.campaign import run_campaign

LARGEST_Z = 4.5
SEED = 11


def _run(planned: list[Planned]) -> list[Ran]:
    campaign = run_campaign([one.cell for one in planned])
    return [Ran(one, result) for one, result in zip(planned, campaign.cells, strict=True)]


def _rows(ran: list[Ran]) -> list[ComparedNumber]:
    return [
        compared_number(printed_table(table_name(one.planned.sweep, statistic)), one)
        for one in ran
        for statistic in Statistic
        if has_table(one.planned.sweep, statistic)
    ]


def _far_off(rows: list[ComparedNumber], *statistics: Statistic) -> list[str]:
    """The numbers of these kinds that chance does not explain, misprints left aside."""
    return [
        f"{row.table}, {row.place}: ours {row.ours}, printed {row.printed}"
        for row in rows
        if row.statistic in statistics and row.z is not None and not row.misprint and abs(row.z) > LARGEST_Z
    ]


@pytest.mark.parametrize("sweep", [SWEEPS[0], SWEEPS[2]], ids=lambda sweep: sweep.name)
def test_the_last_row_of_a_sweep_is_as_printed(sweep) -> None:
    planned = [one for one in planned_cells([sweep], 200, SEED) if one.part is Part.TABLE and one.value == 0.05]
    rows = _rows(_run(planned))
    assert len(rows) == (12 if sweep.name.startswith("medical") else 8)
    assert _far_off(rows, Statistic.STOPPING_TIME, Statistic.ERROR_RATE_PERCENT) == []


def test_the_instance_as_printed_runs_out_of_budget() -> None:
    planned = [one for one in planned_cells(SWEEPS[:1], 5, SEED) if one.part is Part.PRINTED_INSTANCE]
    assert all(one.result.timed_out.all() for one in _run(planned))


def test_the_lucb_of_the_text_needs_far_fewer_pulls_than_the_printed_one() -> None:
    planned = [
        one
        for one in planned_cells(SWEEPS[2:3], 60, SEED)
        if one.value == 0.005 and one.rule in {"MultiLUCB", "MultiTUCB"} and one.part is not Part.LONG_RUN
    ]
    (found,) = extra_runs_of(_run(planned)).text_lucb
    assert found.numbers.plain_mean < 0.7 * found.released.plain_mean


@pytest.mark.full
def test_every_table_is_as_printed() -> None:
    rows = _rows(_run([one for one in planned_cells(SWEEPS, 400, SEED) if one.part is Part.TABLE]))
    assert len(rows) == 400
    assert _far_off(rows, Statistic.STOPPING_TIME, Statistic.ERROR_RATE_PERCENT) == []
    assert _far_off([row for row in rows if row.sweep.name.startswith("synthetic")], Statistic.SD) == []
