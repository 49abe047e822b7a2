"""Packages that only some of satisfice needs, and the extra of satisfice that brings each."""

from importlib.util import find_spec

from satisfice.errors import MissingPackage

EXTRAS = {
    "numba": "simulate",
    "pyarrow": "arrow",
    "matplotlib": "plots",
    "pandas": "pandas",
    "polars": "polars",
    "distributed": "dask",
    "psycopg": "postgres",
    "cryptography": "sign",
    "starlette": "web",
    "uvicorn": "web",
    "httpx": "web",
}
"""Which extra brings a package; 'simulate' brings those for tables and figures too."""


def need(what: str, *packages: str, instead: str = "") -> None:
    """Raise, in a sentence that says how to install them, unless the packages that something needs are there."""
    missing = [package for package in packages if find_spec(package) is None]
    if not missing:
        return
    extras = list(dict.fromkeys(EXTRAS[package] for package in missing))
    if "simulate" in extras:
        extras = [extra for extra in extras if extra not in ("arrow", "plots")]
    *others, last = missing
    named = f"{', '.join(others)} and {last}" if others else last
    noun = "packages" if others else "package"
    sentence = f"{what} needs the {noun} {named}: pip install 'satisfice[{','.join(extras)}]'."
    raise MissingPackage(f"{sentence} {instead}".rstrip())
