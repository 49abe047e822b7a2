"""Server-Sent Events: what a browser reads for as long as it looks, and takes up again where it was."""

from collections.abc import AsyncGenerator
from functools import lru_cache

from starlette.concurrency import run_in_threadpool

from satisfice.web.feed import Feed, Update
from satisfice.web.studies import Bell

ALIVE_SECONDS = 15.0
"""How long there may be no news before an empty line is sent, by which it is noticed who is gone."""


@lru_cache(maxsize=16)
def event(kind: str, update: Update) -> bytes:
    """An event of the stream, written once for all who read it; its id is the position of the log."""
    return f"event: {kind}\nid: {update.position}\ndata: {update.text}\n\n".encode()


async def stream(feed: Feed, bell: Bell, last: int | None, key: str) -> AsyncGenerator[bytes]:
    """A snapshot, or what came since the position `last`, and then what changes."""
    feed.join()
    try:
        serial = None if last is None else feed.since(last, key)
        if serial is None:
            update = await run_in_threadpool(feed.snapshot)
            serial = update.serial
            yield event("snapshot", update)
        while not bell.last_call:
            news = feed.after(serial)
            if news is None:  # too slow: what it missed is forgotten
                update = await run_in_threadpool(feed.snapshot)
                serial = update.serial
                yield event("snapshot", update)
                continue
            for update in news:
                serial = update.serial
                yield event("delta", update)
            if not news:
                rung = await bell.wait(ALIVE_SECONDS)
                if not rung:
                    yield b": still here\n\n"
    finally:
        feed.leave()
