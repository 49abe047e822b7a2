"""How help is laid out: options grouped by who needs them, whole sentences for commands, an example at the end."""

from collections.abc import Sequence
from typing import Any

from typer.core import TyperCommand, TyperGroup

EXAMPLES: dict[str, Sequence[str]] = {
    "run": (
        "satisfice run -L codec=opus,aac,lc3 -t 'p95(latency_ms) <= 100 ~ 5' -- ./bench.sh --codec {codec}",
        "satisfice run -P level 1 9 -t 'wall_time <= 0.5 ~ 0.05' --warmup 1 -- gzip -k -f -{level} data.bin",
    ),
    "try": ("satisfice try -L codec=opus,aac -t 'latency_ms <= 100' -- ./bench.sh --codec {codec}",),
    "init": ("satisfice init study.toml -L codec=opus,aac -t 'latency_ms <= 100 ~ 5' -- ./bench.sh --codec {codec}",),
    "status": ("satisfice status sqlite:///iot.db",),
    "explain": ("satisfice explain sqlite:///iot.db --config codec=opus,txpower=4",),
    "dashboard": ("satisfice dashboard sqlite:///iot.db",),
    "report": ("satisfice report sqlite:///iot.db --out iot.html",),
    "export": ("satisfice export sqlite:///iot.db --out evaluations.csv",),
    "verify": ("satisfice verify sqlite:///iot.db",),
    "list": ("satisfice list sqlite:///iot.db",),
    "compare-studies": ("satisfice compare-studies sqlite:///main.db sqlite:///branch.db",),
    "backup": ("satisfice backup sqlite:///iot.db iot-backup.db",),
    "worker": ("satisfice worker --storage postgresql://bench@db/evals --name radio -- ./bench.sh --codec {codec}",),
    "serve": ("satisfice serve postgresql://bench@db/evals --host 0.0.0.0",),
    "launch": (
        "satisfice launch slurm --name radio --workers 100 --max-time 2h -- ./bench.sh --codec {codec} > workers.sh",
    ),
    "plan": ("satisfice plan study.toml --repetitions 200",),
    "simulate": ("satisfice simulate examples/paper_synthetic.toml -r murphy -r multitucb",),
    "bounds": ("satisfice bounds examples/paper_synthetic.toml",),
    "reproduce": ("satisfice reproduce --table 2 --out reproduction",),
    "rules": ("satisfice rules",),
}
"""What one types, by command."""

LATER = "Other options"


class Grouped(TyperCommand):
    """A command whose options stand under the headings that they were declared with."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx)
            if record is None:
                continue
            is_argument = param.param_type_name == "argument"
            heading = "Arguments" if is_argument else getattr(param, "rich_help_panel", None) or LATER
            groups.setdefault(heading, []).append(record)
        last = groups.pop(LATER, [])
        groups |= {LATER if set(groups) - {"Arguments"} else "Options": last} if last else {}
        for heading, records in groups.items():
            with formatter.section(heading):
                formatter.write_dl(records)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        lines = EXAMPLES.get(self.name or "", ())
        if lines:
            with formatter.section("Example" if len(lines) == 1 else "Examples"):
                for line in lines:
                    formatter.write(
                        "".join(f"{'  ' * (1 + (place > 0))}{part}\n" for place, part in enumerate(_broken(line)))
                    )


class WholeSentences(TyperGroup):
    """The program itself: every command with its whole first sentence."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, _sentence(one.help or "")) for name, one in found if one is not None and not one.hidden]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def _sentence(text: str) -> str:
    return " ".join(text.split("\n\n", maxsplit=1)[0].split())


def _broken(line: str, width: int = 76) -> list[str]:
    """A command over several lines, broken between words outside quotes, to be pasted as it stands."""
    parts, current = [], ""
    for word in _words(line):
        if current and len(current) + 1 + len(word) > width - 2:
            parts.append(f"{current} \\")
            current = word
        else:
            current = f"{current} {word}" if current else word
    return [*parts, current]


def _words(line: str) -> list[str]:
    """The words of a line, those in quotes whole and an option together with its value."""
    words: list[str] = []
    for piece in line.split(" "):
        if words and (
            words[-1].count("'") % 2 or (words[-1].startswith("-") and " " not in words[-1] and words[-1] != "--")
        ):
            words[-1] += f" {piece}"
        else:
            words.append(piece)
    return words
