"""Strings brought to a number of characters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.text.substrings import Characters, between_characters, bounds_of

Array = Any


def pad(data: Array, length: Array, fill: str, side: str) -> Array:
    """The first `length` characters, with characters of `fill` added at a side up to that."""
    lengths = views.values(length).astype(np.int64)
    missing = np.maximum(lengths - Characters(data).counts, 0)
    for source in (data, length):
        valid = views.valid(source)
        if valid is not None:
            missing[~valid] = 0
    parts = []
    if lengths.size and (lengths < Characters(data).counts).any():
        data = between_characters(data, np.zeros(len(data), np.int64), lengths)
    parts.append(data)
    if fill and missing.any():
        parts.insert(0 if side == "left" else 1, _fills(fill, missing))
    if length.null_count:
        nothing = views.array(np.zeros(len(data), np.int32), pa.int32(), length)
        parts.append(pc.if_else(pc.is_valid(nothing), "", pa.scalar(None, pa.string())))
    if len(parts) == 1:
        return parts[0]
    try:
        return views.contiguous(pc.binary_join_element_wise(*parts, ""))
    except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
        raise EngineLimit(f"padding of {len(data)} strings failed: {error}") from error


def _fills(fill: str, missing: Any) -> Array:
    """For each row so many characters of the repeated `fill`."""
    bounds_of(missing)
    counts, indices = np.unique(missing, return_inverse=True)
    longest = fill * (int(counts[-1]) // len(fill) + 1)
    table = pa.array([longest[:count] for count in counts.tolist()], pa.string())
    bounds_of(views.values(pc.binary_length(table))[indices])
    return table.take(pa.array(indices))
