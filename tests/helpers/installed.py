"""A package that somebody installed."""

from collections.abc import Mapping
from pathlib import Path
from textwrap import dedent


def install(folder: Path, module: str, source: str, points: Mapping[str, Mapping[str, str]]) -> None:
    """Leave in a folder what pip does: a module, and what in it has which name in which group of entry points."""
    (folder / f"{module}.py").write_text(dedent(source))
    about = folder / f"{module}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module.replace('_', '-')}\nVersion: 1.0\n")
    lines = [
        "\n".join([f"[satisfice.{group}]", *(f"{name} = {module}:{what}" for name, what in names.items())])
        for group, names in points.items()
    ]
    (about / "entry_points.txt").write_text("\n".join(lines) + "\n")
