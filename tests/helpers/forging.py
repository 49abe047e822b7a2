"""Changing a log as a forger would, who has the whole file and seals it anew."""

import json
import sqlite3
from collections.abc import Callable
from typing import Any

from satisfice.study.events import canonical, digest_of


def resealed(base: sqlite3.Connection, change: Callable[[str, dict[str, Any]], None]) -> dict[int, str]:
    """Change the contents of all events and write every seal anew, head included; the seals by position."""
    previous, seals = "", {}
    rows = base.execute("SELECT position, kind, body FROM satisfice_events ORDER BY position").fetchall()
    for position, kind, body in rows:
        content = json.loads(body)
        change(kind, content)
        text = canonical(content)
        previous = seals[position] = digest_of(previous, position, kind, text)
        base.execute("UPDATE satisfice_events SET body = ?, digest = ? WHERE position = ?", (text, previous, position))
    base.execute("UPDATE satisfice_studies SET head_digest = ?", (previous,))
    return seals
