"""`python -m benchmarks.declarations`: the page docs/method/prices.md, some minutes."""

import argparse
from pathlib import Path

from benchmarks.declarations.measure import ALL, RATE, Ratio
from benchmarks.evaluations.running_capitals import of_other_weights
from benchmarks.shapes.measure import MORE
from satisfice.layout import markdown

TEXT = """# What declarations cost

Ratios of evaluations, measured in one run of `python -m benchmarks.declarations` ({repetitions:,} repetitions of each,
{more} times as many of what is undeclared; error rate {rate:g}): one configuration that passes, evaluated until it is
accepted. A bar is what a ratio must not exceed. [What each declaration promises](declarations.md) says what they mean.

{table}

## Where a bar is missed, and why

With nothing declared, each of ten configurations needs 60 results before it is accepted. With a margin of 0.5 sd,
declared normal results would need 66, so hardly any time is left to gain it back: the ratio is at its bar, 1.1, give or
take 0.01.

`bounded` is compared with others on the same results. Where those are 0 or 1 nothing can be gained over a bound from
two moments, which is exact then; Beta(0.2, 0.3) is nearly that, with two thirds of the variance that its mean
allows. Other weights of the bets, more from 0.06 to 1 and less on smaller and on larger ones, would take {gain:.2f}
times as many evaluations there as that bound, but up to {loss:.2f} times as many as now where results vary little,
Beta(5, 5), Beta(50, 50) and Beta(1, 99), and hold a third less on the small bets by which small gaps are found
(`python -m benchmarks.evaluations.running_capitals` has all ten). So the weights stay.
"""

LITTLE_VARIANCE = ((5, 5, 0.45), (50, 50, 0.48), (1, 99, 0.005))


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
    gain = of_other_weights(0.2, 0.3, 0.3, RATE)[1]
    loss = max(of_other_weights(*case, RATE)[0] for case in LITTLE_VARIANCE)
    page = TEXT.format(repetitions=asked.repetitions, more=MORE, rate=RATE, table=table, gain=gain, loss=loss)
    asked.out.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
