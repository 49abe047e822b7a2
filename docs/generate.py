"""Write the parts of the documentation that come from the code: python docs/generate.py [section ...]

A page has places for them, between `<!-- NAME: written by docs/generate.py -->` and `<!-- end of NAME -->`.
tests/docs fails when what stands there is no longer what the code says.
"""

import ast
import inspect
import re
import runpy
import sys
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from math import log
from pathlib import Path
from textwrap import dedent
from types import ModuleType, UnionType
from typing import Any

import satisfice as sf
from satisfice import errors, testing
from satisfice.cli.help import EXAMPLES as COMMAND_LINES
from satisfice.layout import markdown
from satisfice.rules import DEFAULT_RULE
from satisfice.simulation.distributions import distributions_of
from satisfice.simulation.results import CampaignResult
from satisfice.simulation.summary import CellSummary, Spending, Timing
from satisfice.stopping import DEFAULT_STOPPING

DOCS = Path(__file__).parent
EXAMPLES = DOCS.parent / "examples"

GROUPS: dict[str, list[Any]] = {
    "Asking": [
        *(sf.problem_of, sf.Problem, sf.Metric, sf.Direction),
        *(sf.Mean, sf.Percentile, sf.Share, sf.GeometricMean, sf.ClippedMean),
        *(sf.Normal, sf.SubGaussian, sf.Bernoulli, sf.Bounded, sf.Poisson, sf.Spread, sf.Independent, sf.Checked),
    ],
    "Searching": [sf.Search, sf.Verdict, sf.Guess, sf.Outcome, sf.ArmStatus, sf.Check, sf.Goal],
    "Studies": [
        *(
            sf.create_study,
            sf.load_study,
            sf.list_studies,
            sf.delete_study,
            sf.grid,
            sf.Study,
            sf.StudyView,
            sf.Subject,
            sf.Pull,
            sf.work,
        ),
        *(
            sf.RunProgress,
            sf.Backoff,
            sf.Counts,
            sf.StudyCost,
            sf.Outstanding,
            sf.Evaluation,
            sf.Explanation,
            sf.Forecast,
            sf.Spec,
            sf.StudySummary,
        ),
        *(sf.verify, sf.Verification, sf.assert_passes),
    ],
    "Rules and boundaries": [
        *(sf.SamplingRule, sf.Setting, sf.MultiTUCB, sf.MultiHDoC, sf.MultiLUCB, sf.MultiAPT),
        *(sf.Pandora, sf.Thompson, sf.Murphy, sf.Uniform, sf.Evidence, sf.TransferredEvidence),
        *(sf.Boundary, sf.AlphaBoundary),
    ],
    "Simulating": [
        *(sf.simulate, CampaignResult, CellSummary, Spending, Timing, sf.Instance, sf.load_instance),
        *(sf.arms_for, sf.gaussian_arms, sf.recorded_arms, sf.oracle_floor, sf.OracleFloor),
    ],
    "Planning": [
        *(sf.plan, sf.StudyPlan, sf.ScenarioPlan),
    ],
    "Bounds: satisfice.theory": [getattr(sf.theory, name) for name in sf.theory.__all__],
    "Errors": [sf.SatisficeError, sf.RateLimited],
    "Checks for your own parts: satisfice.testing": [
        *(testing.check_rule, testing.check_stopping, testing.check_arms, testing.check_error_rate),
        *(testing.check_noise, testing.ErrorCounts, testing.check_storage, testing.check_reader),
    ],
}
"""The public names in the order in which people meet them, with the values that come back from them."""


# The Python reference


def python_reference() -> str:
    """Every public name: how it is called, and what its docstring says."""
    return "\n\n".join(f"## {title}\n\n" + "\n\n".join(map(_entry, values)) for title, values in GROUPS.items())


def _entry(value: Any) -> str:
    if isinstance(value, UnionType):
        kinds = value.__args__
        return "### SamplingRule\n\nAny of these kinds of value:\n\n" + "\n\n".join(map(_body, kinds))
    return f"### {value.__name__}\n\n{_body(value)}"


def _source(value: Any) -> ast.stmt:
    """The source of a function or a class, with what a class has from the classes of this package that it is one of."""
    tree = ast.parse(dedent(inspect.getsource(value))).body[0]
    if isinstance(tree, ast.ClassDef):
        own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
        for base in value.__mro__[1:]:
            if base.__module__.startswith("satisfice.") and not getattr(base, "_is_protocol", False):
                inherited = ast.parse(dedent(inspect.getsource(base))).body[0].body
                tree.body += [one for one in inherited if isinstance(one, ast.FunctionDef) and one.name not in own]
    return tree


def _body(value: Any) -> str:
    tree = _source(value)
    parts = [f"```text\n{_call(tree)}\n```", markdown.escape(inspect.cleandoc(value.__doc__ or ""))]
    if isinstance(value, type) and issubclass(value, Enum):
        parts[0] = "```text\n" + "\n".join(f"{value.__name__}.{one.name} = {one.value!r}" for one in value) + "\n```"
    elif isinstance(tree, ast.ClassDef):
        parts.append("\n".join(_method_lines(tree)))
    return "\n\n".join(part for part in parts if part)


