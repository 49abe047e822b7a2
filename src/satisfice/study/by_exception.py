"""What an exception of an evaluation leads to, where its type says more than the policy of the study."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, NamedTuple

from satisfice.errors import InvalidSpec, RateLimited
from satisfice.given import shown
from satisfice.study.backoff import is_refusal
from satisfice.study.policy import PolicyChanges

ExceptionTypes = type[BaseException] | Iterable[type[BaseException]]
"""One type of exceptions, or several."""


class Way(StrEnum):
    """What an exception leads to: another attempt that counts as such, the worst result, or waiting."""

    RETRY = "retry"
    WORST = "worst"
    WAIT = "wait"


class ByException(NamedTuple):
    """Types of exceptions, and what they lead to; of several that fit, the nearest relative counts."""

    retry_on: tuple[type[BaseException], ...] = ()
    worst_on: tuple[type[BaseException], ...] = ()
    wait_on: tuple[type[BaseException], ...] = ()

    def way_of(self, error: BaseException) -> Way | None:
        """What an exception leads to; None: what the policy of the study says of all failures.

        A server that has too much to do is waited for, unless the very type of the exception is named otherwise.
        """
        named = {
            **dict.fromkeys(self.retry_on, Way.RETRY),
            **dict.fromkeys(self.worst_on, Way.WORST),
            **dict.fromkeys(self.wait_on, Way.WAIT),
        }
        if type(error) in named:
            return named[type(error)]
        if isinstance(error, RateLimited) or is_refusal(error):
            return Way.WAIT
        return next((named[kind] for kind in type(error).__mro__ if kind in named), None)

    def named(self) -> PolicyChanges:
        """The names of the types, for the record."""
        return {
            "retry_on": _names(self.retry_on),
            "worst_on": _names(self.worst_on),
            "wait_on": _names(self.wait_on),
        }


NONE_TOLD_APART = ByException()


def by_exception(retry_on: ExceptionTypes, worst_on: ExceptionTypes, wait_on: ExceptionTypes) -> ByException:
    """What exceptions lead to, from what a user gives."""
    made = ByException(
        _types(retry_on, "retry_on"),
        _types(worst_on, "worst_on"),
        _types(wait_on, "wait_on"),
    )
    for one, other in (("retry_on", "worst_on"), ("retry_on", "wait_on"), ("worst_on", "wait_on")):
        both = set(getattr(made, one)) & set(getattr(made, other))
        if both:
            raise InvalidSpec(
                f"{_name(min(both, key=_name))} is in {one} and in {other}, and can lead to one thing only. Leave it "
                "out of one of them."
            )
    return made


def _types(given: ExceptionTypes, what: str) -> tuple[type[BaseException], ...]:
    several: Any = given if isinstance(given, Iterable) and not isinstance(given, str | type) else (given,)
    kinds: tuple[Any, ...] = tuple(several)
    for kind in kinds:
        if not (isinstance(kind, type) and issubclass(kind, Exception)):
            raise InvalidSpec(
                f"Expected types of exceptions for {what}, such as {what}=(ConnectionError, TimeoutError), got "
                f"{shown(kind, 60)}."
            )
    return tuple(dict.fromkeys(kinds))


def _name(kind: type[BaseException]) -> str:
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _names(kinds: tuple[type[BaseException], ...]) -> tuple[str, ...]:
    return tuple(map(_name, kinds))
