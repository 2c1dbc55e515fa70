"""Batches of the JVM: arrays without values have no offsets there."""

from __future__ import annotations

import pyarrow as pa

from broadhead.worker.jvm_batches import read_batch

TEXTS = pa.StringArray.from_buffers(0, pa.py_buffer(b""), pa.py_buffer(b""))
"""Without the offset that such an array has in other libraries."""

NO_ROWS = pa.py_buffer(bytes([0] * 12))
NULLS = pa.py_buffer(b"\0")


def nulls(kind: pa.DataType, *children: pa.Array) -> pa.Array:
    """Two nulls of a nested type over these children."""
    buffers = [NULLS] if pa.types.is_struct(kind) else [NULLS, NO_ROWS]
    return pa.Array.from_buffers(kind, 2, buffers, children=children)


def test_nested_columns_without_values() -> None:
    texts = pa.list_(pa.string())
    pairs = pa.map_(pa.string(), pa.string())
    entries = pa.StructArray.from_arrays([TEXTS, TEXTS], fields=[pairs.key_field, pairs.item_field])
    inner = nulls(texts, TEXTS)
    batch = pa.RecordBatch.from_arrays(
        [
            inner,
            nulls(pairs, entries),
            nulls(pa.struct([("a", texts), ("b", pa.int32())]), inner, pa.nulls(2, pa.int32())),
            pa.array([["x", None], []], texts),
            pa.array([[("k", "v")], None], pairs),
        ],
        names=list("abcde"),
    )
    read = read_batch(batch.serialize().to_pybytes(), batch.schema)
    read.validate(full=True)
    assert read.schema == batch.schema
    assert read.to_pylist() == batch.to_pylist()
    assert read.nbytes > 0
    for texts_of in (read.column(0).values, read.column(1).keys):
        assert len(texts_of) == 0
        assert texts_of.buffers()[1].size >= 4


def test_columns_without_rows() -> None:
    batch = pa.RecordBatch.from_arrays([TEXTS], names=["s"])
    read = read_batch(batch.serialize().to_pybytes(), batch.schema)
    assert read.num_rows == 0
    assert read.nbytes == 0
