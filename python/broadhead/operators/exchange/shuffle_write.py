"""ShuffleWrite: rows sorted by partition and written to the task's shuffle file."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import TYPE_CHECKING, Any

from broadhead.columns import Batch
from broadhead.operators.context import Run
from broadhead.operators.rows.host_rows import rows_of
from broadhead.plan import exchanges
from broadhead.types import INTEGER, LONG

if TYPE_CHECKING:
    from collections.abc import Iterator


SEED = 42
"""The seed of Spark's hash partitioning."""

_SPREAD = 0x9E3779B1
"""Consecutive tasks start a round robin at partitions far from each other."""


def shuffle_write(
    node: exchanges.ShuffleWrite, child: Iterator[Batch], run: Run
) -> Iterator[Batch]:
    """No batches: the rows go to the run's shuffle writer."""
    writer, kept = run.shuffle_writer, run.kept_output
    if writer is None and kept is None:
        raise ValueError("a fragment that ends in ShuffleWrite needs a shuffle file in its header")
    kernels = run.kernels
    partitions = node.partitioning.partitions
    keep = node.keep if node.keep is not None else tuple(range(len(node.output)))
    types = [node.child.output[ordinal].type for ordinal in keep]
    partitioner = _partitioner(node.partitioning, run)
    for batch in child:
        data = [batch.columns[ordinal].data for ordinal in keep]
        ids = partitioner(batch)
        data, offsets = kernels.hash.partition(data, ids, partitions)
        if kept is not None:
            kept.add(data, offsets)
            continue
        assert writer is not None
        spilled = writer.add(rows_of(data, types, batch.length, run), offsets)
        if spilled:
            run.metrics.add(node.id, "spilledBytes", spilled)
    yield from ()


@singledispatch
def _partitioner(partitioning: object, run: Run) -> Callable[[Batch], Any]:
    """The partition number of each row of a batch, int32."""
    raise TypeError(f"no partitioner for {type(partitioning).__name__}")


@_partitioner.register
def _(partitioning: exchanges.HashPartitioning, run: Run) -> Callable[[Batch], Any]:
    program = run.compile(partitioning.expressions)
    types = [expression.type for expression in partitioning.expressions]
    kernel = run.kernels.hash

    def ids(batch: Batch) -> Any:
        values = [column.data for column in program.evaluate(batch)]
        return kernel.modulo(kernel.murmur3(values, types, batch.length, SEED), partitions)

    partitions = partitioning.partitions
    return ids


@_partitioner.register
def _(partitioning: exchanges.RangePartitioning, run: Run) -> Callable[[Batch], Any]:
    program = run.compile([order.expression for order in partitioning.order])
    orders = [(order.ascending, order.nulls_first) for order in partitioning.order]
    bounds = _bounds(partitioning, run) if partitioning.bounds else []

    def ids(batch: Batch) -> Any:
        keys = [column.data for column in program.evaluate(batch)]
        return run.kernels.hash.search_sorted(bounds, keys, orders)

    return ids if partitioning.bounds else _same_partition(run)


def _bounds(partitioning: exchanges.RangePartitioning, run: Run) -> list[Any]:
    """One Array of bounds for each key."""
    row = Batch((), 1)
    bounds = [run.compile(bound).evaluate(row) for bound in partitioning.bounds]
    return run.kernels.columns.concat([[column.data for column in bound] for bound in bounds])


@_partitioner.register
def _(partitioning: exchanges.RoundRobinPartitioning, run: Run) -> Callable[[Batch], Any]:
    kernels = run.kernels
    count = kernels.columns.scalar(partitioning.partitions, LONG)
    next_ = (run.partition * _SPREAD >> 16) % partitioning.partitions

    def ids(batch: Batch) -> Any:
        nonlocal next_
        first = kernels.columns.scalar(next_, LONG)
        next_ = (next_ + batch.length) % partitioning.partitions
        numbers = kernels.arithmetic.add(kernels.columns.sequence(batch.length), first)
        return kernels.cast.narrow_integer(kernels.arithmetic.remainder(numbers, count), INTEGER)

    return ids


@_partitioner.register
def _(partitioning: exchanges.SinglePartition, run: Run) -> Callable[[Batch], Any]:
    return _same_partition(run)


def _same_partition(run: Run) -> Callable[[Batch], Any]:
    columns = run.kernels.columns
    return lambda batch: columns.full(columns.scalar(0, INTEGER), batch.length)
