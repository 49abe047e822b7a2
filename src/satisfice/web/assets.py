"""The files of the page: plain modules and a style sheet, as they are written."""

import gzip
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

from satisfice.layout.colours import css_variables
from satisfice.layout.notebook import parts_style
from satisfice.layout.tracks import MARKS

KINDS = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml", "txt": "text/plain"}


class Asset(NamedTuple):
    """A file, also packed, with what kind of file it is and a tag that changes with its content."""

    content: bytes
    packed: bytes
    kind: str
    tag: str


@cache
def assets() -> dict[str, Asset]:
    """All files of the page by their path; the colours are those of everything else that is drawn."""
    found = {path: file.read_bytes() for path, file in _below(files("satisfice.web") / "static", "")}
    found |= {"colours.css": css_variables().encode(), "parts.css": parts_style().encode()}
    found["index.html"] = found["index.html"].replace(b"<!-- marks -->", MARKS.encode())
    return {path: _asset(path, content) for path, content in found.items()}


def text_of(path: str) -> str:
    """A file of the page."""
    return assets()[path].content.decode()


def _asset(path: str, content: bytes) -> Asset:
    packed = gzip.compress(content, 9, mtime=0)
    kind = KINDS.get(path.rpartition(".")[2], "application/octet-stream")
    return Asset(content, packed, kind, f'"{sha256(content).hexdigest()[:16]}"')


def _below(folder: Traversable, before: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for one in folder.iterdir():
        path = f"{before}{one.name}"
        found += _below(one, f"{path}/") if one.is_dir() else [(path, one)]
    return found