def _method_lines(tree: ast.ClassDef) -> Iterator[str]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            first = markdown.escape((ast.get_docstring(node) or "").split("\n\n")[0].replace("\n", " "))
            is_value = any(ast.unparse(mark) in {"property", "cached_property"} for mark in node.decorator_list)
            shown = node.name if is_value else _call(node, longest=1000)
            yield f"* `{shown}`" + (f": {first}" if first else "")


def _call(tree: ast.AST, longest: int = 100) -> str:
    """How a function or class is called, from its source: the same text under every version of Python."""
    if isinstance(tree, ast.FunctionDef):
        ending = f" -> {ast.unparse(tree.returns)}" if tree.returns else ""
        return _wrapped(tree.name, _arguments(tree.args), ending, longest)
    if not isinstance(tree, ast.ClassDef):
        raise TypeError(f"cannot show {ast.dump(tree):.80}")
    functions = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    if "__init__" in functions:
        return _wrapped(tree.name, _arguments(functions["__init__"].args), "", longest)
    fields = [ast.unparse(node) for node in tree.body if isinstance(node, ast.AnnAssign)]
    is_value = fields or any(ast.unparse(base) == "NamedTuple" for base in tree.bases)
    return _wrapped(tree.name, fields, "", longest) if is_value else tree.name


def _arguments(arguments: ast.arguments) -> list[str]:
    parts = re.split(r", (?![^\[(]*[\])])", ast.unparse(arguments))  # at commas outside brackets
    return [" = ".join(part.split("=", 1)) for part in parts if part not in {"", "self", "cls"}]


def _wrapped(name: str, arguments: list[str], ending: str, longest: int) -> str:
    line = f"{name}({', '.join(arguments)}){ending}"
    return line if len(line) <= longest else f"{name}(\n    " + ",\n    ".join(arguments) + f",\n){ending}"


# The command line


def command_reference() -> str:
    """Every command and option, from the program itself."""
    import typer.main  # noqa: PLC0415 - not needed by the other parts

    from satisfice.cli.app import app  # noqa: PLC0415

    program = typer.main.get_command(app)
    parts = [_command("satisfice", "COMMAND", program.help, program.params)]
    for name, command in program.commands.items():  # type: ignore[attr-defined]  # a group has commands
        arguments = [param for param in command.params if param.param_type_name == "argument"]
        places = [param.metavar if param.required else f"[{param.metavar}]" for param in arguments]
        places.append(getattr(command, "program_place", ""))
        parts.append(_command(f"satisfice {name}", " ".join(places).rstrip(), command.help, command.params))
    return "\n\n".join(parts)


def _command(name: str, places: str, text: str | None, params: Iterable[Any]) -> str:
    called = f"`{name} [OPTIONS] {places}".rstrip() + "`"
    rows = [
        *((_spelling(param), _meaning(param)) for param in params),
        ("`-h`, `--help`", "Show this message and exit."),
    ]
    table = markdown.table(("", ""), rows, left=(0, 1))
    lines = "\n".join(COMMAND_LINES.get(name.removeprefix("satisfice "), ()))
    shown = [f"```text\n{lines}\n```"] if lines else []
    return "\n\n".join([markdown.heading(name), called, inspect.cleandoc(text or ""), *shown, table])


def _spelling(param: Any) -> str:
    if param.param_type_name == "argument":
        return f"`{param.metavar}`"
    ways = sorted(param.opts, key=len)
    return ", ".join(f"`{way} {param.metavar}`" if param.metavar else f"`{way}`" for way in ways)


def _meaning(param: Any) -> str:
    default = getattr(param, "default", None)
    told = "" if default in (None, False, []) or callable(default) or param.required else f" Default: `{default}`."
    return f"{param.help}{told}"


# Errors


def error_table() -> str:
    """Every error with its familiar parent."""
    kinds = [one for one in vars(errors).values() if isinstance(one, type) and issubclass(one, sf.SatisficeError)]
    rows = [(f"`{kind.__name__}`", _parents(kind), inspect.getdoc(kind) or "") for kind in kinds]
    return markdown.table(("error", "is also a", "raised for"), rows, left=range(3))


def _parents(kind: type) -> str:
    return " and a ".join(f"`{parent.__name__}`" for parent in kind.__bases__ if parent is not sf.SatisficeError)


# Numbers


def bounds_table() -> str:
    """What the theory says of instances with every kind of noise, beside what an oracle and rules take."""
    heads = ("instance", "error rate", "proven", "limit T\\* ln(1/δ)", "oracle", "oracle, shared", "satisfice")
    named = {f"`{name}.toml`": sf.load_instance(EXAMPLES / f"{name}.toml").instance for name in BOUNDED}
    named["`paper_synthetic.toml`, arm 7 made to fail"] = _none_good()
    rows = [
        _bounds_row(name, instance.asking(error_rate=error_rate))
        for name, instance in named.items()
        for error_rate in (0.005, 0.05)
    ]
    return markdown.table((*heads, "MultiTUCB", "lower bound as printed", "upper bound as printed"), rows)


