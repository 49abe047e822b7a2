"""A candidate rule over the family, beside the default and the paper's: python -m satisfice.comparison --help"""

import argparse
import time

from satisfice.comparison.contestants import DEFAULT, PAPER_RULES, contestants, own_candidate
from satisfice.comparison.family import chosen_members
from satisfice.comparison.measure import compare

parser = argparse.ArgumentParser(prog="python -m satisfice.comparison", description=__doc__)
parser.add_argument("--rule", action="append", default=[], help="name or module:Class; repeat for several")
parser.add_argument("--stopping", help="name or module:Class; default: evidence")
parser.add_argument("--repetitions", type=int, default=300)
parser.add_argument("--instances", action="append", help="names or groups (paper, further, sweeps); repeat")
parser.add_argument("--all", action="store_true", help="all contestants, not only candidates, default and paper")
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--folder")
given = parser.parse_args()

own = tuple(own_candidate(rule, given.stopping) for rule in given.rule)
who = contestants(own) if given.all else (DEFAULT, *own, *PAPER_RULES)
for member in chosen_members(given.instances or ["paper", "further"]):
    start = time.perf_counter()
    made = compare([member], who, repetitions=given.repetitions, threads=given.threads)
    best = min((row.mean for row in made.rows if row.role == "paper"), default=float("nan"))
    print(f"{member.name}   ({time.perf_counter() - start:.1f} s)", flush=True)
    for row in made.rows:
        late = f"  late {row.timed_out:.1%}" if row.timed_out else ""
        tail = row.quantile_99 / row.median
        flags = ("  > 1.1 best paper" if row.mean > 1.1 * best else "") + ("  tail" if tail > 4 else "")
        print(
            f"  {row.contestant:28} mean {row.mean:12,.0f} ± {row.standard_error:<8,.0f} median {row.median:12,.0f} "
            f"99 % {row.quantile_99:12,.0f} ({tail:.1f})  / best paper {row.mean / best:.3f}  wrong {row.wrong:.3f}"
            f"{late}{flags}",
            flush=True,
        )
