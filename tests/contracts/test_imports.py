"""What is heavy is loaded only where it is needed."""

import subprocess
import sys

import pytest

HEAVY = ("numba", "matplotlib", "pyarrow", "sqlalchemy", "scipy", "rich", "typer")


def loaded_by(program):
    """Which heavy modules a fresh process has loaded after running a program."""
    report = f"import sys; print(*sorted(set({HEAVY!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", f"{program}\n{report}"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()[-1].split()


@pytest.mark.parametrize(
    ("program", "allowed"),
    [
        ("import satisfice", set()),
        ("import satisfice as sf; sf.problem_of(['a >= 1 : normal(1)']); sf.MultiTUCB(); sf.Outcome.FOUND", set()),
        ("import satisfice as sf; sf.Search(sf.problem_of(['a >= 1 : normal(1)']), ['x']).ask()", set()),
        ("import satisfice as sf; sf.simulate; sf.gaussian_arms([[1.0]], 1.0); sf.recorded_arms", set()),
        ("import satisfice as sf; [getattr(sf, name) for name in dir(sf)]", {"scipy"}),
    ],
)
def test_heavy_modules_are_loaded_late(program, allowed):
    assert set(loaded_by(program)) <= allowed


def test_the_report_sees_what_is_loaded():
    assert "pyarrow" in loaded_by("import pyarrow")


def test_an_unknown_public_name_is_named():
    import satisfice as sf  # noqa: PLC0415

    with pytest.raises(AttributeError, match=r"satisfice has no public name 'simulat'. Public: AlphaBoundary,"):
        sf.simulat  # noqa: B018
    assert set(sf.__all__) <= set(dir(sf))
