"""A stopping rule that is not sound, for tests that must catch it."""

from math import log
from typing import Any, NamedTuple

import satisfice as sf
from satisfice.stopping.transfer import TransferJudge


class Boastful(NamedTuple):
    """Evidence too large by a factor: every level is lower by its logarithm."""

    sound: Any = sf.Evidence()
    factor: float = 3.0

    def judge(self, problem, arms):
        judge = self.sound.judge(problem, arms)
        less = log(self.factor)
        evidence = judge.evidence if isinstance(judge, TransferJudge) else judge
        boastful = evidence._replace(
            accept_level=evidence.accept_level - less,
            reject_level=evidence.reject_level - less,
            lone_level=evidence.lone_level - less,
        )
        if evidence is judge:
            return boastful
        return judge._replace(evidence=boastful)
