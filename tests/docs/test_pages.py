"""The pages: what the code writes is up to date, links lead somewhere, every key, command and option is there."""

import ast
import re
import unicodedata
from pathlib import Path

import generate
import pytest
import site_hooks
import snippets
import typer.main

import satisfice as sf
from satisfice.cli.app import app
from satisfice.cli.plan import PLAN_KEYS
from satisfice.cli.request import RUN_KEYS
from satisfice.files import instance_file
from satisfice.files.study_file import STUDY_KEYS
from satisfice.planning.scenarios import SCENARIOS
from tests.helpers import cases
from tests.helpers.quick_part import quick

ROOT = Path(__file__).parent.parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
LATER = {"benchmarks/speed/RESULTS.md"}
"""Written by `make bench`."""


@pytest.mark.parametrize("name", quick(generate.SECTIONS, *(name for name in generate.SECTIONS if name != "bounds")))
def test_what_the_code_writes_is_up_to_date(name):
    path, now, written = generate.filled(name)
    assert now == written, f"{path.name} is out of date: run `python docs/generate.py`"


def test_every_public_name_is_documented():
    assert generate.missing_names() == set()
    assert "### Search\n" in (ROOT / "docs/reference/python.md").read_text(encoding="utf-8")


def test_every_command_and_option_is_documented():
    """Read from the page as people do, not from what writes it."""
    page = (ROOT / "docs/reference/cli.md").read_text(encoding="utf-8")
    sections = {part.split("\n")[0]: part for part in page.split("\n## ")[1:]}
    program = typer.main.get_command(app)
    commands = {"satisfice": program, **{f"satisfice {name}": one for name, one in program.commands.items()}}
    assert set(sections) == set(commands)
    for name, command in commands.items():
        shown = set(re.findall(r"(?<=`)--?[A-Za-z-]+", sections[name]))
        options = [param for param in command.params if param.param_type_name == "option"]
        assert shown == {"-h", "--help"} | {way for param in options for way in param.opts}, name
        assert all(param.help and param.help in sections[name] for param in command.params), name


def test_every_key_of_study_files_is_documented():
    page = (ROOT / "docs/how-to/study-files.md").read_text(encoding="utf-8")
    keys = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert sorted(keys) == sorted([*STUDY_KEYS, *RUN_KEYS])


def test_every_key_of_instance_files_is_documented():
    page = (ROOT / "docs/how-to/instance-files.md").read_text(encoding="utf-8")
    keys = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    known = [*instance_file.TOP_KEYS, *instance_file.ARM_KEYS, *instance_file.SIMULATE_KEYS]
    assert sorted(keys) == sorted(known)


def test_every_scenario_and_every_key_of_a_plan_is_documented():
    page = (ROOT / "docs/how-to/plan-a-study.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)) == sorted(PLAN_KEYS)
    assert [name for name in re.findall(r"^\| ([^|`]+) \|", page, re.MULTILINE) if name in SCENARIOS] == list(SCENARIOS)


def prose(path):
    """A page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


def anchors(text):
    """The places of a page that links can lead to: its headings, named as the site names them, and explicit ids."""
    found = re.findall(r"\bid=\"([^\"]+)\"", text)
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", text, re.MULTILINE):
        own = re.search(r"\{[^}]*#([\w-]+)[^}]*\}$", heading)
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading)
        ascii_words = unicodedata.normalize("NFKD", words).encode("ascii", "ignore").decode()
        slug = re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_words).strip().lower())
        first, again = own[1] if own else slug, 0
        while (name := f"{first}_{again}" if again else first) in found:
            again += 1
        found.append(name)
    return set(found)


def dead_links(path):
    """Where a page links to and nothing is."""
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", prose(path)):
        if target.startswith(("https://", "http://", "mailto:")) or target in LATER:
            continue
        page = path.parent / target if target else path
        if not page.exists() or (anchor and anchor not in anchors(prose(page))):
            yield f"{target}#{anchor}" if anchor else target


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path):
    assert list(dead_links(path)) == []


def test_a_link_that_leads_nowhere_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        '# What `is-it`?\n## Twice, *so*\n## Twice, so\n## Own { #mine }\n```sh\n# no heading\n```\n<a id="here"></a>\n'
        "[1](#what-is-it) [2](page.md#twice-so_1) [3](#mine) [4](#here) [5](https://example.org/#x)\n"
        "[6](#twice-so_2) [7](page.md#what) [8](#no-heading) [9](other.md) [10](other.md#what-is-it)\n"
    )
    dead = ["#twice-so_2", "page.md#what", "#no-heading", "other.md", "other.md#what-is-it"]
    assert list(dead_links(page)) == dead


def test_every_page_is_in_the_navigation():
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")))
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert listed == pages | {"reproduction.md"}


def test_every_page_is_linked_from_the_readme():
    linked = set(re.findall(r"\]\(docs/([\w/-]+\.md)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert linked == {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}


def test_the_site_lists_pages_for_language_models():
    nav = [{"Thresholds": "reference/thresholds.md"}, {"How to": [{"Install": "how-to/install.md"}]}]
    site = {"site_name": "satisfice", "site_description": "What it is for.", "nav": nav}
    first, install = (line for line in site_hooks.llms_text(site).splitlines() if line.startswith("- "))
    assert first.startswith("- [Thresholds](reference/thresholds.md): ")
    assert install == "- [Install](how-to/install.md): Python 3.11 or later."
    assert "\n## Start\n" in site_hooks.llms_text(site)
    assert "\n## How to\n" in site_hooks.llms_text(site)


def test_the_page_about_own_rules_shows_the_example():
    blocks = snippets.blocks_of((ROOT / "docs/how-to/add-a-rule.md").read_text(encoding="utf-8"))
    shown = {
        kind.name: ast.dump(kind) for block in blocks if block.language == "python" for kind in classes(block.text)
    }
    for kind in classes((ROOT / "examples/own_rule.py").read_text(encoding="utf-8")):
        assert shown[kind.name] == ast.dump(kind)


def test_the_page_about_own_noise_shows_the_example_whole():
    blocks = snippets.blocks_of((ROOT / "docs/how-to/add-a-noise-model.md").read_text(encoding="utf-8"))
    assert (ROOT / "examples/own_noise.py").read_text(encoding="utf-8") in [block.text for block in blocks]


def classes(code):
    return [node for node in ast.parse(code).body if isinstance(node, ast.ClassDef)]


def test_the_picture_is_small_and_needs_nothing_else():
    picture = (ROOT / "docs/figures/live_table.svg").read_text(encoding="utf-8")
    assert len(picture) < 50_000
    assert "url(http" not in picture
    assert re.search(r"FOUND +codec=\w+ txpower=\d+ +\d+ evaluations", picture.replace("&#160;", " "))


@pytest.mark.parametrize(("name", "expected"), [("synthetic", cases.synthetic()), ("medical", cases.medical())])
def test_the_papers_instances_as_files_are_the_papers(name, expected):
    said = sf.load_instance(ROOT / "examples" / f"paper_{name}.toml").instance
    assert said.arms.means.tolist() == expected.arms.means.tolist()
    assert said.problem.error_rate == expected.problem.error_rate
    for metric, other in zip(said.problem.metrics, expected.problem.metrics, strict=True):
        assert (metric.threshold, metric.direction) == (other.threshold, other.direction)
        assert (metric.tolerance, metric.noise) == (other.tolerance, other.noise)


def test_the_change_log_knows_this_version():
    assert f"\n## [{sf.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
