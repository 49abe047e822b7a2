"""Draw the pictures of the live table and, with chromium, of the dashboard: python docs/pictures.py [table] [dashboard]

The study is that of examples/iot, at its end and, in the dashboard, in the middle; the same numbers every time.
"""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir
from itertools import product
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import MONOKAI

import satisfice as sf
from satisfice.cli.request import RUN_KEYS
from satisfice.files.study_file import load_study_file
from satisfice.show.live import Moment, live_view

DOCS = Path(__file__).parent
FOLDER = DOCS.parent / "examples" / "iot"
EVALUATIONS, SECONDS = 200, 7.2


def new_study(storage: str = "memory") -> sf.Study:
    said = load_study_file(FOLDER / "study.toml", also=RUN_KEYS)
    return sf.create_study(
        sf.grid(**said.grid), list(said.thresholds), storage=storage, name="radio", max_evaluations=2000
    )


def measured(pull: sf.Pull) -> dict[str, float]:
    """What the bench prints of one evaluation."""
    words = ["./bench.sh", "--codec", pull.parameters["codec"], "--tx", str(pull.parameters["txpower"])]
    environment = os.environ | {"SATISFICE_NUMBER": str(pull.number)}
    done = subprocess.run(words, cwd=FOLDER, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)  # type: ignore[no-any-return] # an object of numbers


def half_a_study(storage: str) -> sf.Study:
    """The study after some evaluations, with three under way."""
    study = new_study(storage)
    for pull in iter(study.ask, None):
        if pull.number == EVALUATIONS:
            study.ask(3)
            return study
        study.tell(pull, measured(pull))
    raise SystemExit(f"The study ended before evaluation {EVALUATIONS}: draw it at an earlier one.")


def draw_table() -> None:
    """What a run leaves on the screen: the last table, how much it took, and the verdict."""
    study = new_study()
    for pull in iter(study.ask, None):
        study.tell(pull, measured(pull))
    verdict = study.verdict()
    moment = Moment(
        name=study.name,
        problem=study.problem,
        verdict=verdict,
        statuses=study.statuses(),
        parameters=study.configs,
        seconds=SECONDS,
        evaluations_now=verdict.evaluations,
        max_evaluations=2000,
    )
    console = Console(width=120, height=40, record=True, force_terminal=True, file=io.StringIO(), highlight=False)
    console.print(live_view(moment, console))
    console.print(f"\n[bold]{verdict}[/bold]")
    picture = console.export_svg(title="satisfice run", theme=MONOKAI, unique_id="live")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)  # nothing is loaded from elsewhere
    path = DOCS / "figures" / "live_table.svg"
    path.write_text(picture, encoding="utf-8")
    print(path.relative_to(DOCS.parent))


def draw_dashboard() -> None:
    """The page of the same study at three widths, light and dark."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - for this picture alone

    from satisfice.study.storage.protocol import open_storage  # noqa: PLC0415
    from satisfice.web.app import dashboard_app  # noqa: PLC0415
    from satisfice.web.security import access_to  # noqa: PLC0415
    from satisfice.web.server import bound, serving  # noqa: PLC0415
    from satisfice.web.studies import Studies  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder, chdir(folder), sync_playwright() as playwright:
        half_a_study("sqlite:///iot.db").close()
        studies = Studies(open_storage("sqlite:///iot.db", read_only=True))
        listener = bound("127.0.0.1", 0)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        with serving(dashboard_app(studies, access_to("127.0.0.1")), listener, studies.end_streams):
            for width, scheme in product((400, 800, 1400), ("light", "dark")):
                page = browser.new_page(viewport={"width": width, "height": 1000}, color_scheme=scheme)
                page.set_default_timeout(120_000)
                page.goto(f"http://127.0.0.1:{listener.getsockname()[1]}/?study=radio")
                page.wait_for_selector("[data-part=config] .histogram")
                page.wait_for_selector("[data-part=verdict] >> text=simulated runs")
                page.wait_for_timeout(500)
                path = DOCS / "figures" / f"dashboard-{width}-{scheme}.png"
                page.screenshot(path=path)
                page.close()
                print(path.relative_to(DOCS.parent))
        browser.close()
        studies.close()


DRAWN = {"table": draw_table, "dashboard": draw_dashboard}

if __name__ == "__main__":
    for name in sys.argv[1:] or DRAWN:
        DRAWN[name]()
