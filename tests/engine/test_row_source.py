"""Rows of the JVM: its small batches are concatenated, but for the first ones."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import pyarrow as pa
import pytest

from broadhead.engine.compiled_fragment import compile_fragment
from broadhead.engine.run import run
from broadhead.operators.context import Run
from broadhead.plan import nodes
from broadhead.types import LONG, STRING
from engine.fragments import MemorySources, attributes, kernels_under_test

SMALL = 10


def small_batches(count: int) -> Iterator[pa.RecordBatch]:
    for start in range(0, count * SMALL, SMALL):
        numbers = range(start, start + SMALL)
        yield pa.record_batch({"k": pa.array(numbers, pa.int64()), "t": [f"t{n}" for n in numbers]})


def lengths(given: list[pa.RecordBatch], batch_rows: int) -> list[int]:
    root = nodes.RowSource(id=1, output=attributes(k=LONG, t=STRING), children=(), source=0)
    fragment = compile_fragment(nodes.Fragment(root, nodes.Settings(batch_rows=batch_rows), {}))
    kernels = kernels_under_test()
    found = list(run(fragment, MemorySources({0: given}), kernels, Run()))
    keys = [k for b in found for k in kernels.columns.to_arrow(b.columns[0].data, LONG).to_pylist()]
    assert keys == [k for batch in given for k in batch.column(0).to_pylist()]
    return [batch.length for batch in found]


def test_all_but_the_first_rows_are_concatenated() -> None:
    found = lengths(list(small_batches(3000)), 4000)
    first = [SMALL] * -(-8192 // SMALL)
    rest = 3000 * SMALL - sum(first)
    assert found[: len(first)] == first
    assert found[len(first) :] == [2000] * (rest // 2000) + [rest % 2000]


@pytest.mark.parametrize("batch_rows", [1, 7, SMALL])
def test_small_batches_that_are_wanted_stay_small(batch_rows: int) -> None:
    found = lengths(list(small_batches(5)), batch_rows)
    assert max(found) <= batch_rows


def test_batches_without_rows_and_large_ones() -> None:
    (large,) = list(islice(small_batches(1), 1))
    empty = large.slice(0, 0)
    assert sum(lengths([empty, large, empty, large, empty], 100)) == 2 * SMALL
    assert sum(lengths([empty, empty], 100)) == 0
