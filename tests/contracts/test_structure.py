"""How the sources are made: what may be looked at where, and how long things are. Read, not run."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import satisfice
from satisfice.noise import NOISE_MODELS, PROCESSES

SOURCES = Path(satisfice.__file__).parent
PARTS = {"rule", "stopping", "judge", "arms", "noise", "model"}
"""What the exchangeable parts are called; all have protocols."""

LONGEST_BODY, MOST_ARGUMENTS = 60, 8
"""Lines without signature and docstring, and arguments that can be given by position."""

SHORT_FILE = 100
COMMANDS = "cli/app.py"
"""Where commands are listed, each of which is a file; so are the parts that a package lists in its `__init__`."""

HEXADECIMAL = re.compile(r"#(?:[0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3})\b")
"""A colour as style sheets have it."""


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


def judge_classes():
    """The names of all judges, and of the protocols that they may have."""
    trees = parsed(lambda place: place.startswith("stopping/")).values()
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return {node.name for node in classes if {"accepts", "rejects"} & {getattr(each, "name", "") for each in node.body}}


def noise_words():
    """The names of all that is a noise model: classes, their processes, and values made of them anywhere."""
    words, more = set(), {node.name for node in model_classes()}
    while more - words:  # UNKNOWN_SCALE = KNOWN_SCALE._replace(...), and so on
        words |= more
        more = {name for tree in sources().values() for name in bound_to(tree, words | {"Process"})}
    return words


def model_classes():
    """The noise models among the classes in noise/, and their protocols."""
    trees = parsed(lambda place: place.startswith("noise/")).values()
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return [node for node in classes if {"scale", "process"} & {getattr(each, "name", "") for each in node.body}]


def noise_fields():
    """What noise models are declared by, other than the scale that all of them have."""
    declared = [each for node in model_classes() for each in node.body if isinstance(each, ast.AnnAssign)]
    return {each.target.id for each in declared} - {"scale"}


def names_in(node):
    return {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}


def bound_to(tree, names):
    """The constants of a module whose values are made by a call of one of the names, or of a method of one."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and names_in(node.value.func) & names:
            yield from (target.id for target in node.targets if isinstance(target, ast.Name))


def called(node):
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else None


def disguised_tests(tree, words, said):
    """The lines on which something is told apart by a noise model: compared with one, with its process, with what one
    is called, or looked up by its class or by that."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            parts = [node.left, *node.comparators]
        elif called(node) == "is_same":
            parts = node.args
        elif isinstance(node, ast.match_case):
            parts = [each.cls for each in ast.walk(node.pattern) if isinstance(each, ast.MatchClass)]
            parts += [each.value for each in ast.walk(node.pattern) if isinstance(each, ast.MatchValue)]
        elif isinstance(node, ast.Dict):
            parts = [key for key in node.keys if isinstance(key, ast.Name)]
        else:
            continue
        texts = {each.value for part in parts for each in ast.walk(part) if isinstance(each, ast.Constant)}
        if any(names_in(part) & words for part in parts) or texts & said:
            yield parts[0].lineno


def looks_at_fields(tree, fields):
    """The lines on which noise is asked for what only some models are declared by."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            owner, asked = node.value, node.attr
        elif called(node) == "getattr" and isinstance(node.args[1], ast.Constant):
            owner, asked = node.args[0], node.args[1].value
        else:
            continue
        if ast.unparse(owner).split(".")[-1].strip("_") in ("noise", "model", "declared") and asked in fields:
            yield node.lineno


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


