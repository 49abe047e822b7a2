"""Numbers as they stand in threshold strings."""


def written(number: float) -> str:
    """A number in the fewest digits that read back as the same number."""
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def listed(numbers: float | tuple[float, ...]) -> str:
    """One number, or several with commas between them."""
    return ", ".join(map(written, numbers)) if isinstance(numbers, tuple) else written(numbers)
