"""Two services of one storage under clients that repeat, hang up and contradict each other: every answer is true."""

import random
import time
from threading import Thread
from typing import Any

import httpx
import pytest

import satisfice as sf
from satisfice.study.verify import verify
from tests.helpers.parts import endless
from tests.web.serving import served

Said = tuple[str, float, int, str]
"""A pull, what was told of it (below 0: a failure), the status of the answer, and its error."""


class Client(Thread):
    """Asks, and tells each result up to three times at once, to either service, at times not what it told before."""

    def __init__(self, addresses: list[str], seed: int, until: float) -> None:
        super().__init__(daemon=True)
        self._addresses, self._rng, self._until = addresses, random.Random(seed), until
        self.heard: list[Said] = []
        self.given: list[str] = []

    def run(self) -> None:
        with httpx.Client(timeout=30) as web:
            while time.monotonic() < self._until:
                came = self._post(web, "ask", {"n": self._rng.randint(1, 4)})
                pulls = came.json()["pulls"] if came is not None and came.status_code == 200 else []
                self.given += [one["id"] for one in pulls]
                tellers = [
                    Thread(target=self._tell, args=(web, one["id"]), daemon=True) for one in pulls for _ in range(3)
                ]
                self._rng.shuffle(tellers)
                for one in tellers:
                    one.start()
                for one in tellers:
                    one.join()

    def _tell(self, web: httpx.Client, pull: str) -> None:
        value = self._rng.choice([3.0, 3.0, 3.0, 4.0, -1.0])
        results = {"pull": pull, "results": {"speed": value, "loss": 0}}
        came = (
            self._post(web, "fail", {"pull": pull, "reason": "no luck"})
            if value < 0
            else self._post(web, self._rng.choice(["tell", "exchange"]), results)
        )
        if came is not None:
            self.heard.append((pull, value, came.status_code, came.json().get("error", "")))

    def _post(self, web: httpx.Client, what: str, content: dict[str, Any]) -> httpx.Response | None:
        if what == "exchange":
            content = {"tell": [content]}
        hangs_up = self._rng.random() < 0.1
        try:
            return web.post(
                f"{self._rng.choice(self._addresses)}/api/{what}", json=content, timeout=0.01 if hangs_up else 30
            )
        except httpx.TimeoutException:
            return None


def untrue(heard: list[Said], told: dict[str, float]) -> list[Said]:
    """Answers that the log contradicts; `told` has what it says of each attempt at a pull."""
    return [
        one
        for one in heard
        if {
            (200, ""): told.get(one[0]) != one[1],
            (409, "PullReissued"): told.get(one[0]) == one[1],
            (409, "PullAlreadyTold"): told.get(one[0], one[1]) == one[1],
        }.get(one[2:], True)
    ]


@pytest.mark.parametrize(
    "seconds", [2, pytest.param(60, marks=[pytest.mark.full, pytest.mark.timeout(600)])], ids=["a little", "much"]
)
def test_every_answer_is_true(sqlite: str, seconds: int) -> None:
    endless(sqlite, number=2).close()
    with served(sqlite) as one, served(sqlite) as two:
        until = time.monotonic() + seconds
        clients = [Client([str(one.base_url), str(two.base_url)], seed, until) for seed in range(6)]
        for client in clients:
            client.start()
        for client in clients:
            client.join(seconds + 60)
    heard = [one for client in clients for one in client.heard]
    with sf.load_study(sqlite) as study:
        told = {
            f"{study.identity}:{event.content['number']}:{event.content['attempt']}": event.content.get(
                "values", [-1.0]
            )[0]
            for event in study.events()
            if event.kind in ("told", "failed")
        }
    given = [one for client in clients for one in client.given]
    assert len(given) == len(set(given))
    assert len(heard) > seconds
    assert untrue(heard, told) == []
    assert verify(sqlite).ok
