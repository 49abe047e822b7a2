"""satisfice rules."""


def rules() -> None:
    """List the sampling rules and boundaries that can be named, installed ones of others included."""
    from satisfice.show.rules import print_rules

    print_rules()
