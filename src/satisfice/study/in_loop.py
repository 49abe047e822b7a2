"""A run that is awaited: evaluations in the event loop of whoever awaits it, and the study in a thread beside it."""

import asyncio
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from threading import Event
from typing import TYPE_CHECKING, Unpack

from satisfice.search.verdict import Verdict
from satisfice.study.attempts import Evaluate, is_async
from satisfice.study.executors import LoopExecutor, ThreadExecutor
from satisfice.study.progress import RunOptions

if TYPE_CHECKING:
    from satisfice.study.study import Study


async def awaited(study: "Study", evaluate: Evaluate, **options: Unpack[RunOptions]) -> Verdict:
    """Run the study and leave the loop to others meanwhile; cancelled, it gives back what is under way."""
    cancelled, until = Event(), options.get("until")
    options["until"] = lambda: cancelled.is_set() or (until is not None and until())
    if is_async(evaluate) and options.get("executor") is None:
        options["executor"] = LoopExecutor(asyncio.get_running_loop())
    run = partial(study.run, evaluate, **options)
    running = asyncio.wrap_future(ThreadExecutor().submit(copy_context().run, run))
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        cancelled.set()
        with suppress(Exception):
            await running
        raise
