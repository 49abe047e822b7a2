"""Logs that somebody changed and sealed anew: whoever reads one is answered or told why not, and others are shown."""

import json
import re
import shutil
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf, nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from satisfice.errors import SatisficeError
from satisfice.study import durable
from satisfice.study.storage.protocol import open_storage
from satisfice.study.subject import SeenFile, subject_here
from satisfice.web.studies import Studies
from tests.fuzz.odd import check_sentences
from tests.helpers.forging import resealed
from tests.helpers.parts import Clock, finish, results_of, study_in

ODD = [nan, inf, -inf, -1000, 1e300, 1e12, "text", None, True, []]
MEASURED = subject_here(
    words=("./tool", "{x}"), environment={"A": "1"}, folder="work", files={"tool": SeenFile(70, "ab" * 32, 10**18)}
)
READERS = [("status",), ("report", "--out", "page.html"), ("explain",), ("verify",)]
LONGEST_SECONDS = 60
"""For all that looks at one log, which takes a fifth of a second: to tell what is slow from what never ends."""


class Hung(BaseException):
    """Nothing that a reader catches."""


class Case(NamedTuple):
    """A field of an event, and what is to stand there."""

    study: int
    position: int
    path: tuple[Any, ...]
    odd: Any


@contextmanager
def limited(what: object) -> Iterator[None]:
    """Break off what takes too long; where there are no such signals the limit of the whole test does so."""
    if sys.platform == "win32":
        yield
        return

    def end(*_: object) -> None:
        raise Hung(what)

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, LONGEST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with an innocent study and two whose logs have every kind of event."""
    path = tmp_path_factory.mktemp("attacked") / "study.db"
    url, clock = f"sqlite:///{path}", Clock(1.7e9)
    with study_in(url, name="innocent", clock=clock) as study:
        finish(study)
    results = {"usd": 0.25, "wait": 0.1, "failed": 2}
    some = {"c": {"level": 1}, "d": {"level": 2.5}}
    limits = ["wait <= 0.1 : bounded(0, 1)", "failed <= 2 : poisson", "usd <= 9", "same >= 0.5 : bernoulli of 40"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(durable, "SNAPSHOT_EVERY_EVENTS", 15)
        with study_in(
            url, name="plain", clock=clock, on_error="retry", subject=MEASURED, warm_start="innocent"
        ) as study:
            pulls = study.ask(6)
            study.release(pulls[0])
            study.fail(pulls[1], "once")
            for pull in pulls[2:]:
                study.tell(pull, {**results_of(pull), "also": 1.5})
            clock.now += 5.0
            study.change_policy(max_evaluations=500, timeout=9.0, worst={"speed": -9.0})
            finish(study)
        with study_in(url, name="rich", configs=some, thresholds=limits, cost="usd", max_cost=99.0) as study:
            study.tell(study.ask(), {**results, "same": 1.0})
            study.fail(study.ask(), "no disk", cost=0.5)
            study.resume()
            for place in range(12):
                study.tell(study.ask(), {**results, "same": float(place % 2), "wait": place % 3 / 10})
    with sqlite3.connect(path) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        kinds = {kind for (kind,) in base.execute("SELECT kind FROM satisfice_events")}
    base.close()
    assert kinds >= {"created", "asked", "told", "failed", "reissued", "released", "resumed", "policy", "snapshot"}
    return path


def leaves(content: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all numbers and texts."""
    if isinstance(content, dict | list):
        for key, value in content.items() if isinstance(content, dict) else enumerate(content):
            yield from leaves(value, (*path, key))
    elif path:
        yield path


