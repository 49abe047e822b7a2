"""How the sources are made: what may be looked at where, and how long things are. Read, not run."""

import ast
from functools import cache
from pathlib import Path

import pytest

import satisfice

SOURCES = Path(satisfice.__file__).parent
PARTS = {"rule", "stopping", "judge", "arms", "noise", "model"}
"""What the exchangeable parts are called; all have protocols."""

LONGEST_FILE, LONGEST_BODY, MOST_ARGUMENTS = 300, 60, 8
"""Lines, lines without signature and docstring, and arguments that can be given by position."""


@cache
def sources():
    """The sources by their place in the package, such as 'noise/normal.py', and what they say."""
    places = {path.relative_to(SOURCES).as_posix(): path for path in sorted(SOURCES.rglob("*.py"))}
    return {place: ast.parse(path.read_text()) for place, path in places.items()}


def parsed(inside=lambda place: True):
    return {place: tree for place, tree in sources().items() if inside(place)}


def noise_classes():
    """The names of everything that is declared in noise/, and is no table of numbers."""
    declared = parsed(lambda place: place.startswith("noise/"))
    classes = {node.name for tree in declared.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    return classes - {"NoiseTable"}


def type_tests(tree, classes):
    """The lines on which a value is compared with one of the classes, by isinstance, issubclass or `is`."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("isinstance", "issubclass")
        ):
            looked_for = node.args[1]
        elif isinstance(node, ast.Compare) and "type(" in ast.unparse(node.left):
            looked_for = node.comparators[0]
        else:
            continue
        if {each.id for each in ast.walk(looked_for) if isinstance(each, ast.Name)} & classes:
            yield node.lineno


def untyped_parts(tree):
    """The lines on which a rule, a stopping rule, a judge, arms or noise are said to be anything."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            name, annotation = node.arg, node.annotation
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name | ast.Attribute):
            name, annotation = ast.unparse(node.target).split(".")[-1].strip("_"), node.annotation
        else:
            continue
        if name in PARTS and annotation is not None and ast.unparse(annotation) in ("Any", "Any | None", "type[Any]"):
            yield node.lineno


def calls_of_hasattr(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "hasattr":
            yield node.lineno


def functions(tree):
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def long_bodies(tree):
    """The functions whose bodies are too long."""
    for node in functions(tree):
        body = node.body[1:] if ast.get_docstring(node) is not None else node.body
        if body and node.end_lineno - body[0].lineno + 1 > LONGEST_BODY:
            yield node.name


def crowded_signatures(tree):
    """The functions that take too many arguments by position, `self` aside."""
    for node in functions(tree):
        names = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
        if len(names) - (names[:1] in (["self"], ["cls"])) > MOST_ARGUMENTS:
            yield node.name


def found(trees, search):
    return [f"{place}:{line}" for place, tree in trees.items() for line in search(tree)]


def test_only_noise_tells_noise_models_apart():
    classes = noise_classes()
    assert {"Bernoulli", "Normal", "NoiseModel", "OwnProcess"} <= classes
    outside = parsed(lambda place: not place.startswith("noise/"))
    assert found(outside, lambda tree: type_tests(tree, classes)) == []


def test_only_the_catalogue_looks_what_a_value_has():
    assert found(parsed(lambda place: place != "catalogue.py"), calls_of_hasattr) == []


def test_the_exchangeable_parts_have_types():
    assert found(parsed(), untyped_parts) == []


def test_files_are_short():
    lengths = {
        path.relative_to(SOURCES).as_posix(): len(path.read_text().splitlines()) for path in SOURCES.rglob("*.py")
    }
    assert {place: length for place, length in lengths.items() if length > LONGEST_FILE} == {}


def test_functions_are_short():
    assert found(parsed(), long_bodies) == []


def test_functions_take_few_arguments():
    assert found(parsed(), crowded_signatures) == []


@pytest.mark.parametrize(
    ("search", "text"),
    [
        (lambda tree: type_tests(tree, {"Normal"}), "isinstance(noise, Normal)"),
        (lambda tree: type_tests(tree, {"Normal"}), "isinstance(metric.noise, int | Normal)"),
        (lambda tree: type_tests(tree, {"Normal"}), "type(noise) is Normal"),
        (calls_of_hasattr, "hasattr(rule, 'bonus')"),
        (untyped_parts, "def run(rule: Any): ..."),
        (untyped_parts, "judge: Any = parts.judge"),
        (untyped_parts, "self._rule: Any = None"),
    ],
)
def test_the_searches_find(search, text):
    assert list(search(ast.parse(text))) == [1]


def test_the_measures_find():
    body = "\n    ".join(["1"] * LONGEST_BODY)
    arguments = ", ".join(f"a{place}" for place in range(MOST_ARGUMENTS))
    long, short = (f'def f(a,\n  b):\n    """Said."""\n    {lines}' for lines in (f"{body}\n    1", body))
    assert list(long_bodies(ast.parse(long))) == ["f"]
    assert list(long_bodies(ast.parse(short))) == []
    assert list(crowded_signatures(ast.parse(f"def f({arguments}, one): ..."))) == ["f"]
    assert list(crowded_signatures(ast.parse(f"def f(self, {arguments}, *, named): ..."))) == []
