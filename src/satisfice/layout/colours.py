"""The colours of everything that is drawn; the colour-blind tell them apart too."""

from typing import NamedTuple


class Paint(NamedTuple):
    """One meaning in every medium: a name for terminals, and hexadecimal colours for light and dark backgrounds."""

    terminal: str
    light: str
    dark: str


PASS = Paint("green", "#00796B", "#4FD1B5")
FAIL = Paint("red", "#C2410C", "#FF8F57")
OPEN = Paint("cyan", "#1D5FA8", "#7AB5F5")
"""What passes, what fails, and what is not decided: dark or light enough for text on their background."""

INK = Paint("", "#1D1D1F", "#ECECF0")
FAINT = Paint("dim", "#6B6B70", "#9A9AA2")
RULE = Paint("dim", "#DCDCE0", "#3A3A42")
PAPER = Paint("", "#FFFFFF", "#16161A")
"""Text, text beside it, thin lines, and the background."""

BLUE, ORANGE, GREEN, PINK, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"
GREY, PALE_GREY = "#777777", "#BBBBBB"
"""For lines and markers that only have to be told apart (Okabe and Ito 2008)."""


def css_variables() -> str:
    """The colours as variables of a style sheet, for light and for dark screens."""
    named = {"ink": INK, "faint": FAINT, "paper": PAPER, "rule": RULE, "pass": PASS, "fail": FAIL, "open": OPEN}
    named["band"] = Paint("", f"{PASS.light}1A", f"{PASS.dark}1F")
    light = " ".join(f"--{name}: {paint.light};" for name, paint in named.items())
    dark = " ".join(f"--{name}: {paint.dark};" for name, paint in named.items())
    return (
        f":root {{ color-scheme: light dark; {light} }}\n@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
    )
