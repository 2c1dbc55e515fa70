"""ORC files as Spark writes them, encoded from Arrow batches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import orc

from broadhead.errors import EngineLimit
from broadhead.files.encoded_bytes import EncodedBytes, chunks
from broadhead.files.orc_footer import with_spark_types

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BLOCK_BYTES = 256 << 10
_DICTIONARY_THRESHOLD = 0.8
"""Both as in ORC's Java library."""

_FIRST_GREGORIAN_DAY = -141_427
"""1582-10-15: ORC files have earlier dates and timestamps in the Julian calendar."""

_MICROS_OF_SECOND = 1_000_000
_MICROS_OF_DAY = 86_400 * _MICROS_OF_SECOND


class OrcWriter:
    """One file.

    `options`: `compression` (pyarrow's name), `metadata`, the keys and values of the footer, and
    `catalystTypes`, Spark's names of types by the numbers of the file's types.
    """

    def __init__(self, schema: pa.Schema, options: Mapping[str, Any]) -> None:
        self._schema = pa.schema([pa.field(f.name, _stored(f.type)) for f in schema])
        self._metadata = options["metadata"]
        self._catalyst_types = {int(key): name for key, name in options["catalystTypes"].items()}
        self._sink = EncodedBytes()
        self._writer = orc.ORCWriter(
            pa.PythonFile(self._sink, "w"),
            compression=options["compression"],
            compression_block_size=_BLOCK_BYTES,
            dictionary_key_size_threshold=_DICTIONARY_THRESHOLD,
        )

    def write(self, batch: pa.RecordBatch) -> Iterator[bytes | memoryview]:
        """Add rows; yields encoded bytes of the file that are complete."""
        for column in batch.columns:
            _check_values(column)
        table = pa.Table.from_batches([batch.rename_columns(self._schema.names)])
        self._writer.write(table.cast(self._schema))
        yield from self._sink.take()

    def close(self) -> Iterator[bytes | memoryview]:
        """The rest of the file."""
        self._writer.close()
        rest = b"".join(self._sink.take())
        yield from chunks([with_spark_types(rest, self._metadata, self._catalyst_types)])


def _stored(kind: pa.DataType) -> pa.DataType:
    """The type of the values in a file, where ORC has no such type or Arrow another one.

    Timestamps have digits in UTC, and those without a time zone are numbers of microseconds.
    """
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us") if kind.tz else pa.int64()
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_stored(field.type)) for field in kind])
    if pa.types.is_map(kind):
        key, item = kind.key_field, kind.item_field
        return pa.map_(key.with_type(_stored(key.type)), item.with_type(_stored(item.type)))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_stored(kind.value_type)))
    return kind


def _check_values(column: pa.Array) -> None:
    """Raises `EngineLimit` for dates and timestamps that pyarrow does not write as Spark does."""
    kind = column.type
    if pa.types.is_struct(kind):
        for part in column.flatten():
            _check_values(part)
    elif pa.types.is_map(kind):
        _check_values(column.keys)
        _check_values(column.items)
    elif pa.types.is_list(kind):
        _check_values(column.flatten())
    elif pa.types.is_date32(kind):
        _check_calendar(column.view(pa.int32()), _FIRST_GREGORIAN_DAY)
    elif pa.types.is_timestamp(kind) and kind.tz:
        micros = column.view(pa.int64())
        if (_least(micros) or 0) < 0:
            _check_calendar(micros, _FIRST_GREGORIAN_DAY * _MICROS_OF_DAY)
            _check_seconds(micros)


def _least(numbers: pa.Array) -> int | None:
    least: int | None = pc.min(numbers).as_py()
    return least


def _check_calendar(numbers: pa.Array, first: int) -> None:
    least = _least(numbers)
    if least is not None and least < first:
        raise EngineLimit("dates of the Julian calendar in an ORC file")


def _check_seconds(micros: pa.Array) -> None:
    """Arrow gives ORC's library a negative number of nanoseconds for fractions before 1970."""
    before = micros.filter(pc.less(micros, 0))
    seconds = pc.multiply(pc.divide(before, _MICROS_OF_SECOND), _MICROS_OF_SECOND)
    if not before.equals(seconds):
        raise EngineLimit("fractions of seconds before 1970 in an ORC file")
