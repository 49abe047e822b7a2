"""What a shell offers on the Tab key."""


def rule_names(typed: str) -> list[str]:
    """The sampling rules that begin so."""
    from satisfice.rules import RULES

    return [name for name in RULES if name.startswith(typed.lower())]


def stopping_names(typed: str) -> list[str]:
    """The stopping rules that begin so."""
    from satisfice.stopping import STOPPING_RULES

    return [name for name in STOPPING_RULES if name.startswith(typed.lower())]


def policies(typed: str) -> list[str]:
    """What may become of failed evaluations."""
    return [name for name in ("stop", "retry", "worst") if name.startswith(typed)]


def losses(typed: str) -> list[str]:
    """What may become of evaluations whose worker is lost."""
    return [name for name in ("reissue", "worst", "stop") if name.startswith(typed)]


def goals(typed: str) -> list[str]:
    return [name for name in ("any", "all") if name.startswith(typed)]


def formats(typed: str) -> list[str]:
    """The formats of an export."""
    from satisfice.catalogue import export_formats

    return [name for name in export_formats() if name.startswith(typed)]


def readers(typed: str) -> list[str]:
    """The tools whose output is understood."""
    from satisfice.readers import READERS

    return [name for name in READERS if name.startswith(typed.lower())]


def orders(typed: str) -> list[str]:
    return [name for name in ("given", "random") if name.startswith(typed)]
