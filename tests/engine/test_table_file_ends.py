"""Where the files of a task end, and what the JVM gets of each."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pyarrow as pa
import pytest

from broadhead.engine.compiled_fragment import compile_fragment
from broadhead.engine.run import run
from broadhead.files.encoded_bytes import CHUNK_BYTES, EncodedBytes
from broadhead.operators.context import Run
from broadhead.operators.exchange.text_extremes import TextExtreme, text_extremes
from broadhead.plan.file_write import FileWrite
from broadhead.plan.nodes import Attribute, Fragment, RowSource, Settings
from broadhead.types import DOUBLE, LONG, STRING
from broadhead.worker.file_rows import HostRows
from broadhead.worker.frames import Frame
from broadhead.worker.table_files import (
    BEGIN,
    DATA,
    END,
    STATISTICS,
    host_writers,
    sent_after_permit,
    write_table_files,
)
from engine.fragments import MemorySources, aggregate_call, column, kernels_under_test

COLUMNS = (Attribute("k", LONG, nullable=True), Attribute("x", DOUBLE, nullable=True))
WRITE = FileWrite(
    id=1,
    output=COLUMNS,
    children=(RowSource(id=0, output=COLUMNS, children=(), source=0),),
    format="parquet",
    options={},
    data_columns=(1,),
    partition_columns=(0,),
    first_columns=(1,),
    nan_columns=(1,),
    max_records=0,
    target_bytes=0,
    statistics=(),
)


class Encoder:
    """Gives ten bytes for each row at once."""

    def write(self, batch: pa.RecordBatch) -> Iterator[bytes]:
        yield b"0123456789" * batch.num_rows

    def close(self) -> Iterator[bytes]:
        yield b"end"


def frames(node: FileWrite, *batches: pa.RecordBatch) -> list[tuple[int, bytes]]:
    context = Run()
    written = write_table_files(node, iter(map(HostRows, batches)), Encoder, context)
    return [(frame.source, frame.body) for frame in written]


def batch(keys: list[int], values: list[float | None]) -> pa.RecordBatch:
    columns = [pa.array(keys, pa.int64()), pa.array(values, pa.float64())]
    return pa.RecordBatch.from_arrays(columns, ["k", "x"])


def row_of(message: bytes) -> list[object]:
    schema = pa.schema([("x", pa.float64())])
    return pa.ipc.read_record_batch(pa.py_buffer(message), schema).column(0).to_pylist()


def test_a_file_for_each_partition() -> None:
    """The first row of each, and its NaN, also if a partition continues in the next batch."""
    nan = float("nan")
    found = frames(WRITE, batch([1, 1, 2], [5.0, nan, 7.0]), batch([2, 2], [nan, nan]))
    kinds = [kind for kind, _ in found]
    one = [BEGIN, DATA, DATA, STATISTICS, END]
    assert kinds == [*one, BEGIN, DATA, DATA, DATA, STATISTICS, END]
    assert [row_of(body) for kind, body in found if kind == BEGIN] == [[5.0], [7.0]]
    counts = pa.schema([pa.field("count0", pa.int64(), nullable=False)])
    nans = [
        pa.ipc.read_record_batch(pa.py_buffer(body), counts).column(0).to_pylist()
        for kind, body in found
        if kind == STATISTICS
    ]
    assert nans == [[1], [2]]
    assert [struct.unpack(">q", body)[0] for kind, body in found if kind == END] == [2, 3]


@pytest.mark.parametrize(("target", "files"), [(0, 1), (25_000, 4), (10**9, 1)])
def test_a_file_ends_at_its_target(target: int, files: int) -> None:
    """It is looked at after a thousand rows at the earliest."""
    node = replace(WRITE, target_bytes=target, partition_columns=())
    rows = 12_000
    found = frames(node, batch([1] * rows, [1.0] * rows))
    assert sum(kind == END for kind, _ in found) == files
    assert sum(struct.unpack(">q", body)[0] for kind, body in found if kind == END) == rows


@pytest.mark.parametrize(("most", "during"), [(0, 4), (2, 3), (4, 2), (100, 0)])
def test_the_end_of_a_file_is_sent_without_the_permit(most: int, during: int) -> None:
    taken: list[bool] = []

    @contextmanager
    def permit() -> Iterator[None]:
        taken.append(True)
        yield
        taken.clear()

    bodies = [b"12345678", b"12", b"34", b"5"]
    sent: list[bytes] = []
    sent_with_permit = 0
    for frame in sent_after_permit((Frame("W", body) for body in bodies), permit(), most):
        sent.append(frame.body)
        sent_with_permit += bool(taken)
    assert sent == bodies
    assert sent_with_permit == during


def test_encoded_bytes_are_chunks_of_bounded_size() -> None:
    written = EncodedBytes()
    pieces = [b"a" * 10, b"b" * CHUNK_BYTES, b"c" * (2 * CHUNK_BYTES + 1), b"", b"d" * 20, b"e"]
    for piece in pieces:
        written.write(piece)
    chunks = list(written.take())
    assert b"".join(chunks) == b"".join(pieces)
    assert [len(chunk) for chunk in chunks] == [10, CHUNK_BYTES, CHUNK_BYTES, CHUNK_BYTES, 1, 21]
    assert list(written.take()) == []
    assert written.tell() == sum(map(len, pieces))


@pytest.mark.parametrize("texts", [["b", None, "a", ""], [None, None, None, None]])
def test_statistics_of_texts_are_those_of_the_footer(texts: list[str | None]) -> None:
    output = (Attribute("t", STRING, nullable=True), Attribute("n", LONG, nullable=True))
    calls = [
        aggregate_call("Min", "Partial", STRING, [(STRING, None)], [column(0, STRING)]),
        aggregate_call("Count", "Partial", LONG, [(LONG, None)], [column(0, STRING)]),
        aggregate_call("Max", "Partial", STRING, [(STRING, None)], [column(0, STRING)]),
        aggregate_call("Max", "Partial", LONG, [(LONG, None)], [column(1, LONG)]),
    ]
    options = {"compression": "snappy", "dictionary": True, "int96": False, "fieldIds": []}
    rows = RowSource(id=0, output=output, children=(), source=0)
    node = replace(
        WRITE,
        output=output,
        children=(rows,),
        options=options | {"metadata": {}},
        data_columns=(0, 1),
        partition_columns=(),
        nan_columns=(),
        statistics=tuple(calls),
    )
    assert text_extremes(node) == {0: TextExtreme(0, "least"), 2: TextExtreme(0, "greatest")}
    assert not text_extremes(replace(node, partition_columns=(1,)))
    batches = [
        pa.record_batch([pa.array(part, pa.string()), pa.array([n] * 2)], ["t", "n"])
        for n, part in enumerate((texts[:2], texts[2:]))
    ]
    kernels, context = kernels_under_test(), Run()
    schema = batches[0].schema
    made = run(
        compile_fragment(Fragment(node, Settings(), {})),
        MemorySources({0: batches}),
        kernels,
        context,
    )
    host = (
        pa.RecordBatch.from_arrays(
            [kernels.columns.to_arrow(c.data, c.type) for c in b.columns], schema=schema
        )
        for b in made
    )
    frames_ = write_table_files(node, map(HostRows, host), host_writers(node), context)
    (message,) = [frame.body for frame in frames_ if frame.source == STATISTICS]
    kinds = [("least", pa.string()), ("count", pa.int64()), ("most", pa.string())]
    found = pa.ipc.read_record_batch(
        pa.py_buffer(message), pa.schema([*kinds, ("number", pa.int64())])
    )
    known = [text for text in texts if text is not None]
    expected = [min(known, default=None), len(known), max(known, default=None), 1]
    assert [values.to_pylist()[0] for values in found.columns] == expected
