"""Whether what evaluates can be called as a study needs it, where metrics are measured in groups."""

import inspect
from collections.abc import Mapping

from satisfice.errors import InvalidSpec, unknown_name
from satisfice.study.attempts import Evaluate, is_async


def check_evaluate(evaluate: Evaluate, groups: tuple[str, ...], *, with_pull: bool) -> None:
    """InvalidSpec unless the function takes a config and groups, or there is one for each group."""
    if isinstance(evaluate, Mapping):
        _check_each(evaluate, groups)
    elif groups and not with_pull:
        _check_takes_groups(evaluate, groups)


def _check_each(evaluate: Mapping[str, object], groups: tuple[str, ...]) -> None:
    if not groups:
        raise InvalidSpec(
            "Expected one function: functions by group are for studies whose thresholds have groups, such as "
            "'latency_ms <= 100 @ cheap', and these have none."
        )
    for name in evaluate:
        if name not in groups:
            raise unknown_name("group", name, groups)
    missing = [name for name in groups if name not in evaluate]
    if missing:
        raise InvalidSpec(f"Expected a function for each group, and {missing[0]!r} has none.")
    awaited = {is_async(each) for each in evaluate.values()}  # type: ignore[arg-type]  # functions, or it is said later
    if len(awaited) > 1:
        raise InvalidSpec("Expected functions by group that are all `async def`, or all plain functions; got both.")


def _check_takes_groups(evaluate: object, groups: tuple[str, ...]) -> None:
    try:
        inspect.signature(evaluate).bind("config", groups)  # type: ignore[arg-type]  # which says so if it is none
    except TypeError:
        raise InvalidSpec(
            "The metrics of this study are measured in groups: expected a function evaluate(config, groups), which "
            f"measures what is in groups, one of {', '.join(map(repr, groups))}, or a dict of functions by group."
        ) from None
    except ValueError:  # a function that does not say what it takes
        return
