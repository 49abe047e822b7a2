"""What a person sees at a terminal, where there is a progress bar and colours, unlike in a pipe."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios

import pytest

from tests.cli.conftest import GRID, PROGRAM, THRESHOLDS

CODES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


def seen(words, folder, columns):
    """Run a command at a terminal that is so many columns wide: its exit code, and every line that was drawn."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"} | {"TERM": "xterm"}
    command = [sys.executable, "-m", "satisfice", *words]
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    drawn = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        drawn += part
    os.close(ours)
    return process.wait(), [line for line in re.split(r"[\r\n]+", CODES.sub("", drawn.decode())) if line.strip()]


@pytest.mark.parametrize("columns", [80, 140])
def test_a_campaign_shows_how_far_it_is_and_then_its_table(columns, folder):
    code, lines = seen(["simulate", "small.toml", "-n", "4000"], folder, columns)
    assert code == 0, lines
    assert any(line.startswith("compiling") for line in lines)
    assert any(re.match(r"1/1 small Pandora .* [\d,]+/4,000 runs ", line) for line in lines)
    assert max(map(len, lines)) <= columns
    assert not any("…" in line for line in lines)
    assert lines[-1].strip() == "in brackets: the upper end of a 95 % interval"
    assert not any("runs " in line for line in lines[-5:])


@pytest.mark.parametrize("columns", [80, 140])
def test_a_study_shows_a_live_table_and_then_its_verdict(columns, bench):
    words = ["run", *GRID, *THRESHOLDS, "--storage", "sqlite:///iot.db", "--jobs", "2", *PROGRAM]
    code, lines = seen(words, bench, columns)
    assert code == 0, lines
    assert re.fullmatch(
        r"FOUND  codec=lc3 txpower=8   \d+ evaluations   wrong with probability at most 5 %( if .*)?", lines[-1]
    )
    assert re.match(r"\d+ evaluations · ", lines[-2])
    live, last = lines[1:-13], lines[-13:-1]
    heads = [line.split() for line in live if line.startswith("codec")]
    assert len(heads) >= 3  # frames, one after another
    assert all(head[:3] == ["codec", "txpower", "runs"] for head in heads)
    assert any(line.startswith("evaluating codec=") for line in live)
    assert any("▸ 1 now" in line or "▸ 2 now" in line for line in live)
    assert sum("✓ passes" in line for line in last) == 1
    assert not any("evaluating" in line for line in last)
    assert max(map(len, lines[1:-1])) <= columns


def test_json_and_quiet_draw_nothing(bench):
    for option in ("--json", "--quiet"):
        code, lines = seen(["run", *GRID, *THRESHOLDS, "--storage", "memory", option, *PROGRAM], bench, 80)
        assert (code, len(lines)) == (0, 1)
