"""How many small mistakes the tests notice: python -m tests.mutations --sample 60 --seed 1

By hand, from the root of the repository: some minutes for each mistake that survives, half a minute for most others.
Interrupted, the same command goes on where it was.
"""

import argparse
from collections import Counter
from pathlib import Path

from ..helpers.sweeping import watch
from .mutator import Mutation, sampled
from .running import CAUGHT, MOST_PHASES, SURVIVED, Finding, Soundness, judge_all, judged, phases_for

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
    is_sound = Soundness(given.package, ROOT, given.seconds)

    def judge(mutation: Mutation) -> Finding:
        return judged(mutation, given.package, ROOT, given.seconds, phases_for(mutation, given.phases), is_sound)

    def say(finding: Finding) -> None:
        print(described(finding), flush=True)

    findings = judge_all(sample, judge, given.package, given.notes, given.at_once, say)
    print("\nSurvived:\n" + "\n".join(described(one) for one in findings if one.result == SURVIVED))
    print("\n" + table(findings))


if __name__ == "__main__":
    main()
