"""Batches of long texts have fewer rows, so that a task's memory holds several of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from broadhead.columns import Batch
from broadhead.engine.compiled_fragment import compile_fragment
from broadhead.engine.run import run
from broadhead.operators.context import BATCHES_OF_PART, MOST_BATCH_BYTES, Run
from broadhead.operators.rows.coalesce_batches import coalesce_batches
from broadhead.operators.task_memory import TaskMemory
from broadhead.plan import nodes
from broadhead.plan.joins import HashJoin
from broadhead.shuffle.block import Rows, encode
from broadhead.shuffle.reader import Segment, read_rows
from broadhead.types import LONG, STRING
from engine.fragments import MemorySources, attributes, column, kernels_under_test

if TYPE_CHECKING:
    from collections.abc import Sequence

PART = 8 << 20
MOST = PART // BATCHES_OF_PART
LONG_TEXT = 10_000
ROWS = 1000
"""With long texts ten times the most of a batch, and no more than a thousandth of it without."""


def texts(count: int = ROWS) -> pa.RecordBatch:
    values = [f"{n:0{LONG_TEXT}}" for n in range(count)]
    return pa.record_batch({"k": pa.array(range(count), pa.int64()), "t": pa.array(values)})


def source(number: int = 0) -> nodes.RowSource:
    output = attributes(k=LONG, t=STRING)
    return nodes.RowSource(id=number + 1, output=output, children=(), source=number)


def batches(root: nodes.Node, sources: MemorySources, limit: int | None = PART) -> list[Batch]:
    """The batches of a fragment whose task may have so many bytes."""
    fragment = compile_fragment(nodes.Fragment(root, nodes.Settings(), {}))
    context = Run(memory=TaskMemory(limit))
    return list(run(fragment, sources, kernels_under_test(), context))


def lengths(found: Sequence[Batch]) -> list[int]:
    return [batch.length for batch in found]


def is_divided(found: Sequence[Batch], most: int = MOST) -> bool:
    """Whether no batch has more, and all but the last at least a quarter of it."""
    kernels = kernels_under_test()
    sizes = [sum(kernels.columns.nbytes(c.data) for c in batch.columns) for batch in found]
    return max(sizes) <= most * 1.1 and min(sizes[:-1]) > most / 4


pytestmark = pytest.mark.skipif(
    kernels_under_test().device.name == "gpu", reason="a device has batches of its own size"
)


def test_rows_of_the_jvm() -> None:
    found = batches(source(), MemorySources({0: [texts()]}))
    assert sum(lengths(found)) == ROWS
    assert is_divided(found)


def test_short_rows_are_not_divided() -> None:
    numbers = texts().drop_columns(["t"])
    root = nodes.RowSource(id=1, output=attributes(k=LONG), children=(), source=0)
    assert lengths(batches(root, MemorySources({0: [numbers]}))) == [ROWS]


def test_without_a_limit_batches_are_as_large_as_usual() -> None:
    assert lengths(batches(source(), MemorySources({0: [texts()]}), None)) == [ROWS]
    many = texts(2 * MOST_BATCH_BYTES // LONG_TEXT)
    found = batches(source(), MemorySources({0: [many]}), None)
    assert is_divided(found, MOST_BATCH_BYTES)


def test_one_row_that_is_larger_is_a_batch() -> None:
    huge = pa.record_batch({"k": pa.array([1, 2]), "t": pa.array(["x" * 2 * MOST, "y"])})
    assert lengths(batches(source(), MemorySources({0: [huge]}))) == [1, 1]


def test_rows_of_a_join_are_as_wide_as_both_sides() -> None:
    join = HashJoin(
        id=0,
        output=attributes(k=LONG, t=STRING, l=LONG, u=STRING),
        children=(source(0), source(1)),
        join_type="inner",
        build_side="right",
        condition=None,
        left_keys=(column(0, LONG),),
        right_keys=(column(0, LONG),),
        null_aware=False,
    )
    found = batches(join, MemorySources({0: [texts()], 1: [texts()]}))
    assert sum(lengths(found)) == ROWS
    assert is_divided(found)


def test_small_batches_are_put_together_up_to_the_size() -> None:
    parts = [texts().slice(start, 10) for start in range(0, ROWS, 10)]
    limit = nodes.Limit(id=2, output=source().output, children=(source(),), limit=ROWS, offset=0)
    found = batches(limit, MemorySources({0: parts}))
    assert lengths(found) == [10] * 100
    kernels = kernels_under_test()
    task = Run(memory=TaskMemory(PART))
    task.kernels, task.settings = kernels, nodes.Settings()
    together = list(coalesce_batches(iter(found), task))
    assert sum(lengths(together)) == ROWS
    assert is_divided(together, MOST + 10 * LONG_TEXT)


def test_blocks_of_a_shuffle_are_put_together_up_to_the_size() -> None:
    rows = texts(50)
    block = b"".join(bytes(piece) for piece in encode([Rows(tuple(rows.columns), 50)]))
    data = pa.py_buffer(block * 20)
    segment = Segment(None, 0, data.size, data)
    found = list(read_rows([segment], [LONG, STRING], [0, 1], 1 << 20, MOST))
    assert [part.length for part in found] == [100] * 10
    (whole,) = read_rows([segment], [LONG, STRING], [0, 1], 1 << 20)
    assert whole.length == 1000
