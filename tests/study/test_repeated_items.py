"""Items that are evaluated again under `of N`: the same result, or the study stops for good with both."""

import pytest

import satisfice as sf
from satisfice.errors import PullReissued, StudyStopped
from satisfice.study.events import Kind, sealed
from satisfice.study.snapshots import Checkpoint
from tests.helpers.parts import Clock

LIMIT = "x >= 0.5 : bernoulli of 40"
LEASE = 10.0


def lost(limit=LIMIT, **options):
    """A study, a pull whose worker fell silent, the same pull as the next worker got it, and a clock."""
    clock = Clock()
    study = sf.create_study(["a", "b"], [limit], error_rate=1e-6, lease_seconds=LEASE, clock=clock, **options)
    silent = study.ask()
    clock.now += 2 * LEASE
    again = study.ask()
    assert (again.number, again.attempt, again.item) == (silent.number, 1, silent.item)
    return study, silent, again


def check_stopped(study, *parts):
    with pytest.raises(StudyStopped, match="stopped for good") as caught:
        study.ask()
    for part in (*parts, "Declare items that do not always give the same result as 'bernoulli of 40 sampled'."):
        assert part in str(caught.value)
    assert "on_error" not in str(caught.value)
    with pytest.raises(StudyStopped):
        study.resume()
    assert study.outcome is sf.Outcome.UNDECIDED


@pytest.mark.parametrize("late_first", [True, False])
def test_a_lost_worker_whose_result_came_anyway(tmp_path, late_first):
    study, silent, again = lost(storage=f"sqlite:///{tmp_path}/s.db", name="s")
    for pull, value in ((silent, 1), (again, 0)) if late_first else ((again, 0), (silent, 1)):
        study.tell(pull, {"x": value})
    check_stopped(study, f"item {silent.item} of {silent.name!r} gave x 0, and 1 when it was evaluated again")
    told = [one for one in study.events() if one.kind in (Kind.TOLD, Kind.REPEATED)]
    assert sorted(one.content["values"] for one in told) == [[0.0], [1.0]]
    assert sf.verify(f"sqlite:///{tmp_path}/s.db", "s").ok
    with sf.load_study(f"sqlite:///{tmp_path}/s.db", "s") as same:
        check_stopped(same)


@pytest.mark.parametrize("late_first", [True, False])
def test_the_same_result_again_is_nothing_to_say(late_first):
    study, silent, again = lost()
    if late_first:
        study.tell(silent, {"x": 1})
        study.tell(again, {"x": 1})
    else:
        study.tell(again, {"x": 1})
        with pytest.raises(PullReissued):
            study.tell(silent, {"x": 1})
    assert study.stopped is None
    assert study.ask() is not None


def test_sampled_items_may_differ():
    study, silent, again = lost("x >= 0.5 : bernoulli of 40 sampled")
    study.tell(again, {"x": 0})
    with pytest.raises(PullReissued):
        study.tell(silent, {"x": 1})
    assert study.stopped is None


def test_failures_of_one_attempt_are_no_results_of_its_item():
    study, silent, again = lost(on_error="worst")
    study.fail(again, "broken")
    with pytest.raises(PullReissued):
        study.tell(silent, {"x": 1})
    assert study.stopped is None


BESIDE = "x >= baseline - 0.1 : bounded(-1, 1) of 30"


def beside(baseline_of, **options):
    study = sf.create_study(["a", "b"], [BESIDE], baseline="old", error_rate=1e-9, **options)
    count = 0
    while (pull := study.ask()) is not None:
        study.tell(pull, {"x": pull.item % 2}, {"x": baseline_of(pull.item, count)})
        count += 1
    return study


def test_the_baseline_is_evaluated_on_the_same_items_for_every_config():
    assert beside(lambda item, count: item % 2).outcome is sf.Outcome.FOUND
    with pytest.raises(StudyStopped, match=r"item \d+ of 'old' gave x .*'bounded\(-1, 1\) of 30 sampled'"):
        beside(lambda item, count: count % 2)


def test_a_warm_start_knows_results_of_items():
    first = sf.create_study(["a", "b"], [LIMIT], error_rate=1e-9, name="first")
    while (pull := first.ask()) is not None:
        first.tell(pull, {"x": pull.item % 2})
    for change, stops in ((0, False), (1, True)):
        study = sf.create_study(["a", "b"], [LIMIT], error_rate=1e-9, warm_start=first, seed=1)
        evaluate = lambda config, item, change=change: {"x": (item + change) % 2}  # noqa: E731 - one line is enough
        if not stops:
            assert study.run(evaluate).outcome is sf.Outcome.FOUND
            continue
        with pytest.raises(StudyStopped, match=r"item \d+ of '[ab]' gave x \d, and \d in the study 'first'"):
            study.run(evaluate)


def test_a_forged_difference_is_found(tmp_path):
    """A log that says an item gave another result, where the same was told."""
    address = f"sqlite:///{tmp_path}/s.db"
    study, silent, again = lost(storage=address, name="s")
    study.tell(again, {"x": 0})
    events = list(study.events())
    content = {"number": silent.number, "attempt": 0, "values": [0.0], "told": [0.0], "stops": "it differs", "at": 99.0}
    forged = sealed(events[-1].digest, len(events) + 1, Kind.REPEATED, content)
    study._log.extend(len(events), lambda news: [forged])
    found = sf.verify(address, "s")
    assert not found.ok
    assert "evaluated again, which cannot be" in str(found.problems)


def test_a_copy_of_the_state_knows_what_came_late():
    """A step that fails takes the state back from a copy."""
    study, silent, _ = lost()
    study.tell(silent, {"x": 1})
    state = Checkpoint(study._durable.seen()).restored()
    assert state.repeats.late == {silent.number: (1.0,)}
