"""How many small mistakes the tests notice: python -m tests.mutations --sample 60 --seed 1

By hand, from the root of the repository. First the quick tests are run once, to know which of them run which lines (ten
minutes; kept in out/lines, remove it after many changes). Then it takes some minutes for each mistake that survives,
half a minute for most others. Interrupted, the same command goes on where it was. After new tests, --first with their
files judges the survivors again.
"""

import argparse
import math
from collections import Counter
from pathlib import Path

from ..helpers.sweeping import watch
from .lines import read
from .mutator import Mutation, sampled
from .running import (
    CAUGHT,
    MOST_PHASES,
    SURVIVED,
    Finding,
    Soundness,
    judge_all,
    judged,
    phases_for,
    present,
    record,
)

ROOT = Path(__file__).parent.parent.parent
FOLDERS = ("search", "noise", "stopping", "rules", "simulation", "study")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument("--sample", type=int, default=60, help="how many mutations")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--at-once", type=int, default=2, help="how many are tested at a time")
    parser.add_argument("--seconds", type=float, default=1800.0, help="for each phase; hanging is being caught")
    parser.add_argument("--phases", type=int, default=3, help=f"how many of {MOST_PHASES}, quick tests first")
    parser.add_argument("--package", type=Path, default=ROOT / "src" / "satisfice")
    parser.add_argument("--folders", nargs="+", default=FOLDERS, help="of the package")
    parser.add_argument("--notes", type=Path, default=ROOT / "out" / "mutations.jsonl", help="what has been found")
    parser.add_argument("--lines", type=Path, default=ROOT / "out" / "lines", help="which tests run which lines")
    parser.add_argument("--first", nargs="+", default=(), help="tests that come first; survivors are judged again")
    parser.add_argument("--minutes", type=float, default=math.inf, help="after so many no other mutation is begun")
    parser.add_argument("--list", action="store_true", help="show the sample, test nothing")
    return parser.parse_args()


def described(finding: Finding) -> str:
    one = finding.mutation
    where = f"{one.path}:{one.line}"
    by = f"  by {finding.test}" if finding.test else ""
    return f"{finding.result:8}  {finding.seconds:6.0f} s  {one.operator:11}  {where}{by}\n{finding.diff}"


def table(findings: list[Finding]) -> str:
    """Caught and survived, by folder."""
    counts = Counter((finding.mutation.path.partition("/")[0], finding.result) for finding in findings)
    rows = [f"{'folder':12}{CAUGHT:>10}{SURVIVED:>10}"]
    folders = sorted({folder for folder, _ in counts})
    rows += [f"{folder:12}{counts[folder, CAUGHT]:10}{counts[folder, SURVIVED]:10}" for folder in folders]
    caught = sum(finding.result == CAUGHT for finding in findings)
    rows.append(
        f"{'all':12}{caught:10}{len(findings) - caught:10}   {100 * caught / max(len(findings), 1):.0f} % caught"
    )
    return "\n".join(rows)


def main() -> None:
    given = arguments()
    watch()
    sample = sampled(given.package, list(given.folders), given.sample, given.seed)
    if given.list:
        for one in sample:
            print(f"{one.operator:11}  {one.path}:{one.line}\n{one.shown((given.package / one.path).read_text())}")
        return
    if not given.lines.exists():
        record(given.lines, given.package, ROOT, given.at_once)
    lines = read(given.lines)
    lines = lines.of(present((one.test for one in lines.tests), given.package, ROOT))
    is_sound = Soundness(given.package, ROOT, given.seconds)

    def judge(mutation: Mutation) -> Finding:
        source = (given.package / mutation.path).read_text()
        phases = [tuple(given.first), *phases_for(mutation, source, lines, given.phases)]
        return judged(mutation, given.package, ROOT, given.seconds, phases, is_sound)

    def say(finding: Finding) -> None:
        print(described(finding), flush=True)

    findings = judge_all(
        sample,
        judge,
        given.package,
        given.notes,
        given.at_once,
        say,
        survivors_again=bool(given.first),
        seconds=60.0 * given.minutes,
    )
    print("\nSurvived:\n" + "\n".join(described(one) for one in findings if one.result == SURVIVED))
    print("\n" + table(findings))


if __name__ == "__main__":
    main()
