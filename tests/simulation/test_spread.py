"""Campaigns on an executor: the same results bit for bit, whatever is lost; and what a cluster may get wrong."""

import gc
import os
import signal
import socket
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

import satisfice as sf
from satisfice import cluster
from satisfice.errors import ClusterError, InvalidInstance
from satisfice.simulation import spread
from satisfice.simulation.campaign import plan_cells, run_campaign

PROBLEM = sf.problem_of(["a >= 1 ~ 0.2 : normal(1)", "b <= 0 ~ 0.2 : normal(1)"], 0.1)
ARMS = sf.gaussian_arms([[0.4, 0.3], [1.6, -0.7], [0.9, 0.1]], 1.0)
INSTANCE = sf.Instance.of(PROBLEM, ARMS, name="three", arm_names=("x", "y", "z"))


def cells(repetitions=70, **others):
    return plan_cells(
        [INSTANCE], ["murphy", "multitucb"], repetitions=repetitions, max_evaluations=300, seed=4, **others
    )


def assert_same(one, other):
    for first, second in zip(one.cells, other.cells, strict=True):
        for name, left, right in zip(first.record._fields, first.record, second.record, strict=True):
            assert np.array_equal(left, right, equal_nan=left.dtype.kind == "f"), name


@pytest.mark.parametrize(
    "others", [{}, pytest.param({"workers": 3, "durations": "lognormal(1)"}, marks=pytest.mark.full)]
)
def test_an_executor_changes_nothing(others):
    asked = cells(**others)
    told = []
    with ThreadPoolExecutor(3) as pool:
        made = run_campaign(asked, executor=pool, engine="interpreted", on_progress=told.append)
    assert_same(made, run_campaign(asked, engine="interpreted"))
    every = sum(cell.repetitions for cell in asked)
    assert (told[-1].repetitions_done, told[-1].repetitions, told[-1].cells) == (every, every, len(asked))
    assert [one.repetitions_done for one in told] == sorted(one.repetitions_done for one in told)
    assert told[-1].evaluations == sum(int(result.pulls.sum()) for result in made.cells)
    assert len(told) > len(asked), "progress is told more often than by the cell"


@pytest.mark.parametrize("repetitions", [(70,), (25, 90, 45)])
def test_as_many_cells_as_there_are_come_back_however_many_parts_each_has(repetitions):
    asked = [cell for count in repetitions for cell in cells(count)[:1]]
    with ThreadPoolExecutor(3) as pool:
        parts = []
        found = dict(
            spread.run_spread(
                asked, range(len(asked)), pool, engine="interpreted", on_part=lambda *part: parts.append(part[:2])
            )
        )
    assert sorted(found) == [*range(len(asked))]
    for place, cell in enumerate(asked):
        assert len(found[place].record.totals) == sum(count for at, count in parts if at == place) == cell.repetitions
        assert (found[place].record.totals > 0).all()


@pytest.mark.full
def test_finished_cells_are_kept_and_not_run_again(tmp_path, monkeypatch):
    with ThreadPoolExecutor(2) as pool:
        first = run_campaign(cells(), executor=pool, folder=tmp_path / "out", engine="interpreted")
        monkeypatch.setattr(spread, "run_part", lambda *_: pytest.fail("it was there"))
        again = run_campaign(cells(), executor=pool, folder=tmp_path / "out", engine="interpreted")
    assert_same(first, again)


@pytest.mark.full
def test_what_a_part_raises_ends_the_campaign_and_what_is_finished_stays(tmp_path, monkeypatch):
    asked, true = cells(repetitions=20), spread.run_part

    def breaks(cell, *others):
        if cell is asked[1]:
            raise ModuleNotFoundError("No module named 'mine'")
        return true(cell, *others)

    monkeypatch.setattr(spread, "run_part", breaks)
    says = r"cannot load what three with MultiTUCB needs: No module named 'mine'. Install it there"
    with ThreadPoolExecutor(1) as pool, pytest.raises(ClusterError, match=says):
        run_campaign(asked, executor=pool, folder=tmp_path / "out", engine="interpreted")
    assert [path.stem for path in (tmp_path / "out" / "cells").iterdir()] == [asked[0].key()]


def test_threads_and_an_executor_are_not_both_given():
    with ThreadPoolExecutor(1) as pool, pytest.raises(InvalidInstance, match="give threads or an executor, not both"):
        run_campaign(cells(), executor=pool, threads=2, engine="interpreted")


