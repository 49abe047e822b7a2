"""Numbers as they are written, all of them: for people with as many digits as are known, and for machines."""

from math import floor, isfinite, log10

SIGNS = {"<=": "≤", ">=": "≥", "==": "="}
"""Comparisons as people read them."""


def compact(number: float, digits: int = 3) -> str:
    """With `digits` digits, more only before the point: 0.0123, 98.8, 12,346."""
    if not isfinite(number):
        return "∞" if number > 0 else "-∞" if number < 0 else "-"
    if abs(number) < 1e-12:  # sums of results leave such remains
        return "0"
    return fixed(number, digits - 1 - floor(log10(abs(number))))


def rounded(number: float, digits: int = 3) -> str:
    """The same without zeros at the end: 5, 0.012, 12,346."""
    text = compact(number, digits)
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(share: float, digits: int = 3) -> str:
    """A share in percent: 5 %, 0.125 %."""
    return f"{rounded(100.0 * share, digits)} %"


def whole_percent(share: float) -> str:
    """A share in whole percent."""
    return f"{plain(100.0 * share)} %"


def to_digits(number: float, digits: int) -> float:
    """The nearest number with `digits` significant digits."""
    return float(f"{number:.{digits}g}")


def plain(number: float, decimals: int = 0) -> str:
    """For machines: `decimals` digits after the point, and nothing between thousands."""
    return f"{number:.{decimals}f}"


def written(number: float) -> str:
    """As it stands in a threshold: in the fewest digits that read back as the same number."""
    short = f"{number:g}"
    return short if float(short) == number else repr(float(number))


def listed(numbers: float | tuple[float, ...]) -> str:
    """One number, or several with commas between them."""
    return ", ".join(map(written, numbers)) if isinstance(numbers, tuple) else written(numbers)


def counted(number: int, thing: str, plural: str | None = None) -> str:
    """1 evaluation, 2 evaluations, 1,204 evaluations."""
    return f"{number:,} {thing if number == 1 else plural or f'{thing}s'}"


def fixed(number: float, decimals: int) -> str:
    """With `decimals` digits after the point, none if that is negative; a zero is just 0."""
    text = f"{number:,.{max(0, decimals)}f}"
    return "0" if not any(digit in text for digit in "123456789") else text


def with_interval(mean: float, interval: tuple[float, float], digits: int = 2) -> str:
    """An estimate with its interval, in as many digits as its width leaves a meaning, and one more for the estimate."""
    low, high = interval
    if not (isfinite(low) and isfinite(high)):
        return compact(mean)
    decimals = digits - 1 - floor(log10(high - low)) if high > low else 3
    dash = "–" if low >= 0 else " to "
    return f"{fixed(mean, decimals + (digits < 2))} ({fixed(low, decimals)}{dash}{fixed(high, decimals)})"


def duration(seconds: float) -> str:
    """A time in the two units that matter: 4.2 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    for big, small, size in (("d", "h", 86_400), ("h", "min", 3600), ("min", "s", 60)):
        if whole >= size:
            rest = whole % size // {"h": 3600, "min": 60, "s": 1}[small]
            return f"{whole // size} {big}" + (f" {rest} {small}" if rest else "")
    return f"{whole} s"
