"""Whose code a study runs: that of satisfice and of installed packages; any other only where somebody says so.

A spec names its sampling rule, its stopping rule and its noise models, and `module:Class` is a name like any other.
To look for such a name is to run a module that whoever wrote the log chose, so it is asked for before anything is
made of a spec that comes from a log, or of a file that is simulated.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from satisfice.catalogue import Catalogue, elsewhere
from satisfice.errors import InvalidProblem, UnknownName, UntrustedCode
from satisfice.noise import NOISE_MODELS
from satisfice.problem.grammar import noise_name
from satisfice.rules import RULES
from satisfice.stopping import STOPPING_RULES
from satisfice.study.spec import Spec

Trusted = bool | frozenset[str]
"""Whether all code that a log names may run, or which: that of names which the caller gave."""


def foreign_names(spec: Spec) -> frozenset[str]:
    """The names in a spec that stand for code which is neither ours nor offered by an installed package."""
    return frozenset(name for _, name in _foreign_in(spec))


def admit(spec: Spec, trusted: Trusted, study: str) -> None:
    """Raise UntrustedCode if the spec needs code that is not trusted; import what is, but not from the current folder.

    Names that the caller gave were looked for already.
    """
    _admit(list(_foreign_in(spec)), trusted, f"The study {study!r}", "open it", "study")


def admit_file(rules: Iterable[Any], stopping: Iterable[Any], thresholds: Iterable[Any], *, trusted: bool) -> None:
    """As `admit` does, for the names that stand in a file which is only simulated."""
    _admit(list(_foreign(rules, stopping, thresholds)), trusted, "The file", "simulate it", "file")


def _admit(found: list[tuple[Catalogue[Any], str]], trusted: Trusted, what: str, use: str, kind: str) -> None:
    given = trusted if isinstance(trusted, frozenset) else frozenset()
    refused = [] if trusted is True else [one for one in found if one[1] not in given]
    if refused:
        named = ", ".join(f"the {known.kind} {name!r}" for known, name in refused)
        raise UntrustedCode(
            f"{what} needs code that comes with neither satisfice nor an installed package: {named}. To {use} is to "
            f"run that code. If you trust whoever wrote the {kind}, say so: --trust-code on the command line, "
            "trust_code=True in Python.",
            tuple(name for _, name in refused),
        )
    for known, name in found if trusted is True else ():
        _import(known, name)


def _import(known: Catalogue[Any], name: str) -> None:
    try:
        with elsewhere():
            known.find(name)
    except UnknownName as error:
        raise UnknownName(
            f"{error} What a study in a storage or a file names is not looked for in the current folder: if it is "
            "there, say so with PYTHONPATH=."
        ) from error


def _foreign_in(spec: Spec) -> Iterator[tuple[Catalogue[Any], str]]:
    return _foreign([spec.rule["name"]], [spec.stopping["name"]], spec.thresholds)


def _foreign(
    rules: Iterable[Any], stopping: Iterable[Any], thresholds: Iterable[Any]
) -> Iterator[tuple[Catalogue[Any], str]]:
    """Names of others' code; what is no text in a file is no name, and refused elsewhere."""
    for known, names in ((RULES, rules), (STOPPING_RULES, stopping)):
        yield from ((known, name) for name in names if isinstance(name, str) and known.is_foreign(name))
    for threshold in thresholds:
        if not isinstance(threshold, str):
            continue
        try:
            name = noise_name(threshold)
        except InvalidProblem:  # no threshold at all, which is said elsewhere
            continue
        if name is not None and NOISE_MODELS.is_foreign(name):
            yield NOISE_MODELS, name
