"""Rows of files as Spark's Parquet reader has them, with the columns that it generates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.operators.scan.parquet.row_positions import generated, ranges_of
from broadhead.operators.scan.read_rows import ReadRows
from broadhead.types import parse_type

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from broadhead.kernels.interface import Array
    from broadhead.operators.context import Run
    from broadhead.operators.scan.parquet.row_positions import FileRows
    from broadhead.plan.nodes import FileScan
    from broadhead.types import DataType


def stored_types(node: FileScan) -> list[DataType]:
    """The types of the data columns, whose nested fields may have other names in the files."""
    stored: Mapping[str, Any] = node.options.get("storedTypes", {})
    return [
        parse_type(stored[name]) if name in stored else attribute.type
        for name, attribute in zip(node.data_columns, node.output, strict=False)
    ]


class StoredRows:
    """The rows of row groups of files."""

    def __init__(self, node: FileScan, files: Sequence[FileRows], run: Run) -> None:
        self._columns = run.kernels.columns
        self._output = node.output
        self._files = files
        self._stored = stored_types(node)
        kinds: Mapping[str, str] = node.options.get("generated", {})
        self._generated = {i: kinds[n] for i, n in enumerate(node.data_columns) if n in kinds}

    def of(self, arrays: Mapping[int, Array], counts: Sequence[int]) -> ReadRows:
        """The next rows, of which `arrays` has the columns that are in the files."""
        columns = {i: self._renamed(array, i) for i, array in arrays.items()}
        if self._generated:
            parts = ranges_of(self._files, counts)
            for i, kind in self._generated.items():
                values = pa.array(generated(kind, parts))
                columns[i] = self._columns.from_arrow(values, self._output[i].type)
        splits = [(file.split, count) for file, count in zip(self._files, counts, strict=True)]
        return ReadRows(columns, splits)

    def _renamed(self, array: Array, ordinal: int) -> Array:
        stored, wanted = self._stored[ordinal], self._output[ordinal].type
        if stored == wanted:
            return array
        renamed = self._columns.to_arrow(array, stored).view(arrow_type(wanted))
        return self._columns.from_arrow(renamed, wanted)
