"""Encoding of Parquet files on the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pylibcudf as plc
from pylibcudf import TypeId
from pylibcudf.io.parquet import ChunkedParquetWriter, ChunkedParquetWriterOptions
from pylibcudf.io.types import (
    CompressionType,
    DictionaryPolicy,
    SinkInfo,
    StatisticsFreq,
    TableInputMetadata,
)

from broadhead.kernels.cudf.physical import DECIMAL128, INT32, INT64, Column, cast, relabel
from broadhead.types import MAX_LONG_DIGITS, DataType, DecimalType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from io import RawIOBase

    from broadhead.plan.nodes import Attribute

_MOST_ROWS = 1 << 24
_MOST_INT_DIGITS = 9
_TIMESTAMP = plc.DataType(TypeId.TIMESTAMP_MICROSECONDS)
_COMPRESSIONS = {
    "none": CompressionType.NONE,
    "snappy": CompressionType.SNAPPY,
    "zstd": CompressionType.ZSTD,
}
_TYPES = frozenset(
    {
        "boolean", "byte", "short", "integer", "long", "float", "double", "string", "binary",
        "date", "timestamp",
    }
)  # fmt: skip


def can_encode(columns: Sequence[Attribute], options: Mapping[str, Any]) -> bool:
    """Whether files of these columns are encoded on the device.

    libcudf marks all timestamps of a file as UTC, Spark's INT96 has its own calendar, and ids of
    fields are not passed on.
    """
    if options["fieldIds"] or options["compression"].lower() not in _COMPRESSIONS:
        return False
    return all(
        column.type.name in _TYPES or isinstance(column.type, DecimalType) for column in columns
    ) and not (options["int96"] and any(c.type.name == "timestamp" for c in columns))


class ParquetEncoder:
    """Writes one file."""

    def __init__(
        self, columns: Sequence[Attribute], options: Mapping[str, Any], sink: RawIOBase
    ) -> None:
        self._columns = columns
        self._options = options
        # libcudf's writer refers to it
        self._sink = SinkInfo([sink])
        self._writer: ChunkedParquetWriter | None = None

    def write(self, columns: Sequence[Column]) -> None:
        """Add rows as row groups of their own."""
        table = plc.Table(
            [
                _to_parquet(column, attribute.type)
                for column, attribute in zip(columns, self._columns, strict=True)
            ]
        )
        if self._writer is None:
            self._writer = self._open(table)
        self._writer.write(table)

    def close(self) -> None:
        """Write the footer; a file has rows."""
        assert self._writer is not None, "a file is begun with its first rows"
        self._writer.close([])

    def _open(self, table: plc.Table) -> ChunkedParquetWriter:
        metadata = TableInputMetadata(table)
        for column, attribute in zip(metadata.column_metadata, self._columns, strict=True):
            column.set_name(attribute.name).set_nullability(attribute.nullable)
            if isinstance(attribute.type, DecimalType):
                column.set_decimal_precision(attribute.type.precision)
            if attribute.type.name == "binary":
                column.set_output_as_binary(True)
        # Readers would trust the bounds of columns with NaN.
        floats = any(a.type.name in {"float", "double"} for a in self._columns)
        statistics = StatisticsFreq.STATISTICS_NONE if floats else StatisticsFreq.STATISTICS_COLUMN
        options = (
            ChunkedParquetWriterOptions.builder(self._sink)
            .metadata(metadata)
            .key_value_metadata([dict(self._options["metadata"])])
            .compression(_COMPRESSIONS[self._options["compression"].lower()])
            .stats_level(statistics)
            .row_group_size_rows(_MOST_ROWS)
            .write_arrow_schema(False)
            .build()
        )
        dictionary = self._options["dictionary"]
        options.set_dictionary_policy(
            DictionaryPolicy.ADAPTIVE if dictionary else DictionaryPolicy.NEVER
        )
        return ChunkedParquetWriter.from_options(options)


def _to_parquet(column: Column, data_type: DataType) -> Column:
    """The column in the type that libcudf writes as Spark's type."""
    if isinstance(data_type, DecimalType):
        precision, scale = data_type.precision, data_type.scale
        if precision <= _MOST_INT_DIGITS:
            return relabel(cast(column, INT32), plc.DataType(TypeId.DECIMAL32, -scale))
        if precision <= MAX_LONG_DIGITS:
            return relabel(cast(column, INT64), plc.DataType(TypeId.DECIMAL64, -scale))
        return relabel(cast(column, DECIMAL128), plc.DataType(TypeId.DECIMAL128, -scale))
    return relabel(column, _TIMESTAMP) if data_type.name == "timestamp" else column
