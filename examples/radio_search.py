"""Find a radio configuration that keeps latency, loss and energy within their limits, watching the search live.

The devices are simulated; in real use `evaluate` would run a bench. Run with: make demo
"""

from pathlib import Path

import numpy as np
from rich.console import Console
from rich.live import Live
from rich.table import Table

import satisfice as sf
from satisfice.core.decision import ACCEPT, REJECT
from satisfice.plots import plot_search, save_figure

HERE = Path(__file__).parent
PICTURE = Path("out/radio_search.png")
STATES = {ACCEPT: "[green]passes[/]", REJECT: "[red]fails[/]"}


def short(number: float) -> str:
    """Two digits, or all before the point."""
    return f"{number:.0f}" if abs(number) >= 10 or abs(number) < 0.0005 else f"{number:.2g}"


def live_table(search: sf.Search, evaluating: str | None) -> Table:
    """Estimates with intervals that hold at all times, against the thresholds."""
    table = Table(box=None, header_style="bold", padding=(0, 1, 0, 0))
    table.add_column("config", no_wrap=True)
    table.add_column("runs", justify="right", no_wrap=True)
    for metric in search.problem.metrics:
        table.add_column(f"{metric.name} {metric.direction} {metric.threshold:g}", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, min_width=6)
    for status in search.statuses():
        cells = [
            f"{short(mean)} ({short(low)} to {short(high)})" if status.pulls else "-"
            for mean, (low, high) in zip(status.means, status.intervals, strict=True)
        ]
        state = STATES.get(status.decision, "[cyan]<[/]" if status.name == evaluating else "")
        table.add_row(status.name, str(status.pulls), *cells, state)
    return table


def main() -> None:
    instance = sf.load_instance(HERE / "radio.toml").instance
    search = sf.Search(instance.problem, instance.arm_names)
    rng = np.random.default_rng(7)
    results = np.empty(len(instance.problem.metrics))
    console = Console()
    console.print("Looking for a configuration with", *map(str, instance.problem.metrics), sep="\n  ", highlight=False)
    with Live(live_table(search, None), console=console, refresh_per_second=12, transient=True) as live:
        while (config := search.ask()) is not None:
            instance.arms.draw(rng, instance.arm_names.index(config), results)  # here a real bench would run
            search.tell(config, dict(zip(instance.problem.metric_names, results.tolist(), strict=True)))
            live.update(live_table(search, config))
    console.print(live_table(search, None))
    console.print(f"[bold]{search.verdict}[/]", highlight=False)
    save_figure(plot_search(instance.problem, search.statuses(), search.verdict.arm), PICTURE)
    console.print(f"picture: {PICTURE}", highlight=False)


if __name__ == "__main__":
    main()
