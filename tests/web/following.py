"""A browser's idea of a study, in Python: a snapshot, and whatever deltas say."""

import json
from typing import Any

from satisfice.web.feed import Feed, Update


class Followed:
    """What `model.js` does with a stream."""

    def __init__(self, snapshot: dict[str, Any]) -> None:
        self.known = {key: value for key, value in snapshot.items() if key not in ("at", "rows")}
        self.rows = dict(zip(snapshot["at"], snapshot["rows"], strict=True))

    def apply(self, delta: dict[str, Any]) -> None:
        self.known["position"] = delta["position"]
        self.known["now"] |= delta.get("now", {})
        self.known["history"] = delta.get("history", self.known["history"])
        self.rows |= dict(zip(delta.get("at", ()), delta.get("rows", ()), strict=True))


def read(update: Update) -> dict[str, Any]:
    found = json.loads(update.text)
    assert isinstance(found, dict)
    return found


def followed(feed: Feed) -> Followed:
    return Followed(read(feed.snapshot()))