def test_parts_cover_every_block_once_and_are_many_enough():
    for count, slots in ((1, 1), (33, 2), (5000, 2), (5000, 1000)):
        asked = list(enumerate(cells(repetitions=count)))
        parts = spread._parts(asked, slots)
        for place, cell in asked:
            ends = sorted((part.first, part.end) for part in parts if part.place == place)
            assert [first for first, _ in ends] == [0, *(end for _, end in ends[:-1])]
            assert (ends[-1][1] - 1) * spread.BLOCK < cell.repetitions <= ends[-1][1] * spread.BLOCK
        blocks = sum(part.end - part.first for part in parts)
        assert len(parts) >= min(blocks, spread.PARTS_A_SLOT * slots)


def ends_the_process(*_: Any) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_pool_that_breaks_is_told_in_a_sentence(monkeypatch):
    monkeypatch.setattr(spread, "run_part", ends_the_process)
    says = r"The workers were lost while they simulated three with Murphy: .* goes on"
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as pool, pytest.raises(ClusterError, match=says):
        run_campaign(cells(), executor=pool, engine="interpreted")


@pytest.fixture(scope="module")
def processes():
    """A Dask cluster of two processes."""
    distributed = pytest.importorskip("distributed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONWARNINGS", "ignore")
        made = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        with made, distributed.Client(made, set_as_default=False) as client:
            yield client


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")  # of Dask and what it loads
class TestDask:
    def test_a_killed_worker_costs_its_part_and_changes_nothing(self, processes):
        asked = cells(repetitions=100)
        victim, told = [], []

        def tell(now):
            told.append(now)
            if len(told) == 2:
                pids = processes.run(os.getpid)
                victim.append(next(iter(pids.values())))
                os.kill(victim[0], signal.SIGKILL)

        made = run_campaign(asked, executor=processes, engine="interpreted", on_progress=tell)
        assert victim, "nobody was killed"
        assert_same(made, run_campaign(asked, engine="interpreted"))
        assert told[-1].repetitions_done == 200, "what was run again is counted once"

    def test_simulate_and_plan_take_a_client(self, processes):
        asked = {"rules": ["murphy"], "repetitions": 25, "engine": "interpreted"}
        assert_same(sf.simulate(PROBLEM, ARMS, executor=processes, **asked), sf.simulate(PROBLEM, ARMS, **asked))
        plan = {
            "spread": {},
            "scenarios": ["all clearly fail"],
            "repetitions": 20,
            "budget": 200,
            "engine": "interpreted",
        }
        thresholds = ["a >= 1 ~ 0.5 : normal(1)"]
        spread_plan = sf.plan(thresholds, 3, executor=processes, **plan)
        assert_same(spread_plan.result, sf.plan(thresholds, 3, **plan).result)

    def test_a_worker_of_another_version_is_named(self, processes, monkeypatch):
        monkeypatch.setattr(cluster, "versions_here", lambda packages: ["0.0.9", "1.26.4", "0.60.0"])
        says = r"worker at tcp://\S+ has satisfice .* here there is satisfice 0.0.9, .* Install the same"
        with pytest.raises(ClusterError, match=says):
            run_campaign(cells(), executor=processes, engine="interpreted")

    def test_a_worker_that_lacks_a_package_is_named(self, processes, monkeypatch):
        monkeypatch.setattr(cluster, "versions_here", lambda packages: ["0.0.9", "1.26.4", "0.60.0"])
        monkeypatch.setattr(cluster, "VERSIONS", "__import__('no_such_package')")
        says = r"lacks a package that this needs: No module named 'no_such_package'. Install there what is"
        with pytest.raises(ClusterError, match=says):
            run_campaign(cells(), executor=processes, engine="interpreted")

    def test_a_worker_with_other_sources_refuses_its_part(self):
        with pytest.raises(ClusterError, match="A worker has another version of satisfice"):
            spread.run_part(cells()[0], 0, 1, "interpreted", "of another version")


@pytest.mark.filterwarnings("ignore")  # of Dask and what it loads
def test_an_address_that_does_not_answer_gets_a_sentence(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # something listens that is no scheduler
        other = f"tcp://127.0.0.1:{silent.getsockname()[1]}"
        for address in ("tcp://127.0.0.1:9", other, "nonsense://x", "nowhere", "tcp://127.0.0.1:port", ""):
            says, began = r"No Dask scheduler answers at .* `dask scheduler` prints", time.monotonic()
            with pytest.raises(ClusterError, match=says), cluster.dask_client(address):
                pass
            gc.collect()  # a client that was given up waited for its end here
            assert time.monotonic() - began < 5, address
    with cluster.dask_client(None) as none:
        assert none is None
