"""A study as one self-contained HTML file: the page of the dashboard with all it needs inlined.

Without a script it shows the same as tables and pictures; with one they can be sorted, filtered and looked into.
"""

import re
import shlex
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from satisfice.config_rows import config_rows, most_telling
from satisfice.layout.escape import html_text
from satisfice.layout.markup import tag
from satisfice.search.verdict import ArmStatus, Outcome
from satisfice.study import Study, StudyView
from satisfice.study.forecast import beginning_of, forecast
from satisfice.web import parts
from satisfice.web.assets import text_of
from satisfice.web.document import (
    compact_json,
    config_part,
    fixed_part,
    history_part,
    quick_part,
    slow_part,
)
from satisfice.web.history import History
from satisfice.web.rows import Rows

MOST_ROWS, MOST_REASONS, MOST_CONFIGS = 60, 500, 50
"""Configurations in the table that needs no script, with their reason, and with their raw results."""

MOST_NUMBERS = 3000
"""Raw results in the file; where there are more every n-th is drawn, and the histograms have all."""

FORECAST_SECONDS = 1.0
"""For which a study without a verdict is simulated on."""

MOST_SAMPLES = 80
"""Moments of the pictures over time."""

MODULES = (
    "dom",
    "format",
    "track",
    "model",
    "table",
    "charts",
    "detail",
    "rest",
    "verdict",
    "page",
    "list",
    "stream",
    "main",
)
"""The modules in an order in which each comes after those that it imports."""


def report(study: Study, where: str = "STORAGE") -> str:
    """The report as one HTML text that needs nothing else; all of it is about one position of the log."""
    view = study.view()
    view.statuses  # noqa: B018 - each is computed once, here
    history, rows = History(study), Rows(view)
    history.follow(view, seconds=float("inf"))
    rows.refresh(view, seconds=float("inf"))
    fixed, is_open = fixed_part(view, where), view.outcome is Outcome.UNDECIDED
    simulated = forecast(beginning_of(view, history.past.by_line), seconds=FORECAST_SECONDS) if is_open else None
    now = quick_part(view, rows, history, simulated) | slow_part(view) | {"trouble": ""}
    over_time = _thinned(history_part(view, history))
    snapshot = fixed | {
        "names": list(view.spec.names),
        "position": view.position,
        "now": now,
        "history": over_time,
        "at": sorted(rows.texts),
        "rows": [rows.values(place) for place in sorted(rows.texts)],
        "configs": _configs(view, history),
    }
    return _page(view.name, _sections(view, rows, fixed, now, over_time), compact_json(snapshot))


def _sections(
    view: StudyView, rows: Rows, fixed: dict[str, Any], now: dict[str, Any], over_time: dict[str, Any]
) -> str:
    statuses, scales = view.statuses, rows.scales()
    shown, explained = most_telling(statuses, MOST_ROWS), most_telling(statuses, MOST_REASONS)
    key = parts.note(
        f"Marks are estimates (◆ passes, ✕ fails, ● open), lines are intervals, with an arrow where they go on; what "
        f"passes is shaded, the tolerance lighter, the limit dashed. {fixed['intervals']}."
    )
    command = (
        f"satisfice verify {shlex.quote(fixed['storage'])} --name {shlex.quote(view.name)} --head {view.head[:16]}"
    )
    table = config_rows(view.problem, shown, view.running, scales) + _left_out(statuses, shown)
    found = (
        ("configs", "Configurations", key + table),
        ("evidence", "Evidence over evaluations", parts.evidence_part(view, over_time, rows)),
        ("spent", "Where evaluations went", parts.spent_part(statuses)),
        ("why", "Why", parts.why_part(view, explained) + _left_out(statuses, explained)),
        ("work", "Failures, waiting results, workers", parts.work_part(now)),
        ("rests", "What the answer rests on", parts.rests_part(fixed, now)),
        ("measured", "What was measured", parts.measured_part(fixed)),
        ("seal", "The seal, and how to verify", parts.seal_part(view, command)),
    )
    head = tag("header", parts.verdict_part(fixed, now, len(statuses)), class_="verdict", data_part="verdict")
    return head + "".join(
        tag("section", tag("h2", title, id=f"{key}-title") + tag("div", body, class_="part"), data_part=key)
        for key, title, body in found
    )


def _left_out(statuses: Sequence[ArmStatus], shown: Sequence[ArmStatus]) -> str:
    missing = len(statuses) - len(shown)
    return parts.note(f"{missing:,} more are not shown here; `satisfice export` has all.") if missing else ""


def _configs(view: StudyView, history: History) -> dict[int, Any]:
    """The configurations that can be looked into, with as many raw results as the file has room for."""
    chosen = most_telling(view.statuses, MOST_CONFIGS)
    total = sum(one.pulls for one in chosen) or 1
    room = MOST_NUMBERS / len(history.streams)
    return {
        view.spec.places[one.name]: config_part(view, history, one.name, most=max(8, int(room * one.pulls / total)))
        for one in chosen
    }


def _thinned(over_time: dict[str, Any]) -> dict[str, Any]:
    every = max(1, -(-len(over_time["samples"]) // MOST_SAMPLES))
    samples = over_time["samples"][::-1][::every][::-1]
    kept = set(samples)
    lines = [
        line | {"points": [one for one in line["points"][:-1] if one[0] in kept] + line["points"][-1:]}
        for line in over_time["lines"]
    ]
    last = {line["points"][-1][0] for line in lines}
    return {"samples": sorted(kept | last), "lines": lines, "complete": True}


def _page(name: str, sections: str, snapshot: str) -> str:
    """The page of the dashboard with its files and the snapshot in it; it may load nothing."""
    page, scripts = text_of("index.html"), (text_of("vendor/uPlot.iife.min.js"), bundle())
    style = _smaller("".join(text_of(one) for one in ("colours.css", "vendor/uPlot.min.css", "parts.css", "page.css")))
    hashes = " ".join(f"'sha256-{b64encode(sha256(one.encode()).digest()).decode()}'" for one in scripts)
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {hashes}"
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{html_text(name)}</title><style>{style}</style>"
    )
    data = f'<script type="application/json" id="snapshot">{snapshot.replace("<", chr(92) + "u003c")}</script>'
    inlined = data + "".join(f"<script>{one}</script>" for one in scripts)
    page = re.sub(r"<head>.*?</head>", lambda _: f"<head>{head}</head>", page, flags=re.DOTALL)
    page = re.sub(r"<noscript>.*?</noscript>", lambda _: sections, page, flags=re.DOTALL)
    page = page.replace('<a class="home" href="/">satisfice</a>', '<span class="home">satisfice</span>')
    return page.replace("</body>", f"{inlined}</body>")


def bundle() -> str:
    """All modules as one script: imports and exports are left out, since each top-level name is there once."""
    sources = (text_of(f"js/{name}.js") for name in MODULES)
    code = "\n".join(
        re.sub(r"^export ", "", re.sub(r"^import .*$\n", "", one, flags=re.MULTILINE), flags=re.MULTILINE)
        for one in sources
    )
    lines = (line.strip() for line in code.splitlines())
    return (
        '(() => {"use strict";\n'
        + "\n".join(line for line in lines if line and not line.startswith(("//", "/**")))
        + "\n})();"
    )


def _smaller(style: str) -> str:
    return re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL))
