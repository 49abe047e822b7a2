"""What a study measures and on which machine, in a line and as a table."""

import os
from collections.abc import Iterator

from satisfice.layout.escape import visible
from satisfice.layout.numbers import counted
from satisfice.study.subject import Machine, Subject, shown_command

MOST_FILES = 3
MOST_SIGNS = 160
"""A longer command is cut in a line; the report and `--json` have it whole."""


def measured_line(subject: Subject) -> str:
    """measured: ./bench.sh --codec {codec} (bench.sh 1,204 bytes, sha256 3f2a91c0) on host, 8 cores, Linux"""
    command = visible(shown_command(subject.words))
    command = command if len(command) <= MOST_SIGNS else f"{command[:MOST_SIGNS]}..."
    if subject.revision is not None:
        named = f"revision {visible(subject.revision)}"
        what = f"{command}, {named}" if command else named
    else:
        what = command + _files(subject)
    return f"measured: {what}" + ("" if subject.machine is None else f" on {_place(subject.machine)}")


def subject_rows(subject: Subject) -> Iterator[tuple[str, str]]:
    """All that is known of what was measured: what it is, and the text."""
    if subject.words:
        yield "command", visible(shown_command(subject.words))
    if subject.revision is not None:
        yield "revision", visible(subject.revision)
    if subject.folder is not None:
        yield "folder", visible(subject.folder)
    yield from ((f"variable {visible(name)}", visible(text)) for name, text in subject.environment.items())
    yield from ((f"reading of {name}", visible(where)) for name, where in subject.readings.items())
    yield from ((f"option {name}", visible(text)) for name, text in subject.around.items())
    yield from ((f"file {visible(path)}", str(seen)) for path, seen in subject.files.items())
    if (machine := subject.machine) is not None:
        yield "machine", visible(f"{_place(machine)}; {machine.processor}")
        yield "software", visible(f"Python {machine.python}, satisfice {machine.satisfice}")


def _place(machine: Machine) -> str:
    return f"{machine.host}, {counted(machine.cores, 'core')}, {machine.system}"


def _files(subject: Subject) -> str:
    """The files that are the user's own: not an interpreter or a tool that the system found by its name."""
    own = [
        f"{visible(os.path.basename(path))} {seen}"
        for path, seen in subject.files.items()
        if os.sep in path or path != subject.words[0]
    ]
    left = len(own) - MOST_FILES
    more = f"; {counted(left, 'more file')}" if left > 0 else ""
    return f" ({'; '.join(own[:MOST_FILES])}{more})" if own else ""
