"""The report: the page of the dashboard in one file, which needs neither a network nor a script."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import satisfice as sf
from satisfice.layout.escape import html_text
from satisfice.web.assets import assets, text_of
from satisfice.web.report import MODULES, bundle, report
from tests.helpers.parts import THRESHOLDS, finish, results_of, study_in
from tests.web.browser import Watched, browsing, until
from tests.web.test_browser import HOSTILE, serious

DECLARED = r"(?:async )?(?:const|let|class|function) (\w+)"

TRACKS = """
Object.fromEntries([...document.querySelectorAll('table.rows tbody tr')].map(row => [
  row.querySelector('.pick').textContent,
  [...row.querySelectorAll('.track')].map(track => [
    track.getAttribute('class'),
    ...[...track.children].map(one => ['href', 'x', 'x1', 'x2'].map(name => one.getAttribute(name)).join(' ')),
    ...[...row.querySelectorAll('.figures')].map(one => one.textContent),
  ]),
]))
"""
"""What is drawn of each configuration, in coordinates and in figures."""

LETTERS = """
[...document.querySelectorAll('main *')]
  .filter(one => [...one.childNodes].some(node => node.nodeType === 3 && node.textContent.trim()))
  .filter(one => one.getClientRects().length)
  .map(one => parseFloat(getComputedStyle(one).fontSize))
"""


def fifty() -> sf.Study:
    """A study of fifty configurations."""
    names = [f"good number {place}" for place in range(50)]
    study = study_in(configs=names, thresholds=["speed >= 3 : normal(1)", "loss <= 0.02 : bernoulli"], rule="uniform")
    study.exchange([(pull, results_of(pull)) for pull in study.ask(400)])
    return study


class Tags(HTMLParser):
    """Which elements are in a page, and what stands in their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_one_file_is_small_and_asks_for_nothing() -> None:
    page = report(fifty())
    assert len(page.encode()) < 250_000
    tags = Tags()
    tags.feed(page)
    for tag, given in tags.found:
        assert tag not in ("link", "img", "iframe", "object", "base", "form")
        assert "src" not in given
        assert all(not name.startswith("on") for name in given)
        assert (given.get("href") or "#").startswith("#")
    assert "default-src 'none'" in page
    assert sum(tag == "script" for tag, _ in tags.found) == 3  # what it knows, uPlot, the page


def test_it_is_read_without_a_script() -> None:
    study = study_in()
    verdict = finish(study)
    page = re.sub(r"<script.*?</script>", "", report(study, "sqlite:///here.db"), flags=re.DOTALL)
    for text in ("FOUND", "good", verdict.certainty, html_text(study.explain("slow").text)):
        assert text in page
    evaluated = sum(status.pulls > 0 for status in study.statuses())
    assert page.count('class="track') == 2 * evaluated  # at every limit
    assert f"satisfice verify sqlite:///here.db --name study --head {study.view().head[:16]}" in page
    assert "<polyline" in page


def test_a_study_without_a_verdict_says_what_is_left() -> None:
    study = fifty()
    page = re.sub(r"<script.*?</script>", "", report(study), flags=re.DOTALL)
    assert "Forecast: " in page
    assert "evaluations in all at the present estimates" in page
    assert "simulated runs" in page


def test_names_are_text() -> None:
    study = sf.create_study(HOSTILE, THRESHOLDS, name="</script><script>window.hacked=1</script>", on_error="retry")
    for pull in study.ask(10):
        study.tell(pull, {"speed": 1.0, "loss": 0})
    study.fail(study.ask(1)[0], "</script><script>window.hacked=1</script>")
    page = report(study)
    tags = Tags()
    tags.feed(page)
    assert sum(tag == "script" for tag, _ in tags.found) == 3
    assert not any(tag in ("img", "b") and given for tag, given in tags.found)


def test_modules_are_put_together_in_their_order() -> None:
    files = {path.removeprefix("js/").removesuffix(".js") for path in assets() if path.startswith("js/")}
    assert files == set(MODULES)
    preloaded = re.findall(r'rel="modulepreload" href="/static/js/(\w+)\.js"', text_of("index.html"))
    assert [*preloaded, "main"] == list(MODULES)  # all are asked for at once, not each when another one names it
    for place, name in enumerate(MODULES):
        wanted = re.findall(r'from "\./(\w+)\.js"', text_of(f"js/{name}.js"))
        assert set(wanted) <= set(MODULES[:place]), f"{name} comes before what it imports"
    outer = [
        name
        for one in MODULES
        for name in re.findall(rf"^(?:export )?{DECLARED}", text_of(f"js/{one}.js"), re.MULTILINE)
    ]
    assert len(outer) == len(set(outer)) > 40
    assert set(outer) <= set(re.findall(rf"^{DECLARED}", bundle(), re.MULTILINE))


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with browsing(tmp_path_factory.mktemp("profile")) as context:
        yield context


def test_what_the_script_draws_is_what_was_there(browser: Any, tmp_path: Path) -> None:
    """The tracks of both are the same, coordinate by coordinate; the file works offline, and axe finds nothing."""
    study = study_in(goal="all")
    finish(study)
    text, watched = report(study), Watched(browser)
    file, plain, page = tmp_path / "report.html", tmp_path / "plain.html", watched.page
    file.write_text(text, encoding="utf-8")
    plain.write_text(re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL), encoding="utf-8")
    drawn: dict[Path, dict[str, Any]] = {}
    for one in (plain, file):
        page.goto(one.as_uri())
        until(page, "document.querySelectorAll('table.rows tbody tr').length === 3")
        until(page, f"document.querySelectorAll('.tools').length === {int(one == file)}")
        drawn[one] = page.evaluate(TRACKS)
        assert serious(page) == []
        page.set_viewport_size({"width": 400, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        assert min(page.evaluate(LETTERS)) >= 12
        page.set_viewport_size({"width": 1400, "height": 900})
    assert drawn[plain] == drawn[file]
    page.locator(".pick", has_text="slow").click()
    until(page, "document.getElementById('which').textContent === 'slow'")
    page.wait_for_selector("[data-part=config] canvas")
    assert watched.is_sound()
    page.close()
