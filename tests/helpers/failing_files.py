"""The n-th write, sync, cut, map or creation of a database's files fails.

python -m tests.helpers.failing_files FOLDER STEP WAY..., with the library made of failing_files.c preloaded; ways
take turns. Each study is played by one process, which goes on after the fault, and judged by another that has seen
nothing of it. Prints what happened as JSON.
"""

import ctypes
import json
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers.faults import Driver, copy_often, problems_of

WAYS = {"full": (0, 1), "full for long": (0, 6), "broken": (1, 1), "torn": (2, 2), "killed": (3, 1)}
"""What the library is told: which way, and how many calls."""
NAME = "small"


def in_a_process(act: Callable[[], None], file: Path) -> int:
    """How a fork of this process ends that does so; what it has to say about mistakes is in the file."""
    child = os.fork()
    if not child:
        try:
            act()
        except BaseException:
            file.write_text(traceback.format_exc())
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def faulty(folder: Path, first: int, way: str) -> tuple[bool, list[str]]:
    """Whether there was such a call, and what is wrong with the study in which it failed."""
    library = ctypes.CDLL(None)
    url, notes, said = f"sqlite:///{folder}/study.db", folder / "notes", folder / "said"
    notes.touch()

    def play() -> None:
        with notes.open("a", buffering=1) as file:
            driver = Driver(url, NAME)
            driver.note = lambda number, value: print(number, value, file=file)
            how, length = WAYS[way]
            library.fail_files(b"study.db", ctypes.c_long(first), ctypes.c_long(length), how)
            driver.play()
            (folder / "struck").write_text(str(library.files_struck()))

    def judge() -> None:
        Driver(url, NAME, now=20_000.0).play()
        told = {int(number): float(value) for number, value in map(str.split, notes.read_text().splitlines())}
        problems = problems_of(url, NAME, told)
        if problems:
            raise AssertionError(problems)

    ended = in_a_process(play, said)
    killed = ended == -9 and way == "killed"
    if not killed and ended:
        return True, [f"it ended with {ended}: {said.read_text()}"]
    if in_a_process(judge, said):
        return True, [said.read_text()]
    return killed or (folder / "struck").read_text() != "0", []


def main(folder: str, step: str, *ways: str) -> None:
    copy_often(pytest.MonkeyPatch())
    first, problems, faults, more = 1, [], 0, True
    while more:
        way = ways[faults % len(ways)]
        place = Path(folder) / str(first)
        place.mkdir()
        more, wrong = faulty(place, first, way)
        problems += [f"{way} at {first}: {one}" for one in wrong]
        faults += more
        first += int(step)
    print(json.dumps({"faults": faults, "problems": problems}))


if __name__ == "__main__":
    main(*sys.argv[1:])
