"""The page in a real browser: every part of it, live, with many rows, with hostile names, and when the server goes."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlencode

import pytest

import satisfice as sf
from satisfice.study.storage.protocol import open_storage
from satisfice.study.study import Study
from satisfice.web import forecaster
from satisfice.web.app import dashboard_app
from satisfice.web.security import Access, access_to
from satisfice.web.server import bound, serving
from satisfice.web.studies import Studies
from tests.helpers.parts import THRESHOLDS, endless, results_of, study_in
from tests.web.browser import Watched, browsing, dashboard, free_port, until

PARTS = ["verdict", "configs", "evidence", "spent", "config", "work", "rests", "measured", "seal"]
SIDEWAYS = """
[...document.querySelectorAll('.wide')].filter(one => one.scrollWidth > one.clientWidth).map(one => one.textContent)
"""
"""The tables that one has to scroll to the side."""
NOT_YET_DRAWN_ANEW = "document.querySelectorAll('.uplot').forEach(one => { one.style.width = '883px' })"
"""Pictures as wide as they were before the window became narrow."""
HOSTILE = [
    "<script>window.hacked = 1</script>",
    '"><img src=x onerror="window.hacked=1">',
    "\u202eright to left\u2066 اختبار",
    "long " + 10_000 * "x",
    "{{7*7}} ${7*7} javascript:alert(1)",
]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with browsing(tmp_path_factory.mktemp("profile")) as context:
        yield context


@pytest.fixture
def watched(browser: Any) -> Iterator[Watched]:
    one = Watched(browser)
    yield one
    one.page.close()


@contextmanager
def shown(url: str, access: Access | None = None) -> Iterator[str]:
    """The address of a dashboard."""
    studies = Studies(open_storage(url, read_only=True))
    listener = bound("127.0.0.1", 0)
    with serving(dashboard_app(studies, access or access_to("127.0.0.1")), listener, studies.end_streams):
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/"
    studies.close()


def tell(study: Study, number: int) -> None:
    for pull in study.ask(number):
        study.tell(pull, results_of(pull))


def evaluations(page: Any) -> int:
    return int(page.locator(".tile .value").first.inner_text().replace(",", ""))


def wait_for_evaluations(page: Any, number: int) -> None:
    until(page, f"document.querySelector('.tile .value')?.textContent === '{number:,}'")


def serious(page: Any) -> list[str]:
    """What axe-core finds that keeps people from using the page."""
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415

    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0].get('failureSummary', '')[:300]}"
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def test_a_study_that_runs_is_seen_in_every_part(watched: Watched, sqlite: str) -> None:
    study, page = study_in(sqlite, goal="all", max_evaluations=500), watched.page
    tell(study, 6)
    under_way = study.ask(2)
    with shown(sqlite) as address:
        page.goto(address)
        page.wait_for_selector("[data-part=verdict] h1")
        assert page.evaluate("[...document.querySelectorAll('[data-part]')].map(one => one.dataset.part)") == PARTS
        assert "UNDECIDED" in page.locator("h1").inner_text()
        wait_for_evaluations(page, study.counts().folded)
        assert page.locator("[data-part=work] tbody tr").count() == 2  # under way
        assert "too early to say" in page.evaluate("document.querySelector('[data-part=verdict] .tiles').textContent")
        for pull in under_way:
            study.tell(pull, results_of(pull))
        while (pull := study.ask()) is not None:
            study.tell(pull, results_of(pull))
        until(page, "document.querySelector('h1').textContent.includes('FOUND')")
        wait_for_evaluations(page, study.counts().folded)
        assert study.verdict().certainty in page.locator(".certainty").inner_text()
        assert study.view().head in page.locator("[data-part=seal]").inner_text()
        page.wait_for_selector("[data-part=evidence] canvas")
        page.wait_for_selector("[data-part=config] .histogram")
        assert page.locator("table.rows tbody tr").count() == 3
        assert page.locator("table.rows tr.pass").count() == 1
        assert page.title().startswith("FOUND good")
        until(page, "document.getElementById('link').textContent === 'live, decided'")
        for width, scheme in ((1400, "light"), (400, "dark")):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=scheme)
            assert serious(page) == []
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            assert page.evaluate(SIDEWAYS) == []
    assert watched.is_sound()


def test_what_is_left_is_forecast(watched: Watched, sqlite: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forecaster, "FIRST_SECONDS", 0.1)
    study, page = endless(sqlite, cost=2.0, max_evaluations=90), watched.page
    tell(study, 60)
    with shown(sqlite) as address:
        page.goto(address)
        page.wait_for_selector("[data-part=verdict] h1")
        until(page, "document.querySelector('[data-part=verdict]')?.textContent.includes('simulated runs')", 60)
        words = page.evaluate("document.querySelector('[data-part=verdict] .tiles').textContent")
        assert "in all" in words
        assert "at the present estimates" in words
        assert "within the budget" in words
        page.set_viewport_size({"width": 400, "height": 900})
        page.wait_for_selector("[data-part=config] .plot .uplot")
        page.evaluate(NOT_YET_DRAWN_ANEW)
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
        page.set_viewport_size({"width": 1400, "height": 900})
    assert watched.is_sound()


def test_rows_are_chosen_sorted_and_filtered_by_keyboard(watched: Watched, sqlite: str) -> None:
    study, page = endless(sqlite, number=30), watched.page
    tell(study, 60)
    with shown(sqlite) as address:
        page.goto(address)
        page.wait_for_selector("table.rows tbody tr .figures")
        page.get_by_label("filter configurations by name").fill("good 2")
        until(page, "document.querySelectorAll('table.rows tbody tr').length === 12")
        assert page.locator(".tools .count").inner_text() == "12 of 30 configurations"
        page.locator("table.rows th button", has_text="configuration").focus()
        page.keyboard.press("Enter")
        assert page.locator("th.name").get_attribute("aria-sort") == "ascending"
        first = page.locator("table.rows tbody tr[aria-rowindex='2'] .pick").inner_text()
        assert first == "good 2"
        page.locator(".box").focus()
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        until(page, "document.getElementById('which')?.textContent === 'good 29'")
        assert page.evaluate("document.activeElement.id") == "which"
        page.get_by_label("which configurations").select_option("pass")
        assert page.locator(".tools .count").inner_text() == "0 of 30 configurations"
        before = page.evaluate("getComputedStyle(document.body).backgroundColor")
        page.locator("#theme").click()
        page.locator("#theme").click()  # auto, light, dark
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") != before
        page.locator("#theme").click()
    assert watched.is_sound()


def test_two_studies_are_listed_and_opened(watched: Watched, sqlite: str) -> None:
    page = watched.page
    for name in ("first", "second"):
        with study_in(sqlite, name=name) as study:
            tell(study, 4)
    with shown(sqlite) as address:
        page.goto(address)
        until(page, "document.querySelectorAll('.card .badge').length === 2")
        assert serious(page) == []
        page.get_by_role("link", name="second").click()
        page.wait_for_selector("table.rows")
        assert page.locator(".verdict .name").inner_text() == "second"
        page.goto(f"{address}?{urlencode({'study': 'nobody'})}")
        page.wait_for_selector(".alarm")
        assert "nobody" in page.locator(".alarm").inner_text()
    watched.errors = [one for one in watched.errors if "404" not in one]  # that there is no such study
    assert watched.is_sound()


def test_a_server_that_is_killed_and_comes_back_loses_and_doubles_nothing(watched: Watched, sqlite: str) -> None:
    study, page, port = endless(sqlite), watched.page, free_port()
    tell(study, 5)
    with dashboard(sqlite, port):
        page.goto(f"http://127.0.0.1:{port}/?study=study")
        wait_for_evaluations(page, 5)
        tell(study, 4)
        wait_for_evaluations(page, 9)
    until(page, "document.getElementById('link').textContent.startsWith('connection lost')")
    assert evaluations(page) == 9  # what it knew stays
    tell(study, 7)
    with dashboard(sqlite, port):
        wait_for_evaluations(page, 16)
        tell(study, 3)
        wait_for_evaluations(page, 19)
        until(page, "document.getElementById('link').textContent === 'live'")
        shown_rows = page.locator("td.pulls").evaluate_all("all => all.map(one => parseInt(one.textContent))")
        assert sum(shown_rows) == 19
    assert [one for one in watched.errors if "ERR_CONNECTION_REFUSED" not in one and "ERR_INCOMPLETE" not in one] == []
    assert watched.elsewhere == []


def test_a_hundred_thousand_rows(watched: Watched, sqlite: str) -> None:
    names = [f"c{place:06}" for place in range(100_000)]
    study, page = sf.create_study(names, ["loss <= 0.2 : bernoulli"], storage=sqlite), watched.page
    study.exchange([(pull, {"loss": 0.0}) for pull in study.ask(50)])
    with shown(sqlite) as address:
        page.goto(address)
        page.wait_for_selector("table.rows tbody tr")
        assert page.locator("table.rows").get_attribute("aria-rowcount") == "100001"
        page.get_by_label("sort by").select_option("given")
        page.locator(".box").evaluate("box => { box.scrollTop = box.scrollHeight }")
        page.wait_for_selector("text=c099999")
        assert page.locator("table.rows tbody tr").count() < 60
        page.get_by_label("filter configurations by name").fill("c0500")
        until(page, "document.querySelector('.tools .count').textContent.startsWith('100 of')")
    assert watched.is_sound()


def test_names_stay_text(watched: Watched, sqlite: str) -> None:
    page, name = watched.page, "<b onmouseover=window.hacked=1>study</b>"
    study = sf.create_study(
        {one: {"<i>key</i>": f"<u>{one[:20]}</u>"} for one in HOSTILE},
        THRESHOLDS,
        storage=sqlite,
        name=name,
        on_error="retry",
    )
    for pull in study.ask(10):
        study.tell(pull, {"speed": 1.0, "loss": 0})
    study.fail(study.ask(1)[0], "<script>window.hacked = 1</script>")
    with shown(sqlite) as address:
        page.goto(address)
        page.wait_for_selector("table.rows tbody tr .figures")
        assert page.locator(".verdict .name").inner_text() == name
        texts = page.locator(".pick").evaluate_all("all => all.map(one => one.textContent)")
        assert sorted(texts) == sorted(HOSTILE)
        for place in range(len(HOSTILE)):
            page.locator(".pick").nth(place).evaluate("one => one.click()")
            until(page, "document.querySelector('[data-part=config] dd')?.textContent.startsWith('<u>')")
        assert "<script>window.hacked = 1</script>" in page.locator("[data-part=work]").inner_text()
        assert page.evaluate("window.hacked") is None
        assert page.locator("main script, main img, main b b, main u, main i").count() == 0
        page.set_viewport_size({"width": 400, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= 400
    assert watched.is_sound()


def test_a_token_is_asked_for_and_kept_out_of_the_address(watched: Watched, sqlite: str) -> None:
    endless(sqlite).close()
    page, access = watched.page, Access(frozenset({"127.0.0.1"}), token="right")
    with shown(sqlite, access) as address:
        page.goto(f"{address}?study=study")
        page.get_by_label("This server wants the token").fill("right")
        page.get_by_role("button", name="Look").click()
        page.wait_for_selector("table.rows")
        page.evaluate("sessionStorage.clear()")
        page.goto(f"{address}?study=study#token=right")
        page.wait_for_selector("table.rows")
        assert page.url == f"{address}?study=study"
    watched.errors = [one for one in watched.errors if "401" not in one]
    assert watched.is_sound()
