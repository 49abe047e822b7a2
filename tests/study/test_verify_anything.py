"""Verification of anything at all: a sentence, whatever stands in the file, and no verdict that it does not lead to."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import satisfice as sf
from satisfice.errors import InvalidSeal, UnknownStudy
from satisfice.study.events import BEFORE_ALL, Event, canonical, digest_of, stored
from satisfice.study.storage.protocol import StudySummary
from tests.helpers.parts import Clock, finish, results_of, study_in

Change = Callable[[str, dict[str, Any]], None]


class GivenLog:
    """A log of events that somebody made."""

    def __init__(self, events: list[tuple[int, str, str, str]]) -> None:
        self._rows = events

    def read(self, after: int) -> Iterator[Event]:
        return (stored(*row) for row in self._rows[after:])

    def extend(self, after: int, decide: Any) -> None: ...

    def close(self) -> None: ...


class Given:
    """A storage with that log."""

    def __init__(self, events: list[tuple[str, str]]) -> None:
        rows, previous = [], BEFORE_ALL
        for place, (kind, body) in enumerate(events):
            previous = digest_of(previous, place + 1, kind, body)
            rows.append((place + 1, kind, body, previous))
        self._log = GivenLog(rows)

    def create(self, name: str, first: Event) -> Any: ...

    def open(self, name: str) -> GivenLog:
        return self._log

    def studies(self) -> tuple[StudySummary, ...]:
        return (StudySummary("given", "", 0.0, 0),)

    def close(self) -> None: ...


@pytest.fixture(scope="module")
def events() -> list[Event]:
    """A log with every kind of event that has to do with results."""
    clock = Clock()
    study = study_in(clock=clock, on_error="retry")
    pulls = study.ask(5)
    study.release(pulls[0])
    study.fail(pulls[1], "once")
    for pull in pulls[2:]:
        study.tell(pull, results_of(pull))
    clock.now += 5.0
    finish(study)
    found = list(study.events())
    assert len({event.kind for event in found}) == 7
    return found


def changed(events: list[Event], change: Change, first: int = 0) -> Given:
    rows = []
    for event in events:
        content = dict(stored(event.position, event.kind, event.body, event.digest).content)
        if event.position > first:
            change(event.kind, content)
        rows.append((event.kind, canonical(content)))
    return Given(rows)


def test_the_log_itself_is_verified(events: list[Event]) -> None:
    found = sf.verify(changed(events, lambda kind, content: None))
    assert found.ok, found.problems
    assert (found.reissued, found.released, found.foreign) == (2, 1, ())
    assert "2 pulls given out again, 1 given back, no code from outside" in str(found)


def value_outside_its_range(kind: str, content: dict[str, Any]) -> None:
    if kind == "told":
        content["values"][1] = 0.5


def value_that_is_a_bool(kind: str, content: dict[str, Any]) -> None:
    if kind == "told":
        content["values"][1] = bool(content["values"][1])


def value_that_is_a_text(kind: str, content: dict[str, Any]) -> None:
    if kind == "told":
        content["values"][0] = str(content["values"][0])


def value_beyond_all(kind: str, content: dict[str, Any]) -> None:
    if kind == "told":
        content["values"][0] = 1e200


def more_values(kind: str, content: dict[str, Any]) -> None:
    if kind == "told":
        content["values"].append(1.0)


def time_that_is_a_text(kind: str, content: dict[str, Any]) -> None:
    content["at"] = "noon"


def time_without_end(kind: str, content: dict[str, Any]) -> None:
    content["at"] = 10**400


def attempt_that_is_a_bool(kind: str, content: dict[str, Any]) -> None:
    if "attempt" in content:
        content["attempt"] = bool(content["attempt"])


def lease_of_nothing(kind: str, content: dict[str, Any]) -> None:
    if "lease" in content:
        content["lease"] = -1.0


def failure_that_counts_as_worst(kind: str, content: dict[str, Any]) -> None:
    if kind == "failed":
        content["then"] = "worst"


def another_field(kind: str, content: dict[str, Any]) -> None:
    content["weight"] = 2


def choice_of_another(kind: str, content: dict[str, Any]) -> None:
    if kind == "asked" and content["number"] == 6:
        content["arm"] = (content["arm"] + 1) % 3


def no_rule(kind: str, content: dict[str, Any]) -> None:
    if kind == "created":
        content["spec"]["rule"] = ["pandora"]


def rule_with_texts(kind: str, content: dict[str, Any]) -> None:
    if kind == "created":
        content["spec"]["rule"]["fields"] = dict.fromkeys(content["spec"]["rule"]["fields"], "x")


def seed_that_is_a_bool(kind: str, content: dict[str, Any]) -> None:
    if kind == "created":
        content["spec"]["seed"] = False


def thresholds_of_numbers(kind: str, content: dict[str, Any]) -> None:
    if kind == "created":
        content["spec"]["thresholds"] = [1, None]


CHANGES: list[Change] = [
    *(value_outside_its_range, value_that_is_a_bool, value_that_is_a_text, value_beyond_all, more_values),
    *(time_that_is_a_text, time_without_end, attempt_that_is_a_bool, lease_of_nothing),
    *(failure_that_counts_as_worst, another_field, choice_of_another),
    *(no_rule, rule_with_texts, seed_that_is_a_bool, thresholds_of_numbers),
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_log_sealed_anew_that_makes_no_sense(change: Change, events: list[Event]) -> None:
    """Before, seven of these were verified or ended in a traceback."""
    found = sf.verify(changed(events, change))
    assert not found.ok
    assert found.verdict is None


def with_also(also: object) -> Change:
    def change(kind: str, content: dict[str, Any]) -> None:
        if kind == "told":
            content["also"] = also

    return change


def test_results_that_no_limit_is_about_are_verified_as_they_would_be_kept(events: list[Event]) -> None:
    found = sf.verify(changed(events, with_also({"seconds": 1.5, "restarts": 2, "build": "v1"})))
    assert found.ok, found.problems


@pytest.mark.parametrize(
    "also",
    [
        *({}, [], {"seconds": None}, {"ok": True}, {"bytes": 2**60}, {"": 1.0}),
        *({"x" * 101: 1.0}, {"log": "x" * 201}, {"all": [1.0, 2.0]}),
    ],
    ids=["nothing", "list", "none", "bool", "large", "no name", "long name", "long text", "values"],
)
def test_results_beside_that_nobody_would_have_kept(also: object, events: list[Event]) -> None:
    found = sf.verify(changed(events, with_also(also)))
    assert "(told) has 'also' = " in found.problems[0]


def test_results_of_a_pull_that_nobody_has(events: list[Event]) -> None:
    rows = [(event.kind, event.body) for event in events]
    place = next(place for place, event in enumerate(events) if event.kind == "released")
    told = canonical({"number": 0, "attempt": 0, "at": 1000.0, "values": [3.0, 0.0]})
    found = sf.verify(Given([*rows[: place + 1], ("told", told)]))
    assert "nobody works on" in found.problems[0]


def test_what_ends_the_reading_is_told_with_the_event(events: list[Event]) -> None:
    given = Given([(event.kind, event.body) for event in events[:4]])
    log = given.open("")

    def broken(after: int) -> Iterator[Event]:
        yield from GivenLog.read(log, after)
        raise OSError("the disk is gone")

    log.read = broken  # type: ignore[method-assign]  # a disk that fails while it is read
    found = sf.verify(given)
    assert found.problems == ("Event 5 cannot be replayed: OSError: the disk is gone.",)
    assert (found.events, found.verdict) == (4, None)


def test_an_unknown_kind_of_event(events: list[Event]) -> None:
    rows = [(event.kind, event.body) for event in events[:4]]
    assert "does not know" in sf.verify(Given([*rows, ("decided", '{"at":1.0}')])).problems[0]


ODD = [
    *(None, True, False, -1, 10**30, 0.5, 1e300, "", "text", [], [[]], {}, {"a": None}, [None] * 3, [1e300, "x"]),
    *("\x00", "\ud800"[:0] + "é", ["a"] * 50, -0.0, [True, 2]),
]


def odd_log(events: list[Event], rng: np.random.Generator) -> tuple[list[tuple[str, str]], bool]:
    """A log with an odd value somewhere, and whether it is of another type than what stood there."""
    place = int(rng.integers(len(events)))
    rows = [(event.kind, event.body) for event in events[: place + 1 + int(rng.integers(4))]]
    content = stored(1, events[place].kind, events[place].body, "").content
    inside = content["spec"] if events[place].kind == "created" and rng.random() < 0.9 else content
    if inside is not content and rng.random() < 0.3:
        inside = inside[str(rng.choice(["rule", "stopping"]))]
    key = str(rng.choice(list(inside)))
    odd, what = ODD[int(rng.integers(len(ODD)))], rng.random()
    other = type(odd) is not type(inside[key]) and (key, odd) != ("at", -1)  # a clock may show whole seconds
    if what < 0.7:
        inside[key] = odd
    elif what < 0.8:
        del inside[key]
    elif what < 0.9:
        inside["also"] = odd
    kind = events[place].kind if what < 0.97 else str(rng.choice([*{event.kind for event in events}, "none"]))
    rows[place] = (kind, canonical(content))
    fine = (key == "timeout" and type(odd) is float and odd > 0.0) or (key == "cost" and type(odd) is str)
    return rows, other and what < 0.7 and not fine and key not in ("lease_seconds", "baseline", "version", "worst")


@pytest.mark.parametrize(
    ("cases", "seed"), [(300, 1), pytest.param(20_000, 2, marks=[pytest.mark.full, pytest.mark.timeout(1200)])]
)
def test_logs_with_odd_values_are_verified_or_not_in_a_sentence(cases: int, seed: int, events: list[Event]) -> None:
    rng = np.random.default_rng(seed)
    some = events[:40]
    for _ in range(cases):
        rows, wrong = odd_log(some, rng)
        found = sf.verify(Given(rows))
        assert isinstance(str(found), str)
        assert not (wrong and found.ok), rows[-1]


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("file") / "study.db"
    with study_in(f"sqlite:///{path}") as study:
        for pull in study.ask(6):
            study.tell(pull, results_of(pull))
    return path


@pytest.mark.parametrize("cases", [60, pytest.param(3000, marks=[pytest.mark.full, pytest.mark.timeout(1200)])])
def test_files_of_anything(cases: int, file: Path, tmp_path: Path) -> None:
    rng, path, whole = np.random.default_rng(cases), tmp_path / "any.db", file.read_bytes()
    for case in range(cases):
        data = bytearray(whole)
        if case % 3 == 0:
            data = bytearray(rng.bytes(int(rng.integers(5000))))
        elif case % 3 == 1:
            data = data[: int(rng.integers(len(data)))]
        else:
            start = int(rng.integers(len(data)))
            data[start : start + 50] = rng.bytes(50)
        path.write_bytes(data)
        try:
            assert isinstance(sf.verify(f"sqlite:///{path}"), sf.Verification)
        except UnknownStudy:
            continue  # a database without studies: there is nothing to verify


@pytest.mark.parametrize(
    "column",
    ["satisfice_events.body", "satisfice_events.kind", "satisfice_events.digest", "satisfice_studies.head_digest",
     "satisfice_studies.head_position", "satisfice_studies.identity", "satisfice_schema.version",
     "satisfice_snapshots.data"],
)  # fmt: skip
@pytest.mark.parametrize("odd", ["x'ff00'", "'[['", "-1", "1e300"])
def test_columns_of_other_types(column: str, odd: str, file: Path, tmp_path: Path) -> None:
    path = tmp_path / "any.db"
    shutil.copy(file, path)
    table, name = column.split(".")
    base = sqlite3.connect(path)
    with base:
        base.execute("PRAGMA ignore_check_constraints = ON")
        base.execute(f"UPDATE {table} SET {name} = {odd}")
    base.close()
    assert isinstance(sf.verify(f"sqlite:///{path}"), sf.Verification)


@pytest.mark.parametrize("head", ["", "  ", "abc", "0123456789abcde", "not hexadecimal at all", "0" * 65])
def test_a_noted_seal_has_sixteen_digits(head: str, file: Path) -> None:
    """Before, an empty one was met by every log, and one digit by most."""
    with pytest.raises(InvalidSeal, match="at least 16 hexadecimal digits"):
        sf.verify(f"sqlite:///{file}", head=head)


def test_a_noted_seal_may_be_written_in_capitals(file: Path) -> None:
    noted = sf.verify(f"sqlite:///{file}").head
    assert sf.verify(f"sqlite:///{file}", head=noted[:16].upper()).ok
