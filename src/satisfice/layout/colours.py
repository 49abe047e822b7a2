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
FAINT = Paint("dim", "#606068", "#A3A3AC")
RULE = Paint("dim", "#DCDCE0", "#3A3A42")
PAPER = Paint("", "#FFFFFF", "#1B1B20")
GROUND = Paint("", "#F5F6F8", "#101014")
"""Text, text beside it, thin lines, the background of text and pictures, and what lies behind that."""

BLUE, ORANGE, GREEN, PINK, SKY = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9"
GREY, PALE_GREY = "#777777", "#BBBBBB"
"""For lines and markers that only have to be told apart (Okabe and Ito 2008)."""


def css_variables(where: str = ":root") -> str:
    """The colours as variables of a style sheet, for light and for dark screens, or as `data-theme` says there."""
    named = {"ink": INK, "faint": FAINT, "paper": PAPER, "ground": GROUND, "rule": RULE}
    named |= {"pass": PASS, "fail": FAIL, "open": OPEN}
    named["band"] = Paint("", f"{PASS.light}2E", f"{PASS.dark}36")
    named["within"] = Paint("", f"{PASS.light}14", f"{PASS.dark}18")
    light = " ".join(f"--{name}: {paint.light};" for name, paint in named.items())
    dark = " ".join(f"--{name}: {paint.dark};" for name, paint in named.items())
    at_night = f"{{ color-scheme: dark; {dark} }}"
    return (
        f"{where} {{ color-scheme: light; {light} }}\n"
        f'@media (prefers-color-scheme: dark) {{ {where}:not([data-theme="light"]) {at_night} }}\n'
        f'{where}[data-theme="dark"] {at_night}\n'
    )
