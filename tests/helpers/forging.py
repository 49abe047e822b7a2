"""Changing a log as a forger would, who has the whole file and seals it anew."""

import json
import sqlite3
from collections.abc import Callable
from typing import Any

from satisfice.study.events import digest_of


def resealed(base: sqlite3.Connection, change: Callable[[str, dict[str, Any]], None], study: int = 1) -> dict[int, str]:
    """Change the contents of a study's events and write every seal anew, head included; the seals by position."""
    previous, seals = "", {}
    of_study = "FROM satisfice_events WHERE study_id = ? ORDER BY position"
    for position, kind, body in base.execute(f"SELECT position, kind, body {of_study}", (study,)).fetchall():
        content = json.loads(body)
        change(kind, content)
        text = loose(content)
        previous = seals[position] = digest_of(previous, position, kind, text)
        base.execute(
            "UPDATE satisfice_events SET body = ?, digest = ? WHERE study_id = ? AND position = ?",
            (text, previous, study, position),
        )
    base.execute("UPDATE satisfice_studies SET head_digest = ? WHERE id = ?", (previous, study))
    return seals


def loose(content: Any) -> str:
    """JSON as satisfice writes it, and NaN and infinity besides."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
