"""How the function that evaluates is called: with a config, and with groups and an item where the study has them."""

import inspect
from collections.abc import Callable, Mapping

from satisfice.errors import InvalidSpec, unknown_name
from satisfice.study.attempts import Evaluate, Passed, is_async
from satisfice.study.spec import Spec

PULL: Passed = ("pull",)


def passed_by_group(evaluate: Evaluate, spec: Spec, *, with_pull: bool) -> tuple[Passed, ...]:
    """What evaluations of each group are called with; InvalidSpec unless the functions take that."""
    parts = spec.problem().by_group
    if isinstance(evaluate, Mapping):
        _check_each(evaluate, spec.groups)
        each = [("config", *_item(part.items)) for part in parts]
        functions = [evaluate[name] for name in spec.groups]
    else:
        each = [("config", *(["groups"] if spec.groups else []), *_item(spec.items.size))] * len(parts)
        functions = [evaluate] * len(parts)
    if with_pull:
        return (PULL,) * len(parts)
    for function, passed in zip(functions, each, strict=True):
        if len(passed) > 1:
            _check_takes(function, passed, spec)
    return tuple(each)


def _item(size: int) -> list[str]:
    return ["item"] if size else []


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


def _check_takes(function: Callable[..., object], passed: Passed, spec: Spec) -> None:
    try:
        inspect.signature(function).bind(*passed)
    except ValueError:  # a function that does not say what it takes
        return
    except TypeError:
        said = f"evaluate({', '.join(passed)})"
        if "item" in passed:
            raise InvalidSpec(
                f"The limits of this study are on a set of {spec.items.size} items, and the function does not take the "
                f"item to evaluate. Write it as {said}, or give with_pull=True and read pull.item."
            ) from None
        raise InvalidSpec(
            f"The metrics of this study are measured in groups: expected a function {said}, which measures what is in "
            f"groups, one of {', '.join(map(repr, spec.groups))}, or a dict of functions by group."
        ) from None
