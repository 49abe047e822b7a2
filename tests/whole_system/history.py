"""What must be true of a log, whatever happened while it was written; shares no code with the package.

Each number is told once and as it was drawn; what was acknowledged is there; every seal follows from the one before;
nobody lost a pull before its lease had ended; nobody met an error that no failing storage explains; what failures and
losses led to, and how many evaluations there were, is what the policy said then; nobody heard of a verdict that was not
written, or anything else that was not true; and the verdict is that of the results in the order of asking, right after
the one that gives it.
"""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from tests.whole_system.policies import policy_faults
from tests.whole_system.replay import Replay
from tests.whole_system.world import World


def faults_of(world: World) -> list[str]:
    """Everything that is wrong with what a world left behind."""
    events = _events(world)
    found = [*_seals(world.server.rows), *_results(world, events), *_leases(world), *_raised(world)]
    return [*found, *policy_faults(events), *_verdict(world, events)]


def replayed(world: World) -> Replay:
    """What follows from all that was asked for and told until there was a verdict."""
    replay = Replay(world.question)
    for kind, content in _events(world):
        if replay.verdict is None:
            _take(replay, kind, content)
    return replay


def _events(world: World) -> list[tuple[str, Any]]:
    return [(kind, json.loads(body)) for _, kind, body, _ in world.server.rows]


def _take(replay: Replay, kind: str, content: dict[str, Any]) -> None:
    if kind == "asked":
        replay.ask(content["number"], content["arm"])
    elif kind == "told":
        replay.tell(content["number"], content["values"])
    elif kind == "failed" and content["then"] == "worst":
        replay.tell(content["number"], replay.worst)


def _seals(rows: Iterable[tuple[int, str, str, str]]) -> Iterable[str]:
    previous = ""
    for place, (position, kind, body, digest) in enumerate(rows, start=1):
        if position != place or digest != sha256(f"{previous}\n{position}\n{kind}\n{body}".encode()).hexdigest():
            yield f"event {place} does not follow the one before it"
        previous = digest


def _results(world: World, events: list[tuple[str, Any]]) -> Iterable[str]:
    told: dict[int, tuple[int, list[float]]] = {}
    for kind, content in events:
        if kind == "told":
            if content["number"] in told:
                yield f"pull {content['number']} was told twice"
            told[content["number"]] = content["attempt"], content["values"]
    for number, (attempt, value) in told.items():
        if value not in world.ledger.drawn.get((number, attempt), ()):
            yield f"pull {number} was told with a result that nobody had"
    for (number, attempt), value in world.ledger.acknowledged.items():
        if told.get(number) != (attempt, value):
            yield f"pull {number} was acknowledged and is not in the log"


def _leases(world: World) -> Iterable[str]:
    for number, attempt, seconds in world.ledger.taken_too_early:
        yield f"attempt {attempt} at pull {number} was taken for lost {seconds:.1f} s after a sign of life"


def _raised(world: World) -> Iterable[str]:
    yield from world.ledger.untrue
    for error in world.ledger.raised:
        yield f"somebody met what should not happen: {error!r}"


def _verdict(world: World, events: list[tuple[str, Any]]) -> Iterable[str]:
    """What follows from the results in the order of asking, and when."""
    for outcome in world.ledger.heard_too_early:
        yield f"somebody heard {outcome}, and the log has no such verdict"
    replay, decided_at = Replay(world.question), None
    for kind, content in events:
        expected = replay.verdict
        if kind == "verdict":
            found = {key: content[key] for key in ("outcome", "arm", "evaluations")}
            if found != expected:
                yield f"the log has the verdict {found}, and the results give {expected}"
            return
        if expected is not None and (kind in ("asked", "reissued") or content["at"] != decided_at):
            yield "the results give a verdict, and the log goes on without one"
            return
        decided_at = content["at"]
        _take(replay, kind, content)
    if replay.verdict is not None:
        yield "the results give a verdict, and the log has none"
    elif not world.ended:
        yield "nothing goes wrong any more, and there is no verdict"
