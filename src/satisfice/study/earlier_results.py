"""Earlier results, from another study or from a table in a file."""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from satisfice.errors import InvalidSpec, MissingStorage
from satisfice.extras import need
from satisfice.given import shown
from satisfice.past_tables import check_cells, read_parquet
from satisfice.study.evaluations import evaluations_of
from satisfice.study.storage.protocol import StorageLike
from satisfice.study.study import Study
from satisfice.study.warm_start import EarlierResult

TABLES = (".csv", ".json", ".parquet", ".pq")

WarmStartLike = Study | str | Path
"""Earlier results as users name them: a study, its address, its name in the same storage, or a file."""


def source_and_results(given: Any, storage: StorageLike) -> tuple[str, Iterable[EarlierResult]]:
    """What earlier results are called in a sentence, and the results."""
    from satisfice.study.create import load_study  # noqa: PLC0415 - which makes studies that begin with these results

    if isinstance(given, Study):
        return _of_study(given)
    if not isinstance(given, str | Path) or not str(given).strip():
        raise InvalidSpec(
            "Expected a warm start as a study, the address of one such as 'sqlite:///old.db', its name in the same "
            f"storage, or a file of results ({', '.join(TABLES)}), got {shown(given, 80)}."
        )
    text = str(given)
    if _is_table(text):
        return f"the file {text}", list(_of_file(Path(text)))
    address, _, name = text.partition("#") if "://" in text else ("", "", text)
    try:
        with load_study(address or storage, name or None) as study:
            return _of_study(study)
    except MissingStorage as error:
        raise InvalidSpec(f"There are no earlier results to start from: {error}") from None


def addressed(given: Any, storage: str) -> Any:
    """The same as something that means the same wherever it is: the name of a study with its storage."""
    named = isinstance(given, str) and given.strip() and "://" not in given and not _is_table(given)
    return f"{storage}#{given}" if named else given


def _is_table(text: str) -> bool:
    return "://" not in text and Path(text).suffix.lower() in TABLES


def _of_study(study: Study) -> tuple[str, list[EarlierResult]]:
    spec = study.spec
    parameters = dict(spec.configs)
    results = [
        EarlierResult(one.config, parameters[one.config], one.results, item=one.item, set_size=spec.problem().set_size)
        for one in evaluations_of(spec, study.events())
        if one.failure is None
    ]
    return f"the study {study.name!r}", results


def _of_file(path: Path) -> Iterator[EarlierResult]:
    if not path.is_file():
        raise InvalidSpec(f"Expected earlier results in {path}, but there is no such file.")
    try:
        rows = _rows(path)
    except (OSError, ValueError, csv.Error, RecursionError) as error:
        raise InvalidSpec(f"{path} cannot be read as a table of results: {error}.") from None
    for row in rows:
        if not isinstance(row, Mapping):
            raise InvalidSpec(
                f"{path}: expected a list of objects, one for each evaluation, as `satisfice export` writes it, got "
                f"{shown(row, 60)} in it."
            )
        if not row.get("failure"):
            known = {str(name): _value(value) for name, value in row.items() if value not in (None, "")}
            config = row.get("config")
            yield EarlierResult(None if config is None else str(config), row, known, exact=False)


def _rows(path: Path) -> list[Any]:
    """The rows of a table, as mappings."""
    ending = path.suffix.lower()
    if ending == ".csv":
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = []
            for row in (reader := csv.DictReader(file)):
                rows.append(row)
                check_cells(path, len(rows), len(reader.fieldnames or ()))
            return rows
    if ending == ".json":
        found = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(found, list):
            raise ValueError("expected a list of objects, one for each evaluation")
        return found
    need("A Parquet file", "pyarrow", instead="CSV and JSON need nothing more.")
    table: list[Any] = read_parquet(path).to_pylist()
    return table


def _value(value: Any) -> Any:
    """A cell as what it was written from: a number, a list or a count, where it reads as one."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
