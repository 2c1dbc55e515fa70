"""Columns of a Parquet scan that are made from the positions of the rows in their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from broadhead.files.parquet_footer import RowGroup
    from broadhead.operators.context import Split


class RowRange(NamedTuple):
    """Adjacent rows of a file, from the position `first`."""

    split: Split
    first: int
    rows: int


class RowPositions:
    """The positions of rows that are taken in order: batch by batch, of several pieces."""

    def __init__(self, pieces: Sequence[tuple[Split, Sequence[RowGroup]]]) -> None:
        self._ahead = [
            [RowRange(split, group.first, group.rows) for group in reversed(groups)]
            for split, groups in pieces
        ]

    def take(self, counts: Sequence[int]) -> list[RowRange]:
        """The next rows of each piece, as many as its count."""
        return [
            part
            for ahead, count in zip(self._ahead, counts, strict=True)
            for part in _taken(ahead, count)
        ]


def _taken(ahead: list[RowRange], count: int) -> Iterator[RowRange]:
    while count:
        split, first, length = ahead.pop()
        if length > count:
            ahead.append(RowRange(split, first + count, length - count))
            length = count
        yield RowRange(split, first, length)
        count -= length


def _row_index(part: RowRange) -> np.ndarray[Any, Any]:
    return np.arange(part.first, part.first + part.rows)


def _row_deleted(part: RowRange) -> np.ndarray[Any, Any]:
    vector = part.split.deletion_vector
    if vector is None:
        return np.zeros(part.rows, np.int8)
    return vector.deleted(part.first, part.rows)


GENERATED: Mapping[str, Callable[[RowRange], np.ndarray[Any, Any]]] = {
    "rowIndex": _row_index,
    "rowDeleted": _row_deleted,
}
"""The values of a column for some rows, by its kind in the wire format."""


def generated(kind: str, parts: Sequence[RowRange]) -> np.ndarray[Any, Any]:
    """The values of a generated column for the rows of a batch."""
    return np.concatenate([GENERATED[kind](part) for part in parts])
