"""An export format from outside the package, in one file."""

import importlib
import json
from pathlib import Path

import pytest

from tests.helpers.installed import install

URL = "sqlite:///iot.db"
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
MORE = """
def as_raw(columns):
    return b"\\x00" + str(len(columns)).encode()
"""


@pytest.fixture
def own(radio, monkeypatch):
    """A package that somebody installed: a module with two formats, and entry points that name them."""
    source = (EXAMPLES / "own_format.py").read_text() + MORE
    install(radio, "own_format", source, {"export_formats": {"tsv": "as_tsv", "raw": "as_raw"}})
    monkeypatch.syspath_prepend(radio)
    importlib.invalidate_caches()
    return radio


def test_a_format_by_name_by_ending_and_by_module(own, satisfice):
    named = satisfice("export", URL, "-f", "tsv")
    assert named.code == 0
    rows = [line.split("\t") for line in named.out.splitlines()]
    as_json = json.loads(satisfice("export", URL, "-f", "json").out)
    assert rows[0] == list(as_json[0])
    assert [row[1] for row in rows[1:]] == [row["config"] for row in as_json]
    assert satisfice("export", URL, "-f", "own_format:as_tsv").out == named.out
    assert satisfice("export", URL, "-o", "all.tsv").code == 0
    assert (own / "all.tsv").read_text() == named.out


def test_bytes_are_for_files(own, satisfice):
    done = satisfice("export", URL, "-f", "raw")
    assert done.code == 2
    assert "Raw is for files: give one with --out FILE.raw" in done.err
    satisfice("export", URL, "--configs", "-o", "all.raw")
    assert (own / "all.raw").read_bytes()[:1] == b"\x00"


def test_formats_that_are_not_there(own, satisfice):
    assert "No format is called 'tvs'. Did you mean 'tsv'?" in satisfice("export", URL, "-f", "tvs").err
    assert "No export format can be imported" in satisfice("export", URL, "-f", "own_format:nothing").err
    assert ".tsv" in satisfice("export", URL, "-o", "all.xyz").err
