"""Arrow batches that the JVM has written."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


def read_batch(message: bytes | bytearray | memoryview, schema: pa.Schema) -> pa.RecordBatch:
    """The rows of a message.

    Arrow's Java library writes no offsets for arrays without values, and its C++ library reads the
    first offset of such an array when it measures the columns around it. So they get new buffers.
    """
    batch = pa.ipc.read_record_batch(pa.ipc.read_message(pa.py_buffer(message)), schema)
    if batch.num_rows and not any(pa.types.is_nested(field.type) for field in schema):
        return batch
    arrays = [_with_offsets(column) for column in batch.columns]
    return pa.RecordBatch.from_arrays(arrays, schema=schema) if arrays else batch


def _with_offsets(array: Any) -> Any:
    kind = array.type
    if len(array) == 0:
        return pa.array([], kind)
    if pa.types.is_struct(kind):
        fields = [array.field(number) for number in range(kind.num_fields)]
        return _over(array, 1, fields)
    if pa.types.is_map(kind):
        entries = pa.StructArray.from_arrays(
            [_with_offsets(array.keys), _with_offsets(array.items)],
            fields=[kind.key_field, kind.item_field],
        )
        return _over(array, 2, [entries])
    if pa.types.is_list(kind):
        return _over(array, 2, [array.values])
    return array


def _over(array: Any, own: int, children: list[Any]) -> Any:
    """The array with its first buffers over other children."""
    return pa.Array.from_buffers(
        array.type,
        len(array),
        array.buffers()[:own],
        array.null_count,
        children=[_with_offsets(child) for child in children],
    )
