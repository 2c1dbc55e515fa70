"""Rows of files as a table has them that keeps constants, and deleted rows, beside the files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.errors import EngineLimit
from broadhead.operators.scan.read_rows import ReadRows
from broadhead.plan.decode import decode_value
from broadhead.types import BOOLEAN, LONG

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run, Split
    from broadhead.operators.scan.parquet.row_positions import FileRows
    from broadhead.plan.nodes import FileScan

POSITION = "position"
"""A column of the row's position in its file."""

DELETED = "deleted"
"""A column that says whether the row is deleted: then deleted rows are returned as well."""

ROW_ID = "rowId"
"""The row's id: what the file has, else the split's constant and the position."""

SEQUENCE_NUMBER = "sequenceNumber"
"""The number of the row's last change: what the file has, else the split's constant."""


class TableRows:
    """The rows of row groups of files, as the table has them.

    Raises `EngineLimit` if a column that has no nulls has no value.
    """

    def __init__(
        self,
        node: FileScan,
        names: Sequence[str | None],
        files: Sequence[FileRows],
        run: Run,
    ) -> None:
        self._columns = run.kernels.columns
        self._metrics = run.metrics
        self._id = node.id
        self._files = files
        self._types = [attribute.type for attribute in node.output]
        fields: Mapping[str, Any] = node.options["fields"]
        self._generated: dict[int, str] = {}
        self._names = node.data_columns
        self._constants: dict[int, list[Any]] = {}
        for ordinal, (column, name) in enumerate(zip(node.data_columns, names, strict=True)):
            generated = fields[column]["generated"]
            if generated is not None:
                self._generated[ordinal] = generated
            elif name is None:
                attribute = node.output[ordinal]
                default = decode_value(fields[column]["default"], attribute.type)
                values = [file.split.constants.get(column, default) for file in files]
                if not attribute.nullable and None in values:
                    raise EngineLimit(f"a file has no values of column {column}")
                self._constants[ordinal] = values
        self._marks = DELETED in self._generated.values()
        self._deletes = any(file.split.deleted_rows is not None for file in files)

    def of(self, arrays: Mapping[int, Array], counts: Sequence[int]) -> ReadRows:
        """The next rows, of which `arrays` has the columns that are in the files."""
        columns = dict(arrays)
        ranges = [list(file.take(count)) for file, count in self._counted(counts)]
        kept = self._kept(ranges) if self._deletes else None
        for ordinal, kind in self._generated.items():
            columns[ordinal] = self._generate(kind, ordinal, ranges, kept, arrays.get(ordinal))
        for ordinal, values in self._constants.items():
            columns[ordinal] = self._repeat(values, self._types[ordinal], counts)
        if kept is None or self._marks:
            return ReadRows(columns, self._splits(counts))
        return self._dropped(columns, counts, kept)

    def _counted(self, counts: Sequence[int]) -> Iterator[tuple[FileRows, int]]:
        return zip(self._files, counts, strict=True)

    def _splits(self, counts: Sequence[int]) -> list[tuple[Split, int]]:
        return [(file.split, count) for file, count in self._counted(counts)]

    def _kept(self, ranges: Sequence[Sequence[tuple[int, int]]]) -> np.ndarray[Any, Any]:
        """Which rows are not deleted."""
        parts = [
            _not_deleted(file.split.deleted_rows, first, rows)
            for file, of_file in zip(self._files, ranges, strict=True)
            for first, rows in of_file
        ]
        return np.concatenate(parts) if parts else np.empty(0, bool)

    def _generate(
        self,
        kind: str,
        ordinal: int,
        ranges: Sequence[Sequence[tuple[int, int]]],
        kept: np.ndarray[Any, Any] | None,
        stored: Array | None,
    ) -> Array:
        if kind == DELETED:
            length = sum(rows for of_file in ranges for _, rows in of_file)
            deleted = np.zeros(length, bool) if kept is None else ~kept
            return self._columns.from_arrow(pa.array(deleted), BOOLEAN)
        if kind == POSITION:
            bases: list[int | None] = [0] * len(ranges)
        else:
            name = self._names[ordinal]
            bases = [file.split.constants.get(name) for file in self._files]
        numbers = _numbers(bases, ranges, step=0 if kind == SEQUENCE_NUMBER else 1)
        if stored is not None:
            own = self._columns.to_arrow(stored, LONG)
            numbers = pc.if_else(numbers.is_valid(), pc.coalesce(own, numbers), numbers)
        return self._columns.from_arrow(numbers, LONG)

    def _repeat(self, values: Sequence[Any], data_type: Any, counts: Sequence[int]) -> Array:
        parts = [
            [self._columns.full(self._columns.scalar(value, data_type), count)]
            for value, count in zip(values, counts, strict=True)
            if count
        ]
        return parts[0][0] if len(parts) == 1 else self._columns.concat(parts)[0]

    def _dropped(
        self, arrays: Mapping[int, Array], counts: Sequence[int], kept: np.ndarray[Any, Any]
    ) -> ReadRows:
        """The rows without the deleted ones."""
        ends = np.cumsum(counts)
        remaining = [
            int(np.count_nonzero(kept[end - count : end]))
            for end, count in zip(ends, counts, strict=True)
        ]
        self._metrics.add(self._id, "numDeletes", len(kept) - sum(remaining))
        if sum(remaining) < len(kept) and arrays:
            mask = self._columns.from_arrow(pa.array(kept), BOOLEAN)
            filtered = self._columns.filter(list(arrays.values()), mask)
            arrays = dict(zip(arrays, filtered, strict=True))
        return ReadRows(arrays, self._splits(remaining))


def _numbers(
    bases: Sequence[int | None], ranges: Sequence[Sequence[tuple[int, int]]], *, step: int
) -> pa.Array:
    """For each row the base of its file and `step` times its position; nulls without a base."""
    parts = [
        pa.nulls(rows, pa.int64())
        if base is None
        else pa.array(base + step * np.arange(first, first + rows, dtype=np.int64))
        for base, of_file in zip(bases, ranges, strict=True)
        for first, rows in of_file
    ]
    return pa.concat_arrays(parts)


def _not_deleted(
    deleted: np.ndarray[Any, Any] | None, first: int, rows: int
) -> np.ndarray[Any, Any]:
    kept = np.ones(rows, bool)
    if deleted is not None:
        start, end = np.searchsorted(deleted, [first, first + rows])
        kept[deleted[start:end] - first] = False
    return kept
