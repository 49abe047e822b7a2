"""Study files and instance files made of anything, up to the point where something would be run."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import satisfice as sf
from satisfice.cli.plan import PLAN_KEYS, _said
from satisfice.cli.request import RUN_KEYS, request_of
from satisfice.files.instance_file import ARM_KEYS, SIMULATE_KEYS, TOP_KEYS, load_instance
from satisfice.files.study_file import STUDY_KEYS
from satisfice.simulation.campaign import plan_cells
from tests.fuzz.odd import full, quick, works_or_says_why

KNOWN = [
    *('"a <= 5"', '"a >= 0.5 : bernoulli"', '"b <= 1 : normal(1)"', '"a"', '"b"', '"any"', '"all"', '""', '" "', '"."'),
    *(
        '"worst"',
        '"retry"',
        '"pandora"',
        '"evidence"',
        '"multitucb"',
        '"alpha"',
        '"tucp"',
        '"x:y"',
        '"memory"',
        "[[1]]",
    ),
    *(
        '"30s"',
        '"1e999s"',
        '"{a}"',
        '"{{a}}"',
        '"echo"',
        '"echo {a}"',
        '"echo \\"x"',
        '"/x=(.*)/"',
        '"/(/"',
        "[]",
        "{}",
    ),
    *("0", "1", "2", "-1", "0.5", "1.5", "1e308", "nan", "inf", "-inf", "true", "false", "9" * 5000, "0x" + "f" * 900),
    *("1979-05-27", "07:32:00", "1979-05-27T07:32:00Z", '"\\u0000"', '"\\u202e"', '"[/data]"', "'\\'", '"a\\nb"'),
    *("[" * 2000 + "]" * 2000, "{ a = " * 500 + "1" + " }" * 500, "[[1, 0.5], [2, 1]]", "[[1]]", "{}"),
]
SCALARS = st.sampled_from(KNOWN)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda some: f"[{', '.join(some)}]"),
        st.tuples(st.sampled_from(["a", "b", '""', '"[/x]"', "latency_ms"]), inner).map(
            lambda pair: f"{{ {pair[0]} = {pair[1]} }}"
        ),
    ),
    max_leaves=5,
)


def files_of(base, tables):
    """A file that makes sense, with lines of it replaced by others, and others added."""

    def written(changes, junk):
        content = {table: dict(lines) for table, lines in base.items()}
        for (table, key), value in changes.items():
            content.setdefault(table, {})[key] = value
        parts = [f"[{table}]\n" * bool(table) + "".join(f"{key} = {value}\n" for key, value in lines.items() if value)
                 for table, lines in content.items()]  # fmt: skip
        return "".join(parts) + junk

    places = st.sampled_from([(table, key) for table, keys in tables.items() for key in keys])
    junk = st.sampled_from(["", "", "\x00", "x", "[grid]\n", "é = 1", "[configs.a]\nx = 1\n", '[configs." "]\n', "= 3"])
    return st.builds(written, st.dictionaries(places, st.one_of(VALUES, st.just("")), max_size=4), junk)


THRESHOLD, MEANS, RULES = '["a <= 5 : normal(1)"]', "[[1], [6]]", '["pandora"]'
STUDIES = files_of(
    {"": {"thresholds": THRESHOLD, "command": '"echo {x}"'}, "grid": {"x": "[1, 2]"}},
    {"": (*STUDY_KEYS, *RUN_KEYS, "odd"), "grid": ("x", "y", '""', '"[/x]"'), "plan": PLAN_KEYS, "configs.a": ("x",)},
)
INSTANCES = files_of(
    {"": {"thresholds": THRESHOLD}, "arms": {"means": MEANS}, "simulate": {"rules": RULES}},
    {"": (*TOP_KEYS[:4], "odd"), "arms": ARM_KEYS, "simulate": SIMULATE_KEYS},
)
FOLDER = Path(tempfile.mkdtemp(prefix="satisfice-fuzz-"))


def saved(text):
    path = FOLDER / "file.toml"
    path.write_text(text, encoding="utf-8")
    return path


def check_study_file(text):
    """A study is made of it, or it says why not; the same for a plan."""
    path = saved(text)
    works_or_says_why(lambda: _said(path))
    request = works_or_says_why(lambda: request_of(path, [], {}))
    if request is not None:
        study = works_or_says_why(lambda: sf.create_study(**request.study | {"storage": "memory"}))
        assert study is None or all(isinstance(one, str) for one in request.doubts())


def check_instance_file(text):
    """Cells are planned, or it says why not."""
    path = saved(text)
    said = works_or_says_why(lambda: load_instance(path))
    if said is not None:
        works_or_says_why(lambda: plan_cells([said.instance], **{"rules": ["pandora"]} | said.settings))


GRID = "thresholds = ['a <= 5']\ncommand = 'echo'\n[grid]\n"


@quick
@given(STUDIES)
@example(GRID + f"x = [{'9' * 5000}]")
@example(GRID + "x = " + "[" * 2000 + "]" * 2000)
@example(GRID + "x = [1979-05-27]")
@example(GRID + "".join(f"x{place} = {list(range(30))}\n" for place in range(8)))
@example(GRID + "x = ['a', 'a ']")
@example(GRID + "'' = [1]")
@example("durations = [[]]\n" + GRID + "x = [1]")
@example("durations = 0\n" + GRID + "x = [1]")
@example(f"jobs = 0x{'f' * 5000}\n" + GRID + "x = [1]")
@example(f"max_evaluations = 0x{'f' * 5000}\nretries = 0x{'f' * 5000}\n" + GRID + "x = [1]")
def test_a_study_file_is_read_or_refused_in_sentences(text):
    check_study_file(text)


@quick
@given(INSTANCES)
@example(f"thresholds = ['a <= 5 : normal(1)']\n[arms]\nmeans = [[{10**400}]]")
@example("thresholds = ['a <= 5 : normal(1)']\n[arms]\nmeans = " + "[" * 2000 + "]" * 2000)
@example(f"thresholds = {THRESHOLD}\n[arms]\nmeans = {MEANS}\n[simulate]\nrules = 1")
def test_an_instance_file_is_read_or_refused_in_sentences(text):
    check_instance_file(text)


@pytest.mark.full
@full
@given(STUDIES)
def test_twenty_thousand_study_files(text):
    check_study_file(text)


@pytest.mark.full
@full
@given(INSTANCES)
def test_twenty_thousand_instance_files(text):
    check_instance_file(text)
