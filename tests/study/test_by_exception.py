"""What exceptions lead to by their type: another attempt, the worst result, waiting under the same number."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from email.message import Message
from email.utils import format_datetime
from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any
from urllib.error import HTTPError

import pytest

import satisfice as sf
from satisfice.errors import InvalidSpec, StudyStopped
from satisfice.study.pull import Pull
from satisfice.study.retry import Backoff, ByException, Way, by_exception, is_refusal, retry_after
from satisfice.study.runner import AdaptiveLimit, Waiting
from tests.helpers.parts import endless, evaluate, study_in

QUICK = Backoff(first=0.01, longest=0.05)


class Busy(Exception):
    """As HTTP clients raise it."""

    def __init__(self, status: int = 429, after: Any = None) -> None:
        super().__init__(f"status {status}")
        self.response = SimpleNamespace(status_code=status, headers={} if after is None else {"Retry-After": after})


def fails_first(error: Exception, times: int = 1) -> Any:
    """An evaluation of which each pull fails so often before it has results."""
    seen: dict[int, list[int]] = {}

    def flaky(pull: Pull) -> dict[str, float]:
        attempts = seen.setdefault(pull.number, [])
        attempts.append(pull.attempt)
        if len(attempts) <= times:
            raise error
        return evaluate(pull.name)

    flaky.seen = seen  # type: ignore[attr-defined]
    return flaky


def test_a_refusal_is_waited_for_under_the_same_number_and_is_no_failure(storage: Any) -> None:
    study, flaky = study_in(storage), fails_first(Busy())
    verdict = study.run(flaky, workers=4, with_pull=True, backoff=QUICK)
    assert verdict.arm == "good"
    counts = study.counts()
    assert (counts.failed, counts.reissued, counts.lost) == (0, 0, 0)
    told = [one.number for one in study.evaluations()]
    assert all(flaky.seen[number] == [0, 0] for number in told)
    assert sf.verify(storage).ok


@pytest.mark.parametrize("workers", [1, 4])
def test_exceptions_to_wait_on_are_ones_own_choice_and_the_verdict_says_so(workers: int) -> None:
    study = study_in()
    verdict = study.run(fails_first(KeyError("x")), workers=workers, with_pull=True, wait_on=LookupError, backoff=QUICK)
    assert verdict.arm == "good"
    assert study.counts().failed == 0
    assert "raised LookupError were made again under the same number" in " ".join(verdict.assumptions)


def test_what_is_tried_again_counts_as_failed_and_others_stop(storage: Any) -> None:
    study = study_in(storage)
    verdict = study.run(
        fails_first(ConnectionError("gone")), workers=2, with_pull=True, retry_on=OSError, backoff=QUICK
    )
    assert verdict.arm == "good"
    assert study.counts().failed >= verdict.evaluations
    assert "OSError was tried again, which assumes" in " ".join(verdict.assumptions)
    assert sf.verify(storage).ok
    other = study_in()
    with pytest.raises(StudyStopped, match="ValueError: no"):
        other.run(fails_first(ValueError("no")), with_pull=True, retry_on=OSError, backoff=QUICK)


def test_retries_come_after_a_pause_and_end() -> None:
    study, began = study_in(retries=2), []

    def gone(pull: Pull) -> dict[str, float]:
        began.append((pull.number, time.monotonic()))
        if pull.number >= 3:
            raise ConnectionError("gone")
        return evaluate(pull.name)

    with pytest.raises(StudyStopped, match="ConnectionError: gone"):
        study.run(gone, with_pull=True, retry_on=ConnectionError, backoff=Backoff(first=0.2, longest=0.2))
    times = [when for number, when in began if number == 3]
    assert len(times) == 3
    assert min(later - sooner for sooner, later in pairwise(times)) >= 0.1


def test_what_counts_as_worst_is_settled_by_it_whatever_other_failures_do(storage: Any) -> None:
    study = sf.create_study(["bad", "good"], ["ok >= 0.8 ~ 0.1 : bernoulli"], storage=storage, on_error="stop")

    def half(config: str) -> dict[str, float]:
        if config == "bad":
            raise TimeoutError("too slow")
        return {"ok": 1}

    verdict = study.run(half, worst_on=TimeoutError)
    assert verdict.arm == "good"
    assert next(one.results for one in study.evaluations() if one.config == "bad") == {"ok": 0.0}
    assert "TimeoutError counts as the worst result there can be" in " ".join(verdict.assumptions)
    assert sf.verify(storage).ok


def test_only_what_is_on_record_leads_to_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    study = sf.create_study(["bad", "good"], ["ok >= 0.8 ~ 0.1 : bernoulli"])
    monkeypatch.setattr(ByException, "named", lambda self: {})
    with pytest.raises(StudyStopped, match="too slow"):
        study.run(lambda config: (_ for _ in ()).throw(TimeoutError("too slow")), worst_on=TimeoutError)


def test_a_worst_value_must_be_known() -> None:
    with pytest.raises(InvalidSpec, match="worst"):
        study_in().run(evaluate, worst_on=ValueError)


def test_evaluations_may_say_themselves_that_it_is_too_early() -> None:
    study = study_in()
    assert study.run(fails_first(sf.RateLimited("busy")), with_pull=True, backoff=QUICK).arm == "good"


def test_a_server_that_never_answers_is_given_up() -> None:
    study = endless()
    with pytest.raises(StudyStopped, match=r"put off for 0\.1 seconds: status 429"):
        study.run(fails_first(Busy(), 10**9), workers=3, with_pull=True, backoff=Backoff(0.01, 0.02, 0.1))
    assert study.counts().told == 0
    with pytest.raises(StudyStopped, match="put off"):
        endless().run(fails_first(Busy(after="7200")), with_pull=True, backoff=Backoff(give_up=60))


def test_fewer_run_at_a_time_while_a_server_refuses() -> None:
    """A server that takes five at a time: refusals become rare, and everything gets through."""
    now, refused, done = [0], [0], [0]

    async def limited(config: str) -> dict[str, float]:
        if now[0] >= 5:
            refused[0] += 1
            raise Busy()
        now[0] += 1
        await asyncio.sleep(0.002)
        now[0] -= 1
        done[0] += 1
        return evaluate(config)

    study = endless()
    study.run(limited, workers=50, max_evaluations=300, backoff=QUICK)
    assert study.counts().told == done[0] == 300
    assert study.counts().failed == 0
    assert refused[0] < 300


def test_the_limit_halves_once_for_each_crowd_and_grows_again() -> None:
    limit = AdaptiveLimit(64)
    began = time.monotonic()
    for _ in range(20):
        limit.refused(began, 64)
    assert limit.now == 32
    limit.refused(time.monotonic(), 32)
    assert limit.now == 16
    for _ in range(17):
        limit.succeeded()
    assert limit.now == 17
    for _ in range(10_000):
        limit.succeeded()
    assert limit.now == 64
    for _ in range(50):
        limit.refused(time.monotonic(), 1)
    assert limit.now == 1


def test_a_retry_after_keeps_everybody_quiet() -> None:
    waiting = Waiting(8, Backoff())
    pull = Pull("x", 1, 0, 0, "a", {})
    pause = waiting.refuse(pull, Busy(after="30"), time.monotonic(), 8)
    assert pause is not None
    assert 30 <= pause <= 34
    assert waiting.room(0) == 0
    assert waiting.due(9) == []


def test_pauses_double_up_to_the_longest_and_are_spread() -> None:
    rng, backoff = Random(1), Backoff(1.0, 10.0)
    for times, most in ((1, 1.0), (2, 2.0), (3, 4.0), (9, 10.0), (10**6, 10.0)):
        drawn = [backoff.pause(times, None, rng) for _ in range(200)]
        assert most / 2 <= min(drawn) < 0.55 * most
        assert 0.95 * most < max(drawn) <= most


def test_retry_after_in_all_its_spellings() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=60), usegmt=True)
    assert retry_after(Busy(after="12")) == 12
    assert 55 < (retry_after(Busy(after=soon)) or 0) <= 60
    assert retry_after(Busy(after="-3")) == 0
    assert retry_after(Busy(after="soon")) is None
    assert retry_after(Busy(after="nan")) is None
    assert retry_after(Busy()) is None
    assert retry_after(sf.RateLimited("x", retry_after=2.5)) == 2.5
    headers = Message()
    headers["retry-after"] = "7"
    with HTTPError("http://x", 429, "busy", headers, None) as error:
        assert (is_refusal(error), retry_after(error)) == (True, 7)
    milliseconds = Busy()
    milliseconds.response.headers["retry-after-ms"] = "1500"
    assert retry_after(milliseconds) == 1.5


def test_which_exceptions_are_refusals() -> None:
    assert [is_refusal(Busy(status)) for status in (429, 529, 503, 500, 404)] == [True, True, False, False, False]
    assert is_refusal(Busy(503, after="1"))
    assert not is_refusal(ValueError("429"))


def test_the_nearest_type_counts_and_a_refusal_before_a_distant_one() -> None:
    told = by_exception(retry_on=(OSError, Exception), worst_on=TimeoutError, wait_on=())
    assert told.way_of(TimeoutError()) is Way.WORST
    assert told.way_of(ConnectionError()) is Way.RETRY
    assert told.way_of(Busy()) is Way.WAIT
    assert by_exception((), Busy, ()).way_of(Busy()) is Way.WORST
    assert by_exception((), (), ()).way_of(OSError()) is None


@pytest.mark.parametrize("given", ["ConnectionError", 3, (ValueError, "x"), ValueError("x"), KeyboardInterrupt, int])
def test_what_is_no_type_of_exceptions_is_refused(given: Any) -> None:
    with pytest.raises(InvalidSpec, match=r"Expected types of exceptions for wait_on, such as wait_on=\(Conn"):
        study_in().run(evaluate, wait_on=given)


def test_one_type_leads_to_one_thing() -> None:
    with pytest.raises(InvalidSpec, match="OSError is in retry_on and in worst_on"):
        study_in().run(evaluate, retry_on=OSError, worst_on=(OSError, ValueError))


@pytest.mark.parametrize("given", [3, Backoff(0), Backoff(5, 1), Backoff(first=float("nan"))])
def test_a_back_off_that_cannot_be_is_refused(given: Any) -> None:
    with pytest.raises(InvalidSpec, match="back-off"):
        study_in().run(evaluate, backoff=given)


def test_a_time_limit_and_another_attempt_do_not_go_together() -> None:
    study = sf.create_study(["a"], ["wall_time <= 1"])
    with pytest.raises(InvalidSpec, match="until it is short enough"):
        study.run(lambda config: {"wall_time": 1}, retry_on=TimeoutError)
