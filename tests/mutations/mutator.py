"""Small mistakes, put into a source on purpose: each is one replacement of text, found by way of the syntax tree.

Left alone are texts that no behaviour depends on or that other tests read as words: annotations, docstrings, messages,
`__all__`, and imports. So are changes that are none: the order in which `min` takes its arguments, and the size of what
is allowed for rounding or kept from overflowing; and those that no run survives, as in the arguments of `isinstance`.
"""

import ast
import random
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

FLIPPED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "==", "is": "is not", "is not": "is"}
FLIPPED |= {"in": "not in", "not in": "in"}
MOVED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}
OTHER_SIGN = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "**": "*"}
OTHER_WORD = {"and": "or", "or": "and"}
ORDERLESS = {"min", "max", "where", "isinstance", "issubclass", "hasattr", "getattr", "map", "next"}
OTHER_NAME = {"min": "max", "max": "min", "any": "all", "all": "any", "True": "False", "False": "True"}


class Mutation(NamedTuple):
    """A replacement in a file: where (offsets in the text), by which operator, and what stands there then."""

    path: str
    line: int
    start: int
    end: int
    operator: str
    text: str

    def applied(self, source: str) -> str:
        return source[: self.start] + self.text + source[self.end :]

    def shown(self, source: str) -> str:
        """The line before and after."""
        first = source.rfind("\n", 0, self.start) + 1
        last = source.find("\n", self.end)
        last = len(source) if last < 0 else last
        after = self.text.join((source[first : self.start], source[self.end : last]))
        return f"- {' '.join(source[first:last].split())}\n+ {' '.join(after.split())}"


class Site(NamedTuple):
    """What an operator is shown: a node, and how to find its text."""

    node: ast.AST
    source: str
    offset: Callable[[int, int], int]

    def span(self, node: ast.AST) -> tuple[int, int]:
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]

    def between(self, left: ast.AST, right: ast.AST, table: dict[str, str]) -> Iterator[tuple[int, int, str]]:
        """The word or sign between two nodes, if the table has another for it."""
        first, last = self.span(left)[1], self.span(right)[0]
        for sign in SIGN.finditer(self.source, first, last):
            if (other := table.get(" ".join(sign.group().split()))) is not None:
                yield sign.start(), sign.end(), other


SIGN = re.compile(r"#[^\n]*|is\s+not|not\s+in|\w+|[<>=!]=|[<>]|\*\*|//|[-+*/]")


def comparisons(site: Site) -> Iterator[tuple[int, int, str]]:
    """The contrary of a comparison."""
    if isinstance(site.node, ast.Compare):
        for left, right in zip([site.node.left, *site.node.comparators], site.node.comparators, strict=False):
            yield from site.between(left, right, FLIPPED)


def boundaries(site: Site) -> Iterator[tuple[int, int, str]]:
    """A comparison that treats equality otherwise: off by one where numbers are whole."""
    if isinstance(site.node, ast.Compare):
        for left, right in zip([site.node.left, *site.node.comparators], site.node.comparators, strict=False):
            yield from site.between(left, right, MOVED)


def signs(site: Site) -> Iterator[tuple[int, int, str]]:
    """Plus for minus, times for divided by."""
    if isinstance(site.node, ast.BinOp):
        yield from site.between(site.node.left, site.node.right, OTHER_SIGN)


def negations(site: Site) -> Iterator[tuple[int, int, str]]:
    """A minus or a `not` left out."""
    if isinstance(site.node, ast.UnaryOp) and isinstance(site.node.op, ast.USub | ast.Not):
        start, _ = site.span(site.node)
        yield start, start + (1 if isinstance(site.node.op, ast.USub) else len("not ")), ""


def words(site: Site) -> Iterator[tuple[int, int, str]]:
    """`or` for `and`."""
    if isinstance(site.node, ast.BoolOp):
        for left, right in zip(site.node.values, site.node.values[1:], strict=False):
            yield from site.between(left, right, OTHER_WORD)


def constants(site: Site) -> Iterator[tuple[int, int, str]]:
    """One more for whole numbers, twice as much for others (1 for 0)."""
    if isinstance(site.node, ast.Constant) and type(site.node.value) in (int, float):
        value = site.node.value
        if value and not 1e-9 < abs(value) < 1e100:
            return
        yield *site.span(site.node), repr(value + 1 if isinstance(value, int) else 2.0 * value or 1.0)


def names(site: Site) -> Iterator[tuple[int, int, str]]:
    """`max` for `min`, `all` for `any`, True for False."""
    text = ""
    if isinstance(site.node, ast.Name):
        text = site.node.id
    elif isinstance(site.node, ast.Constant) and isinstance(site.node.value, bool):
        text = str(site.node.value)
    if text in OTHER_NAME:
        yield *site.span(site.node), OTHER_NAME[text]


def orders(site: Site) -> Iterator[tuple[int, int, str]]:
    """The first two arguments, or the first two of what is returned, exchanged."""
    node = site.node
    called = getattr(node.func, "id", getattr(node.func, "attr", "")) if isinstance(node, ast.Call) else ""
    if called in ORDERLESS:
        return
    pair = node.args[:2] if isinstance(node, ast.Call) else node.value.elts[:2] if _returns_several(node) else []
    if len(pair) == 2 and not any(isinstance(each, ast.Starred) for each in pair):
        (first, between), (after, last) = site.span(pair[0]), site.span(pair[1])
        one, other = site.source[first:between], site.source[after:last]
        if one != other:
            yield first, last, other + site.source[between:after] + one


def _returns_several(node: ast.AST) -> bool:
    return isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple)


def ranges(site: Site) -> Iterator[tuple[int, int, str]]:
    """A range that ends one too early."""
    node = site.node
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range" and node.args:
        last = node.args[min(1, len(node.args) - 1)]
        start, end = site.span(last)
        yield start, end, f"({site.source[start:end]}) - 1"


OPERATORS = (comparisons, boundaries, signs, negations, words, constants, names, orders, ranges)


def mutations_of(path: str, source: str) -> list[Mutation]:
    """All mutations of a source, in the order of its text; those that are no Python any more are left out."""
    lines = source.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]

    def offset(line: int, column: int) -> int:
        return starts[line - 1] + len(lines[line - 1].encode()[:column].decode())

    found = []
    for node in _behaving(ast.parse(source)):
        for operator in OPERATORS:
            for start, end, text in operator(Site(node, source, offset)):
                line = source.count("\n", 0, start) + 1
                found.append(Mutation(path, line, start, end, operator.__name__, text))
    return sorted({each for each in found if _is_python(each.applied(source))}, key=lambda each: each[2:])


def _is_python(source: str) -> bool:
    try:
        ast.parse(source)
    except SyntaxError:
        return False
    return True


WORDS_ALONE = (ast.Raise, ast.JoinedStr, ast.Assert, ast.Import, ast.ImportFrom)


def _behaving(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that behaviour depends on."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "bases", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, WORDS_ALONE) or _names_the_public(child):
                continue
            yield child
            yield from _behaving(child)


def _names_the_public(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and any(
        isinstance(one, ast.Name) and one.id == "__all__" for one in node.targets
    )


def sampled(root: Path, folders: list[str], count: int, seed: int) -> list[Mutation]:
    """So many of all mutations of the files in these folders of a package; a file's are no likelier than its size."""
    found = [
        mutation
        for folder in folders
        for file in sorted((root / folder).rglob("*.py"))
        for mutation in mutations_of(str(file.relative_to(root)), file.read_text())
    ]
    return random.Random(seed).sample(found, min(count, len(found)))