def cases_in(file: Path) -> list[Case]:
    """Each field of the first and of a later event of each kind, with each odd value."""
    with sqlite3.connect(file) as base:
        rows = base.execute("SELECT study_id, position, kind, body FROM satisfice_events WHERE study_id > 1").fetchall()
    base.close()
    by_kind: dict[tuple[int, str], list[tuple[int, str]]] = {}
    for study, position, kind, body in rows:
        by_kind.setdefault((study, kind), []).append((position, body))
    return [
        Case(study, position, path, odd)
        for (study, _), events in by_kind.items()
        for position, body in dict([events[0], events[len(events) // 2]]).items()
        for path in leaves(json.loads(body))
        for odd in ODD
    ]


def attacked(file: Path, case: Case) -> str:
    """The name of the study in which that now stands."""
    seen = 0

    def change(kind: str, content: dict[str, Any]) -> None:
        nonlocal seen
        seen += 1
        if seen == case.position:
            *way, last = case.path
            place: Any = content
            for key in way:
                place = place[key]
            place[last] = case.odd

    base = sqlite3.connect(file)
    with base:
        resealed(base, change, case.study)
        if case.path == ("at",) and case.position == 1 and case.odd not in (None, []) and case.odd == case.odd:
            base.execute("UPDATE satisfice_studies SET created_at = ? WHERE id = ?", (case.odd, case.study))
        (name,) = base.execute("SELECT name FROM satisfice_studies WHERE id = ?", (case.study,)).fetchone()
    base.close()
    return str(name)


def look(satisfice: Any, url: str, name: str, case: Case) -> dict[str, str]:
    """What all readers say of a study, and that the innocent one is shown; what refuses says so in a sentence."""
    said = {}
    for command, *more in READERS:
        done = satisfice(command, url, "--name", name, *more)
        assert done.code in (0, 1, 2, 3, 4), case
        if done.code in (1, 2):
            said[command] = done.err.strip() or done.out.strip()
            check_sentences(said[command])
    listed = {row["study"]: row for row in json.loads(satisfice("list", url, "--json").out)}
    assert listed["innocent"]["outcome"] == "FOUND", case
    assert (listed[name]["outcome"] is None) == ("status" in said) == bool(listed[name]["trouble"]), case
    assert "innocent" in satisfice("list", url).out
    studies = Studies(open_storage(url, read_only=True))
    assert is_troubled(studies, name) == ("status" in said), (case, said)
    on_page = {row["name"]: row for row in studies.listed()}
    assert on_page["innocent"]["created"]
    studies.close()
    return said


def is_troubled(studies: Studies, name: str) -> bool:
    """Whether the page of a study says why it cannot be shown."""
    try:
        shown = json.loads(studies.feed(name)[0].snapshot().text)
    except SatisficeError as error:
        check_sentences(str(error))
        return True
    return "trouble" in shown or shown["now"]["trouble"] != ""


def says_the_same(status: str, verify: str) -> bool:
    """Whether both refuse in the same words, or `verify` did so sooner: it checks choices and budgets, too."""
    return status.partition(": ")[2] in verify or event_in(verify) < event_in(status)


def event_in(sentence: str) -> int:
    return int(found[1]) if (found := re.search(r"Event (\d+)", sentence)) else 0


@pytest.mark.parametrize(
    ("most", "seed"), [(40, 1), pytest.param(None, 2, marks=[pytest.mark.full, pytest.mark.timeout(7200)])]
)
def test_no_log_hangs_a_reader_nor_hides_another_study(
    most: int | None, seed: int, file: Path, folder: Path, satisfice: Any
) -> None:
    """Before, what never ended were readers of NaN or -1000, and one odd time of creation hid all studies."""
    cases = cases_in(file)
    order = np.random.default_rng(seed).permutation(len(cases))[:most]
    refused = 0
    for place in order:
        case, path = cases[place], folder / f"{place}.db"  # what looked at the last one may still do so
        shutil.copy(file, path)
        name = attacked(path, case)
        with limited(case):
            said = look(satisfice, f"sqlite:///{path.name}", name, case)
        if "status" in said:
            refused += 1
            assert says_the_same(said["status"], said["verify"]), (case, said)
    assert refused > len(order) // 2
    print(f"{len(order)} of {len(cases)} cases, {refused} refused")
