"""Studies that were deleted while somebody had them: each says so, and leaves one that has its name since alone."""

import sqlite3
from typing import Any

import pytest

import satisfice as sf
from satisfice.errors import UnknownStudy
from satisfice.study.storage.protocol import open_storage
from tests.helpers.parts import endless, results_of
from tests.web.serving import served

DELETED = "was deleted from .* while it was in use"


@pytest.mark.parametrize("namesake", [False, True])
def test_whoever_has_a_deleted_study_is_told_so(storage: Any, namesake: bool) -> None:
    """Before, its log was said to be damaged, or nothing was said at all."""
    kept = open_storage(storage)
    for use in ("ask", "view", "tell", "heartbeat", "run", "evaluations"):
        old = endless(kept, name="other")
        (pull,) = old.ask(1)
        sf.delete_study(kept, "other")
        if namesake:
            endless(kept, name="other", number=2).ask(2)
        uses = {
            "ask": old.ask,
            "view": old.view,
            "tell": lambda pull=pull, old=old: old.tell(pull, results_of(pull)),
            "heartbeat": lambda pull=pull, old=old: old.heartbeat(pull),
            "run": lambda old=old: old.run(lambda config: {"speed": 3.0, "loss": 0.0}),
            "evaluations": lambda old=old: list(old.evaluations()),
        }
        with pytest.raises(UnknownStudy, match=DELETED):
            uses[use]()
        if namesake:
            assert sf.verify(kept, "other").ok
            sf.delete_study(kept, "other")


def test_a_number_is_never_given_again(sqlite: str) -> None:
    """Before, SQLite gave the number of the last study to the next one."""
    kept, numbers = open_storage(sqlite), []
    for _ in range(3):
        endless(kept).close()
        with sqlite3.connect(sqlite.removeprefix("sqlite:///")) as base:
            numbers += [number for (number,) in base.execute("SELECT id FROM satisfice_studies")]
        base.close()
        sf.delete_study(kept, "study")
    assert numbers == [1, 2, 3]


@pytest.mark.parametrize("namesake", [False, True])
@pytest.mark.parametrize("over_http", [True, False])
def test_clients_of_a_server_are_told_so(sqlite: str, namesake: bool, over_http: bool) -> None:
    """Also where another process deleted it. Before, the namesake looked tampered with."""
    with served(sqlite) as web:
        url = str(web.base_url)
        old = endless(url)
        (pull,) = old.ask(1)
        sf.delete_study(url if over_http else sqlite, "study")
        if namesake:
            with endless(sqlite, number=2) as new:
                new.ask(1)
        for use in (old.ask, old.view, lambda: old.tell(pull, results_of(pull)), lambda: old.heartbeat(pull)):
            with pytest.raises(UnknownStudy, match=DELETED):
                use()
        raw = web.post("/api/tell", params={"study": "study"}, json={"pull": pull.id, "results": results_of(pull)})
        assert raw.status_code == 404
        assert "deleted" in raw.json()["detail"] or not namesake
        if namesake:
            again = sf.load_study(url, "study")
            assert len(again.spec.names) == 2
            (pull,) = again.ask(1)
            again.tell(pull, results_of(pull))
            assert sf.verify(sqlite).ok
