"""Compress one real file and say how small it got and how fast: one evaluation for `satisfice run study.toml`.

The files are those of Python's own library, which every machine with Python has. Which one is drawn by chance, so
ratio and speed scatter from run to run; their means are what is asked about.
"""

import argparse
import bz2
import gzip
import json
import lzma
import os
import random
import sysconfig
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

METHODS: dict[str, Callable[[bytes, int], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lambda data, level: lzma.compress(data, preset=level),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--method", choices=METHODS, required=True)
    parser.add_argument("--level", type=int, required=True)
    options = parser.parse_args()
    library = Path(sysconfig.get_path("stdlib"))
    files = sorted(path for path in library.glob("*.py") if path.stat().st_size > 20_000)
    chance = random.Random(os.environ.get("SATISFICE_NUMBER"))
    data = b"".join(path.read_bytes() for path in chance.sample(files, 3))
    began = perf_counter()
    compressed = METHODS[options.method](data, options.level)
    seconds = perf_counter() - began
    print(json.dumps({"ratio": len(compressed) / len(data), "mb_per_s": len(data) / 1e6 / seconds}))


if __name__ == "__main__":
    main()
