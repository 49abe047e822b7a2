"""Matches of the expressions that a user gave, in what a program printed."""

import json
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from satisfice.errors import EvaluationFailed, NotMeasured
from satisfice.layout.numbers import written
from satisfice.study.storage.passwords import environment_without_secrets

MATCHER = Path(__file__).with_name("match_process.py")
SHORTEST_SECONDS, LONGEST_SECONDS = 1.0, 10.0
"""Of processor time: at least so much, whatever the time limit of an evaluation, and at most so much."""


def last_matches(expressions: Mapping[str, str], texts: Sequence[str], timeout: float | None) -> dict[str, str | None]:
    """By metric the last match in the first text that has one.

    Looking takes at most as long as the evaluation may: `(a+)+b` takes years to find nothing in a line of 60 letters,
    and lets no other thread of its process run meanwhile.
    """
    if not expressions:
        return {}
    seconds = max(SHORTEST_SECONDS, min(timeout or LONGEST_SECONDS, LONGEST_SECONDS))
    given = json.dumps([seconds, list(expressions.values()), list(texts)])
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(MATCHER)],
        input=given,
        env=environment_without_secrets(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="ascii",
        check=False,
    )
    found = dict(zip(expressions, map(json.loads, done.stdout.split("\n")[:-1]), strict=False))
    if done.returncode == -signal.SIGPROF:
        name = list(expressions)[len(found)]
        raise EvaluationFailed(
            f"No value for {name!r}: to look for /{expressions[name]}/ took longer than {written(seconds)} s. Repeat "
            "nothing that repeats, as (a+)+ does."
        )
    if done.returncode:
        raise NotMeasured(f"The process that looks for matches ended with exit code {done.returncode}.")
    return found
