"""Limits that stop their input, and unions that run one child."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pytest

from broadhead.operators.context import Run
from broadhead.plan import nodes
from broadhead.types import LONG
from engine.fragments import MemorySources, attributes, column, run_rows

BATCHES = [pa.record_batch({"x": pa.array(range(n * 10, n * 10 + 10))}) for n in range(5)]


def source(number: int = 0) -> nodes.RowSource:
    return nodes.RowSource(id=number + 1, output=attributes(x=LONG), children=(), source=number)


def limited(child: nodes.Node, limit: int | None, offset: int) -> nodes.Limit:
    return nodes.Limit(id=0, output=child.output, children=(child,), limit=limit, offset=offset)


@pytest.mark.parametrize("offset", [0, 3, 10, 25, 50, 100])
@pytest.mark.parametrize("limit", [0, 1, 10, 17, 50, 100, None])
def test_gives_the_rows_from_the_offset_on(limit: int | None, offset: int) -> None:
    rows = run_rows(limited(source(), limit, offset), MemorySources({0: BATCHES}))
    end = None if limit is None else offset + limit
    assert rows == [(x,) for x in range(50)][offset:end]


@pytest.mark.parametrize(("limit", "read"), [(0, 0), (1, 1), (10, 1), (11, 2), (50, 5)])
def test_reads_no_further_than_needed(limit: int, read: int) -> None:
    pulled = 0

    class Counted(MemorySources):
        def batches(self, source: int) -> Iterator[pa.RecordBatch]:
            nonlocal pulled
            for batch in BATCHES:
                pulled += 1
                yield batch

    assert len(run_rows(limited(source(), limit, 0), Counted())) == limit
    assert pulled == read


def test_a_union_runs_the_child_of_the_task() -> None:
    root = nodes.Union(id=0, output=attributes(x=LONG), children=(source(0), source(1)))
    tables = {0: BATCHES[:1], 1: BATCHES[1:2]}
    for branch in (0, 1):
        context = Run()
        rows = run_rows(root, MemorySources(tables, branches={0: branch}), context=context)
        assert rows == [(x,) for x in range(branch * 10, branch * 10 + 10)]
        nodes_with_metrics = {key.split(".")[0] for key in context.metrics.values}
        assert nodes_with_metrics == {"0", str(1 + branch)}


def test_children_of_a_union_are_pruned_alike() -> None:
    wide = nodes.RowSource(id=1, output=attributes(y=LONG, x=LONG), children=(), source=0)
    swapped = nodes.Project(
        id=2,
        output=attributes(x=LONG, y=LONG),
        children=(wide,),
        expressions=(column(1, LONG), column(0, LONG)),
    )
    other = nodes.RowSource(id=3, output=attributes(x=LONG, y=LONG), children=(), source=1)
    union = nodes.Union(id=4, output=attributes(x=LONG, y=LONG), children=(swapped, other))
    root = nodes.Project(
        id=0, output=attributes(y=LONG), children=(union,), expressions=(column(1, LONG),)
    )
    tables = {
        0: [pa.record_batch({"y": pa.array([1]), "x": pa.array([2])})],
        1: [pa.record_batch({"x": pa.array([3]), "y": pa.array([4])})],
    }
    assert run_rows(root, MemorySources(tables, branches={4: 0})) == [(1,)]
    assert run_rows(root, MemorySources(tables, branches={4: 1})) == [(4,)]
