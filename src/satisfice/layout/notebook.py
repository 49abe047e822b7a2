"""What a notebook shows of a value: the parts of the page of a study, in a frame of their own."""

from functools import cache
from importlib.resources import files

from satisfice.layout.colours import css_variables
from satisfice.layout.escape import html_text, tag
from satisfice.layout.tracks import MARKS

BADGES = {"FOUND": ("pass", "✓"), "NONE": ("fail", "✗"), "UNDECIDED": ("open", "…")}


def in_notebook(*parts: str) -> str:
    """Parts with the style that they need, whatever the notebook's own is."""
    return tag("div", tag("style", _style()) + MARKS + "".join(parts), class_="satisfice cell")


def badge(outcome: str) -> str:
    """An outcome in a word and a sign."""
    kind, sign = BADGES[outcome]
    return tag("span", f"{sign} {outcome}", class_=f"badge {kind}")


def verdict_lines(outcome: str, named: str, *lines: str) -> str:
    """A verdict and the lines below it."""
    heading = tag("h3", f"{badge(outcome)} {html_text(named)}")
    return tag("div", heading + "".join(tag("p", html_text(one)) for one in lines if one), class_="verdict")


def parts_style() -> str:
    """The style sheet of the parts."""
    return (files("satisfice.layout") / "parts.css").read_text(encoding="utf-8")


@cache
def _style() -> str:
    frame = ".satisfice.cell { background: var(--paper); padding: .2rem 1rem 1rem; border-radius: .5rem; }"
    return css_variables(".satisfice") + parts_style() + frame
