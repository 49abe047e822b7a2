"""A notebook in a real kernel: progress, a study, a verdict, and a figure are in its outputs."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

CELLS = [
    """
import numpy as np
import satisfice as sf

rng = np.random.default_rng(1)
study = sf.create_study(["slow", "quick"], ["ms <= 10 ~ 1 : normal(2)"], goal="all")
verdict = study.run(lambda config: {"ms": rng.normal({"slow": 14, "quick": 7}[config], 2)})
""",
    "study",
    "verdict",
    "study.plot()",
    "study.forecast() is None",
]

EXECUTE = """
import sys
import nbformat
from nbclient import NotebookClient

notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=240, kernel_name="python3").execute()
nbformat.write(notebook, sys.argv[1])
"""


def executed(folder: Path) -> list[list[dict[str, Any]]]:
    """What stands below each cell after the notebook ran."""
    path = folder / "study.ipynb"
    cells = [
        {
            "cell_type": "code",
            "id": f"cell-{place}",
            "metadata": {},
            "source": one,
            "outputs": [],
            "execution_count": None,
        }
        for place, one in enumerate(CELLS)
    ]
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", EXECUTE, path], capture_output=True, text=True, cwd=folder, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return [cell["outputs"] for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]


def html(outputs: list[dict[str, Any]]) -> str:
    (one,) = outputs
    return "".join(one["data"]["text/html"])


@pytest.mark.full
def test_a_notebook_shows_what_there_is(tmp_path: Path) -> None:
    if importlib.util.find_spec("nbclient") is None or importlib.util.find_spec("ipykernel") is None:
        pytest.skip("there is no kernel here: pip install nbclient ipykernel")
    progress, study, verdict, figure, forecast = executed(tmp_path)
    assert progress[-1]["output_type"] == "display_data"  # drawn anew in its place, and nothing else is said
    assert len(progress) == 1
    for shown in (html(progress), html(study)):
        assert "FOUND" in shown
        assert "quick" in shown
        assert 'class="track' in shown
    assert "wrong with probability at most 5 %" in html(verdict)
    assert figure[-1]["data"]["image/png"]
    assert forecast[0]["data"]["text/plain"] == ["True"]  # there is a verdict
