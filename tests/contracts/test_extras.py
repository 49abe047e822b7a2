"""The small installation: what works without the extras, and the sentence that what does not work gets."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from satisfice.errors import MissingPackage
from satisfice.extras import EXTRAS, need

ROOT = Path(__file__).resolve().parents[2]
WITHOUT = ("numba", "scipy", "matplotlib", "pyarrow", "pandas", "distributed", "psycopg", "cryptography")

BLOCKED = f"""
import sys
sys.modules.update(dict.fromkeys({WITHOUT!r}))
import satisfice as sf
from satisfice.cli import main
"""

STUDY = """
[getattr(sf, name) for name in dir(sf)]
import random
rng = random.Random(1)
def evaluate(config):
    better = 0.4 if config == "b" else 0.0
    return {"checked": rng.gauss(better, 0.2), "share": rng.betavariate(2 + 6 * better, 2),
            "passed": rng.random() < 0.6 + better, "time": 10 - 10 * better + rng.expovariate(1.0),
            "spread": rng.gauss(better, 0.2)}
limits = ["checked >= 0.2 ~ 0.1", "share >= 0.5 ~ 0.1 : bounded(0, 1)", "passed >= 0.8 ~ 0.1 : bernoulli",
          "p90(time) <= 12 ~ 3", "spread >= 0.2 ~ 0.1 : spread(0.4)"]
study = sf.create_study(configs=["a", "b"], thresholds=limits, error_rate=0.1, storage=sys.argv[1])
verdict = study.run(evaluate, max_evaluations=1000)
assert verdict.arm == "b", verdict
assert abs(sf.theory.beta_distribution(0.0, 1.0, 2.0, 3.0).mean - 0.4) < 1e-12
sf.simulate(sf.problem_of(["a >= 1 : normal(1)"]), sf.gaussian_arms([[2.0]], 1.0), repetitions=2, engine="interpreted")
"""


def blocked(program, *arguments, cwd):
    """What a process without any of the extras prints."""
    command = [sys.executable, "-c", BLOCKED + program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_studies_in_python_need_no_extra(tmp_path):
    done = blocked(STUDY, f"sqlite:///{tmp_path}/study.db", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")


RUN = "run -L level=1,2 -t 'level >= 2 ~ 0.5 : bounded(0, 3)' --quiet --storage sqlite:///s.db -- ../measure {level}"
PROGRAM = """
import shlex
for line in sys.argv[1:]:
    sys.argv = ["satisfice", *shlex.split(line)]
    try:
        main()
    except SystemExit as leaving:
        print("exit", leaving.code, file=sys.stderr)
"""


def said_by(*lines, cwd):
    """What commands say on standard error in a process without any of the extras, their exit codes included."""
    program = cwd.parent / "measure"
    program.write_text('#!/bin/sh\necho "{\\"level\\": $1}"\n')
    program.chmod(0o755)
    done = blocked(PROGRAM, *lines, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


def test_terminal_studies_need_no_extra(tmp_path):
    looks = ("status", "explain", "verify", "export --format csv", "report --out report.html")
    lines = [
        RUN,
        *(f"{look.split()[0]} sqlite:///s.db {' '.join(look.split()[1:])}" for look in looks),
        "list sqlite:///s.db",
    ]
    said = said_by(*lines, f"bounds {ROOT / 'examples/uploads.toml'} -n 0", cwd=tmp_path)
    assert [line for line in said if line.startswith("exit")] == ["exit 0"] * 8, said
    assert not [line for line in said if "pip install" in line]
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("simulate {radio}", "satisfice simulate needs the package numba: pip install 'satisfice[simulate]'."),
        (
            "simulate {radio} --out out",
            "satisfice simulate needs the packages numba, pyarrow and matplotlib: pip install 'satisfice[simulate]'.",
        ),
        ("plan {iot} --json", "satisfice plan needs the package numba: pip install 'satisfice[simulate]'."),
        (
            "reproduce",
            "The paper's reproduction needs the packages numba and matplotlib: pip install 'satisfice[simulate]'.",
        ),
        (
            "bounds {radio}",
            "A simulation beside the bounds needs the package numba: pip install 'satisfice[simulate]'. "
            "--repetitions 0 does without.",
        ),
        (
            "simulate {machines}",
            "satisfice simulate needs the package numba: pip install 'satisfice[simulate]'.",
        ),
        ("status postgresql://u@h/d", "PostgreSQL needs the package psycopg: pip install 'satisfice[postgres]'."),
    ],
)
def test_commands_say_which_extra_they_need(line, sentence, tmp_path):
    paths = {name: ROOT / "examples" / f"{name}.toml" for name in ("radio", "machines")}
    said = said_by(line.format(**paths, iot=ROOT / "examples/iot/study.toml"), cwd=tmp_path)
    assert said == [f"satisfice: {sentence}", "exit 2"]
    assert not list(tmp_path.iterdir()), "nothing is begun"


def test_an_export_says_which_extra_it_needs(tmp_path):
    *_, said, code = said_by(RUN, "export sqlite:///s.db --format parquet --out rows.parquet", cwd=tmp_path)
    assert said.startswith(
        "satisfice: A Parquet file needs the package pyarrow: pip install 'satisfice[arrow]'. CSV and"
    )
    assert code == "exit 2"


def test_all_that_is_missing_is_said_at_once(monkeypatch):
    for name in ("pyarrow", "pandas"):
        monkeypatch.setitem(sys.modules, name, None)
    need("This", "numpy")
    said = "This needs the packages pyarrow and pandas: pip install 'satisfice[arrow,pandas]'. Or that."
    with pytest.raises(MissingPackage) as caught:
        need("This", "pyarrow", "numpy", "pandas", instead="Or that.")
    assert str(caught.value) == said


def test_every_extra_brings_its_package():
    said = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = said["optional-dependencies"]
    for package, extra in EXTRAS.items():
        assert any(line.startswith(package) for line in extras[extra]), f"{extra} does not bring {package}"
        assert not any(line.startswith(package) for line in said["dependencies"])
        assert extra in str(extras["all"]) or extra in str(extras["simulate"])
    assert "satisfice[all]" in extras["dev"], "the tests need them all"


def test_the_page_names_every_extra():
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    page = (ROOT / "docs/how-to/install.md").read_text(encoding="utf-8")
    assert {extra for extra in extras if f"| `{extra}` |" not in page} == {"dev", "docs"}
