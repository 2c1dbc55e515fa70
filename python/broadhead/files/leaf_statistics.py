"""Statistics of a column in the footer of a Parquet file, as arrays with an element a row group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pyarrow.parquet as pq

UNKNOWN_COUNT = -1


@dataclass(frozen=True, slots=True)
class LeafStatistics:
    """What the row groups say of a leaf column, an element for each.

    Attributes
    ----------
    kind
        `int`, `float` or `bytes`: the physical form of the bounds. None if no bounds can be used.
    low, high
        Least and greatest value: int64, float64, or objects for bytes; any value if not `known`.
    known
        Whether there are such bounds. NaN is none.
    null_count
        The number of nulls, `UNKNOWN_COUNT` if the row group does not say.
    """

    kind: type | None
    low: np.ndarray[Any, Any]
    high: np.ndarray[Any, Any]
    known: np.ndarray[Any, Any]
    null_count: np.ndarray[Any, Any]


def leaf_statistics(metadata: pq.FileMetaData, leaf: int) -> LeafStatistics:
    """The statistics of the leaf column with this number."""
    groups = range(metadata.num_row_groups)
    found = [metadata.row_group(group).column(leaf).statistics for group in groups]
    bounds = [(s.min_raw, s.max_raw) if s is not None and s.has_min_max else None for s in found]
    counts = [s.null_count if s is not None and s.has_null_count else UNKNOWN_COUNT for s in found]
    kind = next((type(low) for pair in bounds if pair is not None for low in pair), None)
    low, high, known = _arrays(bounds, kind)
    return LeafStatistics(
        kind if kind in _DTYPES else None, low, high, known, np.array(counts, np.int64)
    )


_DTYPES: dict[type | None, type] = {int: np.int64, float: np.float64, bytes: np.object_}


def _arrays(
    bounds: list[tuple[Any, Any] | None], kind: type | None
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """The bounds as arrays, and which are there."""
    nothing: Any = b"" if kind is bytes else 0
    low: np.ndarray[Any, Any] = np.full(len(bounds), nothing, _DTYPES.get(kind, np.int64))
    high, known = low.copy(), np.zeros(len(bounds), np.bool_)
    if kind not in _DTYPES:
        return low, high, known
    for number, pair in enumerate(bounds):
        if pair is not None:
            low[number], high[number] = pair
            known[number] = True
    if kind is float:
        known &= ~(np.isnan(low) | np.isnan(high))
    return low, high, known
