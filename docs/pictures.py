"""Draw the picture of the live table: python docs/pictures.py

The study is that of examples/iot, stopped in the middle; the same numbers every time.
"""

import io
import json
import os
import re
import subprocess
from collections import Counter
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


def half_a_study() -> tuple[sf.Study, list[str]]:
    """The study after some evaluations, and the configurations that would be evaluated now."""
    said = load_study_file(FOLDER / "study.toml", also=RUN_KEYS)
    study = sf.create_study(sf.grid(**said.grid), list(said.thresholds), storage="memory")
    for pull in iter(study.ask, None):
        if pull.number == EVALUATIONS:
            return study, [pull.name, *(other.name for other in study.ask(3))]
        words = ["./bench.sh", "--codec", pull.parameters["codec"], "--tx", str(pull.parameters["txpower"])]
        environment = os.environ | {"SATISFICE_NUMBER": str(pull.number)}
        done = subprocess.run(words, cwd=FOLDER, env=environment, capture_output=True, text=True, check=True)
        study.tell(pull, json.loads(done.stdout))
    raise SystemExit(f"The study ended before evaluation {EVALUATIONS}: draw it at an earlier one.")


def main() -> None:
    study, running = half_a_study()
    moment = Moment(
        name=study.name,
        problem=study.problem,
        verdict=study.verdict(),
        statuses=study.statuses(),
        parameters=study.configs,
        evaluating=Counter(running),
        seconds=SECONDS,
        evaluations_now=EVALUATIONS,
        max_evaluations=2000,
    )
    console = Console(width=120, height=40, record=True, force_terminal=True, file=io.StringIO(), highlight=False)
    console.print(live_view(moment, console))
    picture = console.export_svg(title="satisfice run", theme=MONOKAI, unique_id="live")
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)  # nothing is loaded from elsewhere
    path = DOCS / "figures" / "live_table.svg"
    path.write_text(picture, encoding="utf-8")
    print(path.relative_to(DOCS.parent))


if __name__ == "__main__":
    main()
