"""A campaign on one and on two processes of Dask: python -m benchmarks.cluster

Both clusters stand at the same time and take turns, after a round that compiles. Prints how much quicker two are than
one; the exit code is 1 if the bar is missed. Needs two cores with nothing else to do.
"""

import sys
import time
from typing import Any, cast

from benchmarks import report
from benchmarks.bar import at_least
from benchmarks.evaluations.family import chosen_members
from benchmarks.rounds import FULL, QUICK, in_turns
from satisfice.simulation.campaign import plan_cells, run_campaign

LEAST_GAIN = 1.6


def main() -> None:
    from distributed import Client, LocalCluster  # noqa: PLC0415 - an extra, and heavy

    asked = report.arguments(__doc__)
    effort = QUICK if asked.quick else FULL
    member = chosen_members(["synthetic"])[0]
    cells = plan_cells([member.instance], ["pandora"], repetitions=effort.of(10_000, least=40), seed=1)

    def seconds(client: Any) -> float:
        start = time.perf_counter()
        run_campaign(cells, executor=client)
        return time.perf_counter() - start

    of_process: Any = {"threads_per_worker": 1, "dashboard_address": None}
    cluster, client_of = cast(Any, LocalCluster), cast(Any, Client)
    with (
        cluster(n_workers=1, **of_process) as one,
        cluster(n_workers=2, **of_process) as two,
        client_of(one, set_as_default=False) as first,
        client_of(two, set_as_default=False) as second,
    ):
        seconds(first), seconds(second)  # compiles, and loads what was compiled
        alone, both = in_turns(effort.rounds, [lambda: seconds(first), lambda: seconds(second)])
    runs = f"{cells[0].repetitions:,} runs, {alone.median:.3g} s on one"
    bar = at_least("a campaign on 2 processes of Dask over 1, warm", alone.over(both), LEAST_GAIN, details=runs)
    report.print_bars([bar])
    sys.exit(not bar.met and not asked.quick)


if __name__ == "__main__":
    main()
