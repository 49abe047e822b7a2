"""Numbers of things, in words."""


def counted(number: int, thing: str) -> str:
    """1 evaluation, 2 evaluations, 1,204 evaluations."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"
