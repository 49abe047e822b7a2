"""A real browser for the tests: Debian's chromium, driven by Playwright; nothing may leave the machine."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


def chromium() -> str | None:
    """Where the browser is."""
    return next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)


@contextmanager
def browsing(folder: Path) -> Iterator[Any]:
    """A browser with an empty profile; tests that need one are skipped where there is none."""
    path = chromium()
    if path is None:
        pytest.skip("there is no chromium here: apt-get install chromium")
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - heavy, and needed here only

    with sync_playwright() as playwright:
        context = playwright.chromium.launch_persistent_context(
            str(folder), executable_path=path, args=list(FLAGS), viewport={"width": 1400, "height": 900}
        )
        yield context
        context.close()


class Watched:
    """A page whose errors and requests are noted."""

    def __init__(self, context: Any) -> None:
        self.page = context.new_page()
        self.errors: list[str] = []
        self.elsewhere: list[str] = []
        self.page.on("console", lambda said: self.errors.append(said.text) if said.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", self._asked)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:")):
            self.elsewhere.append(request.url)

    def is_sound(self) -> bool:
        """No error was said, and nothing was asked for elsewhere."""
        assert self.errors == []
        assert self.elsewhere == []
        return True


def until(page: Any, expression: str, seconds: float = 20.0) -> None:
    """Wait for something to be true; Playwright's own waiting evaluates texts, which the page forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"it never came true: {expression}"
        page.wait_for_timeout(30)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@contextmanager
def dashboard(url: str, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """`satisfice dashboard` as its users start it; at the end it is killed."""
    command = [sys.executable, "-m", "satisfice", "dashboard", url, "--port", str(port)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={**os.environ, "PYTHONUNBUFFERED": "1"})
    try:
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                if httpx.get(f"http://127.0.0.1:{port}/health", timeout=1).status_code == 200:
                    break
            except httpx.HTTPError:
                time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()
