"""Compress half a megabyte of source code: how small it gets, and how long that takes.

    python3 compress.py --method gzip --level 6

The source code is Python's own library. It is the same every time, and so is the ratio: one run decides a limit on it.
The time differs from run to run. `satisfice run study.toml` finds a method and level that pass limits on both.
"""

import argparse
import bz2
import gzip
import json
import lzma
import sysconfig
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

METHODS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lambda data, level: lzma.compress(data, preset=level),
}
SIZE = 500_000


def source_code() -> bytes:
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))
    return b"".join(path.read_bytes() for path in files)[:SIZE]


def main() -> None:
    parser = argparse.ArgumentParser(description="Compress half a megabyte of source code.")
    parser.add_argument("--method", choices=METHODS, required=True)
    parser.add_argument("--level", type=int, required=True)
    options = parser.parse_args()
    data = source_code()
    began = perf_counter()
    compressed = METHODS[options.method](data, options.level)
    seconds = perf_counter() - began
    print(json.dumps({"ratio": len(compressed) / len(data), "seconds": seconds}))


if __name__ == "__main__":
    main()
