"""A service in another thread, for tests."""

from collections.abc import Iterator
from contextlib import contextmanager

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
