"""The tables of the page: ours beside printed, and what the extra runs say."""

from collections.abc import Iterable, Sequence

from satisfice.layout.markdown import table
from satisfice.paper.cells import Planned
from satisfice.paper.differences import CellNumbers, ComparedNumber, statistic_of
from satisfice.paper.extra_runs import LongRun, TextLUCB, TimeOuts
from satisfice.paper.printed_tables import Statistic, printed_number
from satisfice.paper.targets import Target

DASH = "\N{EN DASH}"
SHORT = {Statistic.STOPPING_TIME: "mean", Statistic.SD: "sd"}


def target_grid(targets: Sequence[Target]) -> str:
    """How far off the worst number of each kind is."""
    if not targets:
        return "No limit is stated for these tables: see them below."
    return table(
        ["printed numbers", "farthest off", "its z", "where", "limit", "within"],
        [
            (
                target.claim,
                f"{target.worst:+.1f} {target.unit}",
                DASH if target.z is None else f"{target.z:+.1f}",
                target.place,
                f"{target.limit:g} {target.unit}",
                "yes" if target.met else "**no**",
            )
            for target in targets
        ],
    )


def printed_grid(rows: Sequence[ComparedNumber]) -> str:
    """One table of the paper: ours, printed, and the difference, for each rule."""
    rules = list(dict.fromkeys(row.rule for row in rows))
    values = list(dict.fromkeys(row.value for row in rows))
    cells = {(row.value, row.rule): compared(row) for row in rows}
    symbol = rows[0].sweep.parameter.symbol
    return table([symbol, *rules], [(f"{value:.3f}", *(cells[value, rule] for rule in rules)) for value in values])


def compared(row: ComparedNumber) -> str:
    """Ours with its standard error, over printed with the difference."""
    rate = row.statistic is Statistic.ERROR_RATE_PERCENT
    digits = 2 if rate else 0
    ours = DASH if row.ours is None else f"{row.ours:,.{digits}f} ± {row.standard_error:,.{digits}f}"
    if row.printed is None:
        return f"{ours}<br>printed: {DASH}"
    flag = ", misprint" if row.misprint else ""
    off = row.difference if rate else row.difference_percent
    share = "" if not off else f" ({off:+.{2 if rate else 1}f}{'' if rate else ' %'}{_z(row)}{flag})"
    return f"{ours}<br>printed: {row.printed:,.{digits}f}{share}"


def column_grid(rows: Sequence[ComparedNumber]) -> str:
    """How far off whole columns are: differences averaged over the rows of a table."""
    tables = list(dict.fromkeys(row.table for row in rows))
    rules = list(dict.fromkeys(row.rule for row in rows))
    return table(["table", *rules], [(f"`{name}`", *(_column(rows, name, rule) for rule in rules)) for name in tables])


def _column(rows: Sequence[ComparedNumber], name: str, rule: str) -> str:
    differences = [
        row.difference_percent
        for row in rows
        if row.table == name and row.rule == rule and row.difference_percent is not None and not row.misprint
    ]
    return f"{sum(differences) / len(differences):+.1f} %"


def quantile_grid(rows: Sequence[ComparedNumber]) -> str:
    """Where the stopping times lie: median, 90 % and 99 % quantile, longest, and runs out of budget."""
    return table(
        ["rule", rows[0].sweep.parameter.symbol, "mean", "median", "90 %", "99 %", "longest", "out of budget"],
        [
            (row.rule, f"{row.value:.3f}", _number(row.ours), *_quantiles(row.numbers))
            for row in sorted(rows, key=lambda row: row.rule)
        ],
    )


def time_out_grid(found: Iterable[TimeOuts]) -> str:
    """The instance as printed: how many runs end at all."""
    return table(
        ["where", "rule", "runs", "out of budget", "printed mean"],
        [
            (
                _where(one.planned),
                one.planned.rule,
                f"{one.numbers.repetitions:,}",
                f"{one.numbers.timed_out_percent:.0f} %",
                _number(_printed(one.planned)),
            )
            for one in found
        ],
    )


def text_lucb_grid(found: Iterable[TextLUCB]) -> str:
    """The two MultiLUCBs and MultiTUCB beside the printed number."""
    return table(
        [
            "where",
            "printed MultiLUCB",
            "as released",
            "as in the text",
            "its 99 % quantile",
            "MultiTUCB",
            "its 99 % quantile",
        ],
        [
            (
                _where(one.planned),
                _number(_printed(one.planned)),
                _mean(one.released),
                _mean(one.numbers),
                _number(one.numbers.quantile_99),
                _mean(one.multitucb),
                _number(one.multitucb.quantile_99),
            )
            for one in found
        ],
    )


def long_run_grid(found: Iterable[LongRun], statistic: Statistic) -> str:
    """Printed numbers beside those of many more runs, and what single batches of runs give."""
    return table(
        [
            "where",
            "rule",
            f"printed {SHORT[statistic]}",
            "long run",
            "difference",
            "means of batches",
            "sds of batches",
        ],
        [_long_run_line(one, statistic) for one in found],
    )


def _long_run_line(one: LongRun, statistic: Statistic) -> tuple[str, ...]:
    printed, ours = _printed(one.planned, statistic), statistic_of(statistic, one.published)
    return (
        _where(one.planned),
        one.planned.rule,
        _number(printed),
        DASH if ours is None else f"{ours.value:,.0f} ± {ours.standard_error:,.0f}",
        f"{100 * (ours.value / printed - 1):+.1f} %" if printed and ours else DASH,
        _range(one.batch_means),
        _range(one.batch_sds),
    )


def _range(numbers: Sequence[float]) -> str:
    return f"{min(numbers):,.0f} to {max(numbers):,.0f}" if numbers else DASH


def _where(planned: Planned) -> str:
    return f"{planned.sweep.title.lower()}, {planned.sweep.parameter.symbol} = {planned.value:.3f}"


def _printed(planned: Planned, statistic: Statistic = Statistic.STOPPING_TIME) -> float | None:
    return printed_number(planned.sweep, statistic, planned.value, planned.rule)


def _mean(numbers: CellNumbers) -> str:
    return _number(numbers.published.mean.value if numbers.published.mean else None)


def _quantiles(numbers: CellNumbers) -> tuple[str, ...]:
    times = (numbers.median, numbers.quantile_90, numbers.quantile_99, numbers.longest)
    return (*(_number(time) for time in times), f"{numbers.timed_out_percent:.2f} %")


def _number(value: float | None) -> str:
    return DASH if value is None else f"{value:,.0f}"


def _z(row: ComparedNumber) -> str:
    return "" if row.z is None else f", z {row.z:+.1f}"
