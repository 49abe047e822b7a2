"""Text of others, escaped for where it goes: a function for each medium, and no other place that escapes.

Names, parameters, reasons of failures and what programs say are data. They are shown as they are, and what would steer
the terminal, the spreadsheet, the page or the CI that shows them is written as Python writes it: \x1b for ESC.

Our own HTML and SVG is made here too, from plain values.
"""

import html
import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, TextIO
from unicodedata import category

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""Categories of characters that are not seen, but move, reorder or end what is: controls, formats, lone surrogates."""

JOINERS = "\u200c\u200d"
"""Formats that are part of words and of emoji."""

COMMAND = re.compile(r"(?:^|(?<=\r))([^\S\r\n]*):(?=:[A-Za-z][^\r\n]*::)|#(?=\[|vso\[|teamcity\[)", re.MULTILINE)
"""What a log of GitHub Actions (::error::text), Azure Pipelines or TeamCity would execute; a lone \\r ends a line."""

FORMULA = re.compile(r"[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]")
"""Beginnings that make a spreadsheet compute a cell (OWASP, CSV injection), also in full width."""

WITHIN = re.compile(r"(?<=[;\t\r\n])([ \"]*)(?=[=+\-@\uFF1D\uFF0B\uFF0D\uFF20])")
"""Such a beginning after what separates cells or rows for a spreadsheet that splits at other signs than a comma."""

MARKDOWN = re.compile(
    r"[`*\[\]|$]|\\(?=[!-/:-@\[-`{-~])|(?<!\w)_|_(?!\w)|~(?=\S)|(?<=\S)~|:(?=//)|(?<=www)\.", re.IGNORECASE
)
TAGS = re.compile(r"<(?=[A-Za-z/!?])|&(?=#|\w+;)")


def visible(text: str) -> str:
    """Text as one line of a terminal that shows the same: what cannot be seen is written out."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible, text))


def log_line(text: str) -> str:
    """Text as one line of a log, which no CI takes for a command."""
    return without_commands(visible(text))


def log_lines(text: str) -> str:
    """The same of a text whose line breaks are ours."""
    return without_commands("\n".join(map(visible, text.split("\n"))))


def without_commands(text: str) -> str:
    """Lines of a log in which no line is a command to the CI that keeps it."""
    if "::" not in text and "#" not in text:  # nearly always, and at once
        return text
    return COMMAND.sub(lambda found: (found[1] or "") + ("\\x23" if found[0] == "#" else "\\x3a"), text)


def json_text(document: Any) -> str:
    """A document as JSON in one line that reads back as the same, and is no command."""
    return COMMAND.sub("\\\\u0023", json.dumps(document))


def html_text(text: str) -> str:
    """Text as HTML that shows the same, inside elements and inside attributes."""
    return html.escape("\n".join(map(visible, text.split("\n"))))


def markdown_text(text: str) -> str:
    """Text as Markdown that shows the same, in one line; no link, tag, code or formula comes of it."""
    escaped = MARKDOWN.sub(lambda found: f"\\{found[0]}", visible(text))
    return TAGS.sub(lambda found: "&lt;" if found[0] == "<" else "&amp;", escaped)


def csv_cell(value: Any) -> Any:
    """A cell that no spreadsheet computes: a text that begins as a formula does gets a ' before it.

    So does what follows a semicolon, a tab or a line break in a text, where some spreadsheets begin another cell.
    Numbers, and texts that read as one, stay as they are; so does everything else.
    """
    if not isinstance(value, str) or _is_number(value):
        return value
    text = WITHIN.sub(r"\1'", value) if WITHIN.search(value) else value
    return f"'{text}" if FORMULA.match(text.lstrip(" ")) else text


def figure_text(text: str) -> str:
    """Text in a figure, where dollars would enclose a formula."""
    return visible(text).replace("$", r"\$")


class Log:
    """A stream of text in which no line is a command to a CI, wherever a long one was broken."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(without_commands(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@cache
def _visible(character: str) -> str:
    if category(character) not in HIDDEN or character in JOINERS:
        return character
    return character.encode("unicode_escape").decode()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


EMPTY = frozenset({"rect", "line", "path", "circle", "polyline", "use", "meta"})
"""Elements that have no text."""


def tag(name: str, text: str = "", **attributes: object) -> str:
    """An element; attribute names are written with _ for - and without a _ at the end."""
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html_text(str(value))}"' for key, value in attributes.items()
    )
    return f"<{name}{written}/>" if name in EMPTY else f"<{name}{written}>{text}</{name}>"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: Sequence[int] = ()) -> str:
    """A table of plain texts; columns of `numbers` are set flush right."""
    kinds = ["number" if place in numbers else "text" for place in range(len(heads))]
    head = "".join(tag("th", html_text(one), class_=kind, scope="col") for one, kind in zip(heads, kinds, strict=True))
    body = "".join(
        tag(
            "tr",
            "".join(
                tag("td", html_text(cell), class_=kind, data_head=" ".join(one.split()))
                for one, cell, kind in zip(heads, row, kinds, strict=True)
            ),
        )
        for row in rows
    )
    inside = tag("thead", tag("tr", head)) + tag("tbody", body)
    return tag("div", tag("table", inside, class_="plain"), class_="wide", tabindex="0", role="group")


def facts(pairs: Iterable[tuple[str, str]]) -> str:
    """What is what, in two columns."""
    return tag("dl", "".join(tag("dt", html_text(a)) + tag("dd", html_text(b)) for a, b in pairs), class_="facts")


def sentences(texts: Iterable[str]) -> str:
    """A list of sentences."""
    return tag("ul", "".join(tag("li", html_text(one)) for one in texts))
