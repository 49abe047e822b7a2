"""A service in another thread, and the commands that serve in another process, for tests."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

import httpx

from satisfice.study.storage.protocol import open_storage
from satisfice.web.security import Access, access_to
from satisfice.web.server import bound, serving
from satisfice.web.service import service_app


@contextmanager
def served(url: str, access: Access | None = None) -> Iterator[httpx.Client]:
    """A client of a service of a storage; its base_url is the address."""
    listener = bound("127.0.0.1", 0)
    storage = open_storage(url)
    app, ending, close = service_app(storage, access or access_to("127.0.0.1"))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    try:
        with serving(app, listener, ending), httpx.Client(base_url=address, timeout=30) as web:
            yield web
    finally:
        close()
        storage.close()


@contextmanager
def typed(
    *words: str, lines: int = 1, limits: str = ":", **environment: str
) -> Iterator[tuple[httpx.Client, list[str]]]:
    """A client of `satisfice serve` or `dashboard` at any free port, and the first lines that it printed.

    `limits` is what a shell is told before it.
    """
    own = {name: value for name, value in os.environ.items() if not name.startswith("SATISFICE_")}
    command = ["sh", "-c", f'{limits}; exec "$@"', "sh", sys.executable, "-m", "satisfice", *words, "--port", "0"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=own | environment)
    assert server.stderr is not None
    patience = Timer(60, server.kill)  # where it prints fewer lines
    patience.start()
    try:
        said = [server.stderr.readline() for _ in range(lines)]
        patience.cancel()
        address = re.search(r"https?://\S+", said[0])
        assert address is not None, said
        with httpx.Client(base_url=f"http://127.0.0.1:{httpx.URL(address[0]).port}", timeout=30) as web:
            yield web, said
    finally:
        patience.cancel()
        server.kill()
        server.communicate()
