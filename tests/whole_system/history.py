"""What must be true of a log, whatever happened while it was written; shares no code with the package.

Each number is told once and as it was drawn; what was acknowledged is there; every seal follows from the one before;
nobody lost a pull before its lease had ended; and the verdict is that of the results in the order of asking.
"""

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from tests.equivalence.naive_default import Metric, levels, log_evidence
from tests.whole_system.world import MEANS, World

SECONDS = Metric("normal", (1.0,), 5.0, 0.5, at_least=False)


def faults_of(world: World) -> list[str]:
    """Everything that is wrong with what a world left behind."""
    events = [(kind, json.loads(body)) for _, kind, body, _ in world.server.rows]
    return [*_seals(world.server.rows), *_results(world, events), *_leases(world), *_verdict(world, events)]


def _seals(rows: Iterable[tuple[int, str, str, str]]) -> Iterable[str]:
    previous = ""
    for place, (position, kind, body, digest) in enumerate(rows, start=1):
        if position != place or digest != sha256(f"{previous}\n{position}\n{kind}\n{body}".encode()).hexdigest():
            yield f"event {place} does not follow the one before it"
        previous = digest


def _results(world: World, events: list[tuple[str, Any]]) -> Iterable[str]:
    told: dict[int, tuple[int, float]] = {}
    for kind, content in events:
        if kind == "told":
            if content["number"] in told:
                yield f"pull {content['number']} was told twice"
            told[content["number"]] = content["attempt"], content["values"][0]
    for number, (attempt, value) in told.items():
        if world.ledger.drawn.get((number, attempt)) != value:
            yield f"pull {number} was told with a result that nobody had"
    for (number, attempt), value in world.ledger.acknowledged.items():
        if told.get(number) != (attempt, value):
            yield f"pull {number} was acknowledged and is not in the log"


def _leases(world: World) -> Iterable[str]:
    for number, attempt, seconds in world.ledger.taken_too_early:
        yield f"pull {number} was given out for the {attempt + 1}. time {seconds:.1f} s after a sign of life"


def _verdict(world: World, events: list[tuple[str, Any]]) -> Iterable[str]:
    """Fold each config's results in the order of asking, and decide by the formulas."""
    asked: dict[int, int] = {}
    lines: dict[int, list[int]] = {arm: [] for arm in range(len(MEANS))}
    results: dict[int, float] = {}
    folded: dict[int, list[float]] = {arm: [] for arm in lines}
    left, expected = set(lines), None
    for kind, content in events:
        if kind == "verdict":
            found = {key: content[key] for key in ("outcome", "arm", "evaluations")}
            if found != expected:
                yield f"the log has the verdict {found}, and the results give {expected}"
            return
        if expected is not None and kind in ("asked", "reissued", "told"):
            yield "the results give a verdict, and the log goes on without one"
            return
        if kind == "asked":
            asked[content["number"]] = content["arm"]
            lines[content["arm"]].append(content["number"])
        elif kind == "told":
            results[content["number"]] = content["values"][0]
            arm = asked[content["number"]]
            while expected is None and len(folded[arm]) < len(lines[arm]) and lines[arm][len(folded[arm])] in results:
                folded[arm].append(results[lines[arm][len(folded[arm])]])
                decision = _decision(folded[arm]) if arm in left else None
                if decision is not None:
                    left.discard(arm)
                if decision or not left:
                    expected = {
                        "outcome": "FOUND" if decision else "NONE",
                        "arm": list(MEANS)[arm] if decision else None,
                        "evaluations": sum(map(len, folded.values())),
                    }
    if expected is not None:
        yield "the results give a verdict, and the log has none"
    elif not world.ended:
        yield "nothing goes wrong any more, and there is no verdict"


def _decision(results: list[float]) -> bool | None:
    """Whether a config passes; None if that is not certain."""
    accept, reject = levels(0.1, len(MEANS), "any")
    if log_evidence(SECONDS, [-x for x in results], -(5.0 + 0.5)) >= accept:
        return True
    if sum(results) / len(results) > 5.0 and log_evidence(SECONDS, list(results), 5.0) >= reject:
        return False
    return None
