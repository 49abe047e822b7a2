"""Whose code a study runs: that of satisfice and of installed packages; any other only where somebody says so.

A spec names its sampling rule, its stopping rule and its noise models, and `module:Class` is a name like any other.
To look for such a name is to run a module that whoever wrote the log chose, so it is asked for before anything is
made of a spec that comes from a log.
"""

from collections.abc import Iterator
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
    return frozenset(name for _, name in _foreign(spec))


def admit(spec: Spec, trusted: Trusted, study: str) -> None:
    """Raise UntrustedCode if the spec needs code that is not trusted; import what is, but not from the current folder.

    Names that the caller gave were looked for already.
    """
    found = list(_foreign(spec))
    given = trusted if isinstance(trusted, frozenset) else frozenset()
    refused = [] if trusted is True else [one for one in found if one[1] not in given]
    if refused:
        named = ", ".join(f"the {known.kind} {name!r}" for known, name in refused)
        raise UntrustedCode(
            f"The study {study!r} needs code that comes with neither satisfice nor an installed package: {named}. To "
            "open it is to run that code. If you trust whoever wrote the study, say so: --trust-code on the command "
            "line, trust_code=True in Python.",
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
            f"{error} What a study in a storage names is not looked for in the current folder: if it is there, say so "
            "with PYTHONPATH=."
        ) from error


def _foreign(spec: Spec) -> Iterator[tuple[Catalogue[Any], str]]:
    for known, described in ((RULES, spec.rule), (STOPPING_RULES, spec.stopping)):
        if known.is_foreign(described["name"]):
            yield known, described["name"]
    for threshold in spec.thresholds:
        try:
            name = noise_name(threshold)
        except InvalidProblem:  # no threshold at all, which is said elsewhere
            continue
        if name is not None and NOISE_MODELS.is_foreign(name):
            yield NOISE_MODELS, name
