"""The bytes of strings in groups of the same size."""

from __future__ import annotations

from typing import Any

import numpy as np

from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text.substrings import content

Array = Any
Numbers = np.ndarray[Any, Any]


def in_groups(
    data: Array, size: int, fill: int = 0, *, front: bool = False
) -> tuple[Numbers, Numbers]:
    """The bytes of all rows, a row of them a group, and how many groups each string has.

    `fill` stands where a string's last group, or its first one if `front`, has no byte.
    """
    bounds = views.offsets(data).astype(np.int64)
    here = content(data)[bounds[0] : bounds[-1]]
    lengths = np.diff(bounds)
    counts = -(-lengths // size)
    missing = counts * size - lengths
    if not missing.any():
        return here.reshape(-1, size), counts
    shifts = np.cumsum(missing)
    result = np.full(len(here) + int(shifts[-1]), fill, np.uint8)
    offsets = np.arange(len(here))
    offsets += np.repeat(shifts if front else shifts - missing, lengths)
    result[offsets] = here
    return result.reshape(-1, size), counts
