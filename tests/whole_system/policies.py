"""What a log says of failures, losses and budgets against the policy in force; shares no code with the package."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

FIRST, IN_A_ROW = 5, 20
"""So many failures, the first of all or in a row, stop a study."""


def policy_faults(events: Iterable[tuple[str, Any]]) -> Iterable[str]:
    """What does not follow from the policy at that event."""
    known = Known()
    for kind, content in events:
        yield from getattr(known, kind, _nothing)(content)


def _nothing(content: dict[str, Any]) -> Iterable[str]:
    return ()


class Known:
    """What is known of failures after each event, whose kinds its methods are named after."""

    def __init__(self) -> None:
        self._policy: dict[str, Any] = {}
        self._failures: Counter[int] = Counter()
        self._in_a_row, self._worked, self._measured = 0, False, False
        self._free: set[int] = set()

    def created(self, content: dict[str, Any]) -> Iterable[str]:
        self._policy = content["spec"]
        return ()

    def policy(self, content: dict[str, Any]) -> Iterable[str]:
        """Whoever changes it says one thing anew, and leaves what others said as it is."""
        anew = {key for key, value in content["policy"].items() if value != self._policy[key]}
        self._policy = content["policy"]
        if len(anew) != 1:
            yield f"one thing was said anew, and the policy has these: {sorted(anew)}"

    def asked(self, content: dict[str, Any]) -> Iterable[str]:
        most = self._policy["max_evaluations"]
        if most is not None and content["number"] >= most:
            yield f"pull {content['number']} is more than the {most} that there may be"

    def reissued(self, content: dict[str, Any]) -> Iterable[str]:
        number = content["number"]
        if number not in self._free and self._policy["on_lost"] != "reissue":
            yield f"pull {number} was lost and given out again, against the policy"
        self._free.discard(number)

    def released(self, content: dict[str, Any]) -> Iterable[str]:
        self._free.add(content["number"])
        return ()

    def told(self, content: dict[str, Any]) -> Iterable[str]:
        self._in_a_row, self._worked, self._measured = 0, True, True
        return ()

    def resumed(self, content: dict[str, Any]) -> Iterable[str]:
        self._in_a_row, self._worked = 0, True
        self._failures.clear()
        return ()

    def failed(self, content: dict[str, Any]) -> Iterable[str]:
        number, then = content["number"], content["then"]
        expected = self._expected(number, content["attempt"], lost=content["failure"] == "lost")
        alone = expected == "worst" and then == "stop" and not self._measured  # worst results alone would decide it
        if then != expected and not alone:
            yield f"a failure of pull {number} led to {then}, and the policy says {expected}"
        self._in_a_row += 1
        if then != "worst":
            self._failures[number] += 1
            self._free.add(number)

    def _expected(self, number: int, attempt: int, *, lost: bool) -> str:
        said = str(self._policy["on_lost" if lost else "on_error"]).replace("reissue", "retry")
        often = self._in_a_row + 1 >= (IN_A_ROW if self._worked else FIRST)
        spent = attempt + 1 >= IN_A_ROW if lost else self._failures[number] >= self._policy["retries"]
        return "stop" if often or (said == "retry" and spent) else said
