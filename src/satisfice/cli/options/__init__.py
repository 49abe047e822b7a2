"""The options and arguments of the commands: what each is called, what it takes, what the help says."""

from satisfice.cli.options.making import *  # noqa: F403 - commands say options.NAME, wherever it is
from satisfice.cli.options.output import *  # noqa: F403
from satisfice.cli.options.program import *  # noqa: F403
from satisfice.cli.options.question import *  # noqa: F403
from satisfice.cli.options.simulations import *  # noqa: F403
from satisfice.cli.options.studies import *  # noqa: F403