BOUNDED = ("paper_synthetic", "paper_medical", "uploads", "unknown_noise", "answers")
"""The examples whose bounds are shown."""


def _none_good() -> sf.Instance:
    """The synthetic instance with the first mean of arm 7 at 0.5."""
    said = sf.load_instance(EXAMPLES / "paper_synthetic.toml").instance
    means = said.arms.means.copy()
    means[6, 0] = 0.5
    return sf.Instance.of(said.problem, sf.gaussian_arms(means, 1.2))


def _bounds_row(name: str, instance: Any) -> tuple[str, ...]:
    problem, known = instance.problem, distributions_of(instance)
    found = sf.theory.bounds(problem, instance.arms.means, distributions=known)
    floors = [
        sf.oracle_floor(instance, shared=shared, repetitions=400, seed=1, distributions=known)
        for shared in (False, True)
    ]
    scaled = all(metric.noise.scale is not None for metric in problem.metrics)
    pairs = [(DEFAULT_RULE, DEFAULT_STOPPING), *([("multitucb", "alpha")] if scaled else [])]
    runs = [
        sf.simulate(problem, instance.arms, rules=[rule], stopping=stopping, repetitions=100, seed=1).summaries[0]
        for rule, stopping in pairs
    ]
    means = [f"{one.mean:,.0f} ± {one.standard_error:,.0f}" for one in (*floors, *runs)] + ["-"] * (2 - len(runs))
    printed = (found.lower_bound_as_printed, found.upper_bound and found.upper_bound.pulls)
    return (
        name,
        f"{problem.error_rate:g}",
        *map(_number, (found.proven_limit, found.practical_limit)),
        *means,
        *map(_number, printed),
    )


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def nats_table() -> str:
    """What the paper's boundary asks for, in nats, beside what one test of that level would."""
    setting = sf.Setting(arms=10, metrics=4, error_rate=0.005, noise_scale=1.0)
    widths = {pulls: sf.theory.alpha(pulls, setting) for pulls in (10, 100, 1000, 10_000, 100_000)}
    rows = [(f"{pulls:,}", f"{width:.3g}", f"{pulls * width**2 / 2:.1f}") for pulls, width in widths.items()]
    note = f"For comparison: ln(1/δ) = {log(1 / setting.error_rate):.1f} nats at the same δ = {setting.error_rate:g}."
    return markdown.table(("pulls n", "width in units of the noise scale", "nats"), rows) + f"\n\n{note}"


def late_table() -> str:
    """False accepts of a configuration right at its limit, by number of evaluations at a time and order of folding."""
    study = runpy.run_path(str(EXAMPLES / "late_results.py"))
    runs = 40
    rows = [
        (
            f"{at_a_time}",
            *(f"{study['false_accepts'](runs, at_a_time, in_ask_order=order) / runs:.0%}" for order in (True, False)),
        )
        for at_a_time in (1, 32, 256)
    ]
    return markdown.table(("evaluations at a time", "accepted, in ask order", "accepted, in order of arrival"), rows)


SECTIONS: dict[str, tuple[str, Callable[[], str]]] = {
    "names": ("reference/python.md", python_reference),
    "commands": ("reference/cli.md", command_reference),
    "errors": ("reference/errors.md", error_table),
    "bounds": ("method/bounds.md", bounds_table),
    "nats": ("method/boundary.md", nats_table),
    "late": ("method/order-safe.md", late_table),
}
"""Where each part stands, and what writes it."""


def place_of(name: str) -> re.Pattern[str]:
    start, end = f"<!-- {name}: written by docs/generate.py -->", f"<!-- end of {name} -->"
    return re.compile(f"(?<={re.escape(start)}\n).*?(?={re.escape(end)})", re.DOTALL)


def filled(name: str) -> tuple[Path, str, str]:
    """The page of a part, its text now, and its text with the part written anew."""
    page, write = SECTIONS[name]
    path = DOCS / page
    text = path.read_text(encoding="utf-8")
    if not place_of(name).search(text):
        sys.exit(f"{path} has no place for {name!r}: see the top of docs/generate.py.")
    return path, text, place_of(name).sub(lambda _: f"\n{write()}\n\n", text)


def missing_names() -> set[str]:
    """Public names that the Python reference does not know."""
    shown = {getattr(value, "__name__", "SamplingRule") for values in GROUPS.values() for value in values}
    modules = {name for name in sf.__all__ if isinstance(getattr(sf, name), ModuleType)}
    return set(sf.__all__) - shown - modules


if __name__ == "__main__":
    for section in sys.argv[1:] or SECTIONS:
        path, _, text = filled(section)
        path.write_text(text, encoding="utf-8")
        print(f"{path.relative_to(DOCS.parent)}: {section}")
