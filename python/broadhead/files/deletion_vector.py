"""Deletion vectors: the rows of a file that a table marks."""

from __future__ import annotations

import base64
import zlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from broadhead.errors import EngineLimit

_MOST_VECTORS = 16


@dataclass(frozen=True, slots=True)
class DeletionVector:
    """The marked rows of a file, as in the task header.

    Attributes
    ----------
    marked
        The distances of the marked rows' positions, the first from -1: unsigned 32-bit integers,
        compressed by zlib, in Base64. None if the JVM could not load them.
    drops
        Whether marked rows are deleted; otherwise all others are.
    """

    marked: str | None
    drops: bool

    def deleted(self, first: int, count: int) -> np.ndarray[Any, np.dtype[np.int8]]:
        """1 for each deleted row of those at the positions [first, first + count), 0 for others.

        Raises `EngineLimit` if the marked rows are unknown.
        """
        if self.marked is None:
            raise EngineLimit("a deletion vector was not loaded; Spark raises its own error")
        positions = _positions(self.marked)
        start, end = np.searchsorted(positions, [first, first + count])
        result = np.full(count, not self.drops, np.int8)
        result[positions[start:end] - first] = self.drops
        return result


@lru_cache(maxsize=_MOST_VECTORS)
def _positions(marked: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The positions of the marked rows, in order."""
    distances = np.frombuffer(zlib.decompress(base64.b64decode(marked)), "<u4")
    return np.cumsum(distances, dtype=np.int64) - 1
