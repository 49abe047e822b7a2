"""What a run tells and asks its study, over a storage that may be out of reach for a while."""

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeVar

from satisfice.errors import PullAlreadyTold, PullReissued, SatisficeError
from satisfice.study.pull import Failure, Measured, Pull
from satisfice.study.retry import patiently
from satisfice.study.study import Settled, Study

T = TypeVar("T")


class Exchanges:
    """The pulls that were given to one run, and the results that it has not told yet."""

    def __init__(self, study: Study, patience: float) -> None:
        self._study, self._patience = study, patience
        self._label = secrets.token_hex(4)
        self._held: dict[str, Pull] = {}
        self._settled: list[Settled] = []

    def settle(self, pull: Pull, outcome: Measured | Failure) -> None:
        """Note what is told next."""
        self._settled.append((pull, outcome))

    def tell_and_ask(self, room: int, limit: int | None) -> list[Pull]:
        """Tell what is settled and ask for at most `room` pulls, in one step; nothing is done where both are none."""
        if not self._settled and room <= 0:
            return []
        pulls = self._exchange(self._settled, room, limit)
        self._held |= {pull.id: pull for pull in pulls}
        for pull, _ in self._settled:
            self._held.pop(pull if isinstance(pull, str) else pull.id, None)
        self._settled.clear()
        return pulls

    def patiently(self, act: Callable[[], T]) -> T:
        return patiently(act, self._patience, self._release_unknown)

    def wind_up(self) -> None:
        """On the way out: tell what is settled, give back the rest."""
        for one in self._settled:
            with suppress(SatisficeError):
                self._study.exchange([one])
        self._study.release(*self._ours())

    def _exchange(self, settled: Sequence[Settled], room: int, limit: int | None) -> list[Pull]:
        try:
            return self.patiently(
                lambda: self._study.exchange(
                    settled, ask=room, worker=self._label, max_evaluations=limit, evaluates=True
                )
            )
        except (PullReissued, PullAlreadyTold):
            for one in settled:
                with suppress(PullReissued, PullAlreadyTold):  # somebody else has it now, and its results count
                    self.patiently(lambda one=one: self._study.exchange([one]))  # type: ignore[misc]  # bound now
            return self._exchange((), room, limit)

    def _release_unknown(self) -> None:
        """Give back what was given to us over a connection that broke before we heard of it."""
        self._study.release(*(pull for pull in self._ours() if pull.id not in self._held))

    def _ours(self) -> list[Pull]:
        """What was given to this run, according to the log."""
        return [one.pull for one in self._study.outstanding() if (one.worker or "").startswith(f"{self._label}@")]
