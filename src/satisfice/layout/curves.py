"""Lines over a count as SVG whose letters keep their size, whatever its width."""

from collections.abc import Sequence
from typing import NamedTuple

from satisfice.layout.escape import html_text
from satisfice.layout.markup import tag
from satisfice.layout.numbers import fixed, plain, whole_percent
from satisfice.layout.tracks import percent, ticks

DASHES = ("", "8 4", "2 4", "10 4 2 4", "16 5", "4 3", "12 3 3 3", "1 3")
"""By which lines are told apart without colours."""

HEIGHT = 220


class Curve(NamedTuple):
    """A line with its name, points (count, share from -1 to 1), and whether it passes, fails or is open."""

    name: str
    points: Sequence[tuple[float, float]]
    kind: str


def curves(lines: Sequence[Curve], most: float, words: tuple[str, str], below: str, title: str) -> str:
    """Lines between two ends that have `words`, over a count from 0 to `most`."""
    rows = ((0.0, words[0]), (0.5, "0"), (1.0, words[1]))
    grid = "".join(tag("line", x1="0", x2="100%", y1=percent(y), y2=percent(y), class_="grid") for y, _ in rows)
    drawn = "".join(
        tag(
            "polyline",
            points=" ".join(f"{plain(1000 * x / most)},{plain(500 * (1 - y))}" for x, y in line.points),
            class_=line.kind,
            stroke_dasharray=DASHES[place % len(DASHES)],
        )
        for place, line in enumerate(lines)
    )
    inside = tag("svg", drawn, viewBox="0 0 1000 1000", preserveAspectRatio="none", width="100%", height="100%")
    field = tag("svg", grid + inside, x="60", y="8", width="calc(100% - 76px)", height=HEIGHT - 52)
    labels = "".join(
        tag("text", html_text(word), x="52", y=12 + y * (HEIGHT - 52), text_anchor="end", class_="tick")
        for y, word in rows
    )
    return tag(
        "svg", field + labels + _below(most, below), class_="curves", height=HEIGHT, role="img", aria_label=title
    )


def _below(most: float, words: str) -> str:
    places = [
        tag("text", fixed(value, 0), x=percent(value / most), y="14", text_anchor="middle", class_="tick")
        for value in ticks(0, most, 4)
    ]
    inside = tag(
        "svg", "".join(places), x="60", y=HEIGHT - 44, width="calc(100% - 76px)", height="20", overflow="visible"
    )
    return inside + tag("text", html_text(words), x="50%", y=HEIGHT - 6, text_anchor="middle", class_="tick")


def legend(lines: Sequence[Curve]) -> str:
    """The lines by their dashes, with their names and where they came to."""
    items = []
    for place, line in enumerate(lines):
        dash = DASHES[place % len(DASHES)]
        swatch = tag("line", x1="0", x2="34", y1="5", y2="5", class_=f"line {line.kind}", stroke_dasharray=dash)
        drawn = tag("svg", swatch, width="34", height="10", aria_hidden="true", style="width:34px;display:inline-block")
        last = line.points[-1][1] if line.points else 0.0
        words = whole_percent(abs(last)) + (" against" if last < 0 else " for")
        items.append(tag("li", f"{drawn} {html_text(line.name)} {tag('span', words, class_='share')}"))
    return tag("ul", "".join(items), class_="legend")