def colours(tree):
    """The lines on which a colour is written down, in a style sheet or by a name for a drawing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and HEXADECIMAL.search(str(node.value)):
            yield node.lineno
        elif isinstance(node, ast.keyword) and (node.arg or "").endswith("color"):
            named = ast.unparse(node.value)
            if named[0] in "'\"" and named[1:-1] != "none" and not HEXADECIMAL.search(named):
                yield node.value.lineno


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


def test_only_stopping_tells_judges_apart():
    classes = judge_classes()
    assert {"Judge", "EvidenceJudge", "TransferJudge"} <= classes
    outside = parsed(lambda place: not place.startswith("stopping/"))
    assert found(outside, lambda tree: type_tests(tree, classes)) == []


def test_only_noise_tells_noise_models_apart_in_disguise():
    words = noise_words()
    assert {"Bernoulli", "FiniteSet", "KNOWN_SCALE", "UNKNOWN_SCALE", "CHECKED", "UNDECLARED"} <= words
    said = {*NOISE_MODELS, *(process.name for process in PROCESSES), *(each.__name__ for each in NOISE_MODELS.values())}
    outside = parsed(lambda place: not place.startswith("noise/"))
    places = [place.partition(":")[0] for place in found(outside, lambda tree: disguised_tests(tree, words, said))]
    assert places == ["statistics/shares.py"]  # once: is no more declared of a share than what every share is?


def test_only_noise_looks_at_the_fields_of_a_model():
    fields = noise_fields()
    assert {"sd", "low", "high", "rarest"} <= fields
    outside = parsed(lambda place: not place.startswith("noise/"))
    assert found(outside, lambda tree: looks_at_fields(tree, fields)) == []


def test_only_the_catalogue_looks_what_a_value_has():
    assert found(parsed(lambda place: place != "catalogue.py"), calls_of_hasattr) == []


def test_only_the_layout_has_colours():
    assert found(parsed(lambda place: place.startswith("layout/")), colours) != []
    assert found(parsed(lambda place: not place.startswith("layout/")), colours) == []


def test_the_exchangeable_parts_have_types():
    assert found(parsed(), untyped_parts) == []


def importers():
    """Who imports a file at its top, by its place: not inside a function, which keeps the start of a command short."""
    found = {place: set() for place in sources()}
    for place, tree in sources().items():
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "satisfice":
                folder = "/".join(node.module.split(".")[1:])
                named = [f"{folder}/{each.name}.py".lstrip("/") for each in node.names]
                for one in (f"{folder}.py", f"{folder}/__init__.py", *named):
                    found.get(one, set()).add(place)
    return found


def test_what_is_short_and_used_by_one_neighbour_stands_in_it():
    short = [place for place in sources() if len((SOURCES / place).read_text().splitlines()) < SHORT_FILE]
    fragments = {
        place: next(iter(by))
        for place, by in importers().items()
        if place in short and len(by) == 1 and Path(place).parent == Path(next(iter(by))).parent
    }
    listed = {place for place, by in fragments.items() if by == COMMANDS or by.endswith("__init__.py")}
    assert {place: by for place, by in fragments.items() if place not in listed} == {}


def test_functions_are_short():
    assert found(parsed(), long_bodies) == []


def test_functions_take_few_arguments():
    assert found(parsed(), crowded_signatures) == []


def disguises(tree):
    return disguised_tests(tree, {"Normal", "SCALED", "KNOWN_SCALE"}, {"Normal", "bounded", "normal"})


@pytest.mark.parametrize(
    ("search", "text"),
    [
        (lambda tree: type_tests(tree, {"Normal"}), "isinstance(noise, Normal)"),
        (lambda tree: type_tests(tree, {"Normal"}), "isinstance(metric.noise, int | Normal)"),
        (lambda tree: type_tests(tree, {"Normal"}), "type(noise) is Normal"),
        (lambda tree: type_tests(tree, {"TransferJudge"}), "isinstance(judge, TransferJudge | EvidenceJudge)"),
        (disguises, "metric.process is process_of(Normal(1.0))"),
        (disguises, "process_of(noise) is KNOWN_SCALE"),
        (disguises, "metric.noise == Normal(1.0)"),
        (disguises, "type(noise) in (Normal, int)"),
        (disguises, "is_same(metric.noise, SCALED)"),
        (disguises, "type(noise).__name__ == 'Normal'"),
        (disguises, "name == 'bounded' and not arguments"),
        (disguises, "NOISE_MODELS.name_of(noise) in ('bounded', 'normal')"),
        (disguises, "match noise:\n  case Normal(): ..."),
        (disguises, "match name:\n  case 'bounded' | 'normal': ..."),
        (disguises, "{Normal: 1}[type(noise)]"),
        (lambda tree: looks_at_fields(tree, {"sd"}), "metric.noise.sd"),
        (lambda tree: looks_at_fields(tree, {"sd"}), "getattr(model, 'sd', None)"),
        (calls_of_hasattr, "hasattr(rule, 'bonus')"),
        (colours, "axes.grid(color='#DDDDDD')"),
        (colours, "style = 'a { color: #123; }'"),
        (colours, "axes.plot(1, color='black')"),
        (untyped_parts, "def run(rule: Any): ..."),
        (untyped_parts, "judge: Any = parts.judge"),
        (untyped_parts, "self._rule: Any = None"),
    ],
)
def test_the_searches_find(search, text):
    assert list(search(ast.parse(text))) == [text.count("\n") + 1]


def test_the_searches_know_what_a_noise_model_is_called():
    text = "SCALED = Normal(1.0)\nOTHER = SCALED._replace(sd=2.0)\nLIMIT = 3.0\nBY = Bounded.of_range(0.0, 1.0)"
    assert set(bound_to(ast.parse(text), {"Normal", "Bounded"})) == {"SCALED", "BY"}
    assert set(bound_to(ast.parse(text), {"SCALED"})) == {"OTHER"}


def test_the_measures_find():
    body = "\n    ".join(["1"] * LONGEST_BODY)
    arguments = ", ".join(f"a{place}" for place in range(MOST_ARGUMENTS))
    long, short = (f'def f(a,\n  b):\n    """Said."""\n    {lines}' for lines in (f"{body}\n    1", body))
    assert list(long_bodies(ast.parse(long))) == ["f"]
    assert list(long_bodies(ast.parse(short))) == []
    assert list(crowded_signatures(ast.parse(f"def f({arguments}, one): ..."))) == ["f"]
    assert list(crowded_signatures(ast.parse(f"def f(self, {arguments}, *, named): ..."))) == []
