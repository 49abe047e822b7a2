"""HTML and SVG as text, from plain values; whatever comes from others is escaped here."""

from collections.abc import Iterable, Sequence

from satisfice.layout.escape import html_text

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
