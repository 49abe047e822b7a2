"""Numbers and plurals are written by one module; what the others write by hand is found here."""

import ast
import re
from math import inf, nan
from pathlib import Path

import pytest

import satisfice
from satisfice.layout import numbers

SOURCES = Path(satisfice.__file__).parent
OWN_DIGITS = ("paper",)
"""Packages whose numbers have the digits of what they reproduce."""

BY_HAND = re.compile(r"[gGeEfF%]\}?$")
OLD_STYLE = re.compile(r"%[-+ 0#]*\d*(\.\d+)?[gGeEfF]\b")
THINGS = re.compile(r" (?:(?:more|other|further) )?[a-z]+s\b")


def faults(source: str) -> list[str]:
    """Numbers and plurals that a source writes by hand."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FormattedValue) and node.format_spec is not None:
            spec = ast.unparse(node.format_spec).removeprefix("f").strip("'\"")
            if BY_HAND.search(spec):
                found.append(f"{node.lineno}: {ast.unparse(node.value)}:{spec}")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod) and isinstance(node.left, ast.Constant):
            found += [f"{node.lineno}: %"] * bool(OLD_STYLE.search(str(node.left.value)))
        if isinstance(node, ast.IfExp) and {"s", ""} == {getattr(one, "value", 0) for one in (node.body, node.orelse)}:
            found.append(f"{node.lineno}: {ast.unparse(node)}")
        if isinstance(node, ast.JoinedStr):
            found += _plurals(node)
    return found


def _plurals(text: ast.JoinedStr) -> list[str]:
    found = []
    for value, words in zip(text.values, text.values[1:], strict=False):
        if not isinstance(value, ast.FormattedValue) or not isinstance(words, ast.Constant):
            continue
        counts = value.format_spec is not None and ast.unparse(value.format_spec).strip("f'\"") == ","
        constant = isinstance(value.value, ast.Name) and value.value.id.isupper()  # never 1
        if (counts and not constant and THINGS.match(words.value)) or words.value.startswith("(s)"):
            found.append(f"{value.lineno}: {ast.unparse(value.value)}{words.value[:20]}")
        if re.match(r" ?\w+\(s\)", words.value):
            found.append(f"{value.lineno}: {words.value[:20]}")
    return found


def test_no_other_module_writes_numbers_or_plurals_by_hand():
    places = [path for path in SOURCES.rglob("*.py") if path != Path(numbers.__file__)]
    assert len(places) > 100
    said = [
        f"{path.relative_to(SOURCES)}:{fault}"
        for path in places
        if path.relative_to(SOURCES).parts[0] not in OWN_DIGITS
        for fault in faults(path.read_text(encoding="utf-8"))
    ]
    assert said == []


@pytest.mark.parametrize(
    "line",
    [
        'f"{x:.3g} ms"',
        'f"{x:,.0f}"',
        'f"{share:.1%}"',
        'f"{x:.{digits}g}"',
        '"%.3f" % x',
        "f\"{n} evaluation{'s' if n != 1 else ''}\"",
        'f"{n:,} evaluations"',
        'f"{n:,} more files"',
        'f"takes {n} number(s)"',
    ],
)
def test_what_is_written_by_hand_is_found(line):
    assert len(faults(line)) == 1


@pytest.mark.parametrize("line", ['f"{n:,} failed"', 'f"{MOST:,} configs"', 'f"{name!r:>10} is"', 'f"{counted(n, 3)}"'])
def test_what_is_right_is_not(line):
    assert faults(line) == []


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        *[(5, "5"), (1234.5, "1,234"), (0.01234, "0.0123"), (12345678.9, "12,345,679"), (1e-20, "0"), (-2.50, "-2.5")],
        *[(inf, "∞"), (nan, "-"), (100, "100"), (999.96, "1,000")],
    ],
)
def test_rounded_numbers_have_no_exponent_and_no_zeros_at_the_end(number, shown):
    assert numbers.rounded(number) == shown


def test_percent_and_things():
    assert [numbers.percent(share) for share in (0.05, 0.00125, 1.0)] == ["5 %", "0.125 %", "100 %"]
    assert numbers.whole_percent(0.126) == "13 %"
    assert [numbers.counted(n, "evaluation") for n in (0, 1, 1204)] == [
        "0 evaluations",
        "1 evaluation",
        "1,204 evaluations",
    ]
    assert numbers.counted(2, "study", "studies") == "2 studies"
