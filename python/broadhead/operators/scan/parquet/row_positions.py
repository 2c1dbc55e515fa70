"""Columns of a Parquet scan that are made from the positions of the rows in their files."""

from __future__ import annotations

from dataclasses import dataclass
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


@dataclass(slots=True)
class FileRows:
    """The rows of a split's row groups that are not returned yet.

    Attributes
    ----------
    groups
        The row groups, in the order of reading.
    """

    split: Split
    groups: Sequence[RowGroup]
    _group: int = 0
    _offset: int = 0

    def take(self, count: int) -> Iterator[tuple[int, int]]:
        """The next `count` rows as ranges: first position in the file, number of rows."""
        while count:
            group = self.groups[self._group]
            rows = min(count, group.rows - self._offset)
            yield group.first_row + self._offset, rows
            count -= rows
            self._offset += rows
            if self._offset == group.rows:
                self._group, self._offset = self._group + 1, 0


def ranges_of(files: Sequence[FileRows], counts: Sequence[int]) -> list[RowRange]:
    """The next rows of each file, as many as its count."""
    return [
        RowRange(file.split, first, rows)
        for file, count in zip(files, counts, strict=True)
        for first, rows in file.take(count)
    ]


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
