"""Settings of the whole suite; this file also puts tests/ on the path, where `twin` and `cases` are."""

import signal

from hypothesis import settings

# the same examples in every run: a failure can be looked at again, and no file of past examples is kept
settings.register_profile("seeded", derandomize=True, deadline=None, database=None, max_examples=40)
settings.load_profile("seeded")

# what runs in the background ignores Ctrl-C, and so would all that the tests start and interrupt
signal.signal(signal.SIGINT, signal.default_int_handler)
