"""Processes that fork while they use a study."""

import subprocess
import sys

import pytest

CODE = """
import gc, os, sys
import satisfice as sf
from sqlalchemy import text

study = sf.create_study(["a", "b"], ["x >= 1 : normal(1)"], storage=sys.argv[1])
pulls = study.ask(8)
study.view()
backend = lambda: study._log._rows(text(sys.argv[2]))[0][0]
before = backend()
for number in range(4):
    child = os.fork()
    if not child:
        if number % 2:
            study.tell(pulls[number], {"x": 1.0})
            gc.collect()
            sys.exit(0)
        del study, backend
        gc.collect()
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
for number in (0, 2, 4):
    study.tell(pulls[number], {"x": 1.0})
assert backend() == before
assert study.counts().told == 5, study.counts()
study.close()
assert sf.verify(sys.argv[1]).ok
"""


@pytest.mark.parametrize("storage", ["sqlite", "postgres"])
def test_children_that_exit_leave_the_connection_to_their_parent(storage: str, request: pytest.FixtureRequest) -> None:
    """Before, a child that merely exited ended its parent's connection to PostgreSQL."""
    url = request.getfixturevalue(storage)
    which = "SELECT pg_backend_pid()" if storage == "postgres" else "SELECT 1"
    done = subprocess.run(
        [sys.executable, "-c", CODE, url, which], capture_output=True, text=True, timeout=100, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
