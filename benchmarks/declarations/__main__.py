"""`python -m benchmarks.declarations`: the page docs/method/prices.md, some minutes."""

import argparse
from pathlib import Path

from benchmarks.declarations.measure import ALL, RATE, Ratio
from satisfice.layout import markdown

TEXT = """# What declarations cost

Ratios of evaluations, measured in one run of `python -m benchmarks.declarations` ({repetitions:,} repetitions of each,
error rate {rate:g}): one configuration that passes, evaluated until it is accepted. A bar is what a ratio must not
exceed. [What each declaration promises](declarations.md) says what they mean.

{table}
"""


def line(ratio: Ratio) -> tuple[str, ...]:
    return ratio.what, ratio.case, f"{ratio.measured:.2f}", f"{ratio.bar:g}", "yes" if ratio.met else "**no**"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--out", type=Path, default=Path("docs/method/prices.md"))
    asked = parser.parse_args()
    rows = []
    for measure in ALL:
        for ratio in measure(asked.repetitions):
            rows.append(line(ratio))
            print("  ".join(rows[-1]), flush=True)
    table = markdown.table(("what over what", "where", "ratio", "bar", "holds"), rows, left=(0, 1, 4))
    asked.out.write_text(TEXT.format(repetitions=asked.repetitions, rate=RATE, table=table), encoding="utf-8")


if __name__ == "__main__":
    main()
