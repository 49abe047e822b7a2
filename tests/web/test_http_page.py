"""The page about HTTP: its three terminals, as they stand there."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import satisfice as sf
from satisfice.study.verify import verify

ROOT = Path(__file__).parent.parent.parent
PAGE = ROOT / "docs" / "how-to" / "http.md"
ADDRESS = "http://127.0.0.1:8765"


@pytest.mark.skipif(not shutil.which("curl") or not shutil.which("node"), reason="needs curl and node")
def test_three_terminals(tmp_path: Path) -> None:
    commands = re.findall(r"^\$ ((?:curl|node) .*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert [line.split()[0] for line in commands] == ["curl", "curl", "curl", "node"]
    shutil.copytree(ROOT / "examples" / "http", tmp_path / "examples" / "http")
    line = [sys.executable, "-m", "satisfice", "serve", "sqlite:///shared.db", "--port", "0"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SATISFICE_")}
    with subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stderr is not None
            address = re.search(r"http://[0-9.:]+", server.stderr.readline())
            assert address is not None
            shown = ""
            for command in commands:
                given = command.replace(ADDRESS, address[0]).replace("8f0ec2ee3391", shown)
                words = [*shlex.split(given), *([address[0]] if command.startswith("node") else ["--silent"])]
                done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=90, check=True)
                if not shown:
                    shown = str(re.findall(r'"identity":"(\w+)"', done.stdout)[0])
            assert done.stdout.startswith("FOUND")
        finally:
            server.terminate()
    storage = f"sqlite:///{tmp_path}/shared.db"
    assert verify(storage).ok
    with sf.load_study(storage) as study:
        assert study.verdict().arm is not None
