"""Arrays as bytes and back: what is unpacked has the names, kinds and sizes that were expected, or is refused."""

import io
import zipfile
from collections.abc import Mapping
from math import prod
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]

MOST_BYTES = 2**28
"""By how much what is unpacked may be larger than what it should be like: what grows with the results of a study."""

GROWING = ("rest", "search.kept.", "search.checks.")
"""Arrays whose length depends on what was told; all others have as many entries as there are configs and metrics."""


def packed(arrays: Arrays) -> bytes:
    """The arrays as one compressed file."""
    buffer = io.BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def unpacked(data: bytes, like: Arrays) -> dict[str, NDArray[Any]]:
    """The arrays that were packed, if they can be arrays like these; ValueError before anything takes room if not."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = archive.infolist()
        if sorted(member.filename for member in members) != sorted(f"{name}.npy" for name in like):
            raise ValueError("other arrays")
        if (
            sum(member.file_size for member in members)
            > sum(array.nbytes + 200 for array in like.values()) + MOST_BYTES
        ):
            raise ValueError("too large")
        for member in members:
            name = member.filename.removesuffix(".npy")
            with archive.open(member) as file:
                _check_header(file, member.file_size, like[name], name.startswith(GROWING))
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in like}


def _check_header(file: IO[bytes], size: int, like: NDArray[Any], grows: bool) -> None:
    """Raise unless the array is as large as its file, and like the one that is expected."""
    if np.lib.format.read_magic(file) != (1, 0):
        raise ValueError("another format")
    shape, _, dtype = np.lib.format.read_array_header_1_0(file)
    same = shape == like.shape or (grows and len(shape) == like.ndim and shape[1:] == like.shape[1:])
    if not same or dtype != like.dtype or file.tell() + prod(shape) * dtype.itemsize != size:
        raise ValueError("another shape")
