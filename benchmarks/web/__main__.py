"""The bars of the page: python -m benchmarks.web [--configs K] [--evaluations N] [--browsers B]

Chromium is driven by Playwright; where either is missing, what needs them is left out and said.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from http.client import HTTPException
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.request import Request, urlopen

import satisfice as sf
from satisfice.study.events import Event, Kind
from satisfice.study.snapshots import loaded, sha256_of, taken
from satisfice.study.spec import spec_of
from satisfice.study.state import StudyState
from satisfice.study.storage.sql import SQLStorage
from satisfice.study.storage.sql_log import SQLLog
from satisfice.web.assets import assets

THRESHOLDS = ["latency <= 100 : bounded(0, 400)", "loss <= 0.02 : bernoulli"]
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
BATCH = 1000
AT = 1.7e9
"""When all of it happened, in seconds since 1970."""
SECONDS = 8.0

SCROLLING = """async () => {
  const box = document.querySelector('.box');
  const step = Math.max(40, box.scrollHeight / 240);
  const began = performance.now();
  let frames = 0;
  box.scrollTop = 0;
  while (box.scrollTop + box.clientHeight < box.scrollHeight - 1 && frames < 240) {
    box.scrollTop += step;
    await new Promise(requestAnimationFrame);
    frames += 1;
  }
  return frames / ((performance.now() - began) / 1000);
}"""
"""From the first row to the last, a step a frame."""


def filled(url: str, configs: int, evaluations: int) -> sf.Study:
    """A study in which nothing is decided for long, with so many evaluations, the same number of each config.

    They are written into the log one round after the other: to let the rule choose would take hours for a million.
    """
    names = [f"config {place:06}" for place in range(configs)]
    sf.create_study(names, THRESHOLDS, storage=url, goal="all").close()
    with closing(SQLStorage(url).open("study")) as log:
        state = loaded(spec_of(next(iter(log.read(0)))), log)
        for first in range(0, evaluations, BATCH):
            _append(log, state, [told for number in range(first, first + BATCH) for told in _evaluated(state, number)])
        snapshot = taken(state)
        vouched = {"of": snapshot.position, "sha256": sha256_of(snapshot), "at": AT}
        _append(log, state, [state.record(Kind.SNAPSHOT, vouched)])
        log.keep(snapshot)
    return sf.load_study(url)


def _append(log: SQLLog, state: StudyState, events: Sequence[Event]) -> None:
    log.extend(state.position - len(events), lambda news: events)


def _evaluated(state: StudyState, number: int) -> Iterator[Event]:
    """The events of one evaluation."""
    arm, repeat = number % len(state.spec.configs), number // len(state.spec.configs)
    state.search.take_choice(number, state.waiting, arm)
    grant = {"worker": "w", "lease": 60.0, "at": AT}
    yield state.record(Kind.ASKED, {"number": number, "arm": arm, "arm_number": repeat, **grant})
    values = [60.0 + number * 37 % 90, float(number % 47 == 0)]
    yield state.record(Kind.TOLD, {"number": number, "attempt": 0, "values": values, "at": AT})


@contextmanager
def dashboard(url: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "satisfice", "dashboard", url, "--port", str(port)], stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(600):
            try:
                urlopen(f"http://127.0.0.1:{port}/health", timeout=5).read()
                break
            except OSError:
                time.sleep(0.1)
        yield process
    finally:
        process.kill()
        process.wait()


def cpu_seconds(process: int) -> float:
    """Processor time that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def megabytes(process: int) -> float:
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def size() -> None:
    sent = sum(len(one.packed) for path, one in assets().items() if not path.endswith(".txt"))
    print(f"page, gzip, all files: {sent / 1000:.1f} kB (bar 120)")


def in_browser(address: str, configs: int) -> None:
    """The first row with its figures, and frames a second while all rows are scrolled through."""
    path = shutil.which("chromium")
    if path is None:
        print("no chromium here: paint and scrolling are left out")
        return
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - for this alone

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        for word in ("first", "again"):
            page: Any = browser.new_page(viewport={"width": 1400, "height": 900})
            page.set_default_timeout(300_000)
            began = time.perf_counter()
            page.goto(address, wait_until="commit")
            page.wait_for_selector("table.rows tbody .figures")
            print(f"first useful paint, {word} browser: {time.perf_counter() - began:.2f} s (bar 1 for 1,000 configs)")
        frames = page.evaluate(SCROLLING)
        print(f"scrolling {configs:,} rows: {frames:.0f} frames a second (bar 30)")
        browser.close()


def many(study: sf.Study, address: str, process: int, browsers: int) -> None:
    """What browsers on one study take of the server, and of the study's ask and tell."""
    alone = told_a_second(study)
    open_ones = [urlopen(Request(address), timeout=600) for _ in range(browsers)]

    def drain(answer: Any) -> None:
        with suppress(HTTPException, OSError, ValueError):  # at the end the server is killed
            while answer.read1(65536):
                pass

    for one in open_ones:
        Thread(target=drain, args=(one,), daemon=True).start()
    print(f"the whole history is read after {_complete(address):.0f} s, with a small part of a core")
    before = cpu_seconds(process)
    beside = told_a_second(study)
    used = (cpu_seconds(process) - before) / SECONDS
    print(f"{browsers} browsers: {100 * used:.0f} % of a core (bar 10), {megabytes(process):.0f} MB (bar 150)")
    print(f"ask + tell beside them: {alone / beside:.2f} x the time of alone (bar 1.05); {beside:.0f} a second")


def _complete(address: str) -> float:
    """Wait until all raw results can be shown, five minutes at most; how many seconds that took."""
    began = time.monotonic()
    while time.monotonic() < began + 300.0:
        time.sleep(5.0)
        with urlopen(address.replace("/api/events?", "/api/config?config=0&"), timeout=600) as answer:
            if json.load(answer)["complete"]:
                break
    return time.monotonic() - began


def told_a_second(study: sf.Study) -> float:
    """How many ask + tell pairs a second there are, of at most twenty, which leave processors to others."""
    until, pairs, busy = time.monotonic() + SECONDS, 0, 0.0
    while time.monotonic() < until:
        began = time.perf_counter()
        pull = study.ask()
        assert pull is not None
        study.tell(pull, {"latency": 80.0, "loss": 0.0})
        busy += time.perf_counter() - began
        pairs += 1
        time.sleep(0.05)
    return pairs / busy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--configs", type=int, default=1000)
    parser.add_argument("--evaluations", type=int, default=100_000)
    parser.add_argument("--browsers", type=int, default=200)
    parser.add_argument("--port", type=int, default=8790)
    given = parser.parse_args()
    size()
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/study.db"
        study = filled(url, given.configs, given.evaluations)
        print(f"{given.configs:,} configurations, {given.evaluations:,} evaluations")
        with dashboard(url, given.port) as process:
            in_browser(f"http://127.0.0.1:{given.port}/?study=study", given.configs)
            many(study, f"http://127.0.0.1:{given.port}/api/events?study=study", process.pid, given.browsers)
        study.close()


if __name__ == "__main__":
    main()
