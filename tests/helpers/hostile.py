"""Names that steer whatever shows them, and what must not come out anywhere."""

import re
from unicodedata import category

NAMES = {
    "a closing tag": "[/data]",
    "an address": "[::1]:80",
    "markup": "[red]x",
    "an emoji code": ":boom:",
    "a control sequence": "\x1b[2J",
    "a title": "\x1b]0;owned\x07",
    "a carriage return": "FOUND\rNONE",
    "a command after a carriage return": "x\r::error::y",
    "a formula after a semicolon": "a;=1+1",
    "backspaces": "fails\b\b\b\b\bpasses",
    "C1": "\x9b2J",
    "a formula": "=1+1",
    "a command in a formula": "@SUM(cmd|' /C calc'!A0)",
    "a flag": "-O2",
    "a bar": "a|b",
    "a link": "[x](https://example.org)",
    "code": "`rm`",
    "a script": "<script>alert(1)</script>",
    "an attribute": "\" onload='x'",
    "an entity": "&lt;b&gt;",
    "a workflow command": "::error::x",
    "an older workflow command": "##[error]x",
    "an override": "\u202egnp.exe",
    "an isolate": "\u2066x\u2069",
    "a line separator": "x\u2028y",
    "a long name": "n" * 300,
    "a family": "👨\u200d👩\u200d👧",
    "an accent": "e\u0301te\u0301",
    "a tab": "\tx",
    "lines": "x\nFOUND  y   1 evaluation\n::error::x",
    "a formula of TeX": "$\\frac{$",
}
"""By what they try."""

WORKFLOW = re.compile(r"^\s*::[A-Za-z].*::|##\[", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def hidden(text):
    """The characters that steer a terminal, beside line breaks and what belongs to emoji."""
    return {one for one in text if category(one) in ("Cc", "Cf", "Cs", "Zl", "Zp")} - {"\n", "\u200d"}


def check_shown(text):
    """What is printed has no control characters, no command of a CI and no traceback."""
    assert hidden(text) == set()
    assert WORKFLOW.search(text) is None
    assert "Traceback" not in text
