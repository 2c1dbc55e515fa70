"""count_min_sketch: counters of hashes, with Spark's hashes and bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.aggregates.collect import OFFSETS
from broadhead.aggregates.host_rows import (
    binaries_of,
    bytes_of,
    check_size,
    on_host,
    starts_on_host,
)
from broadhead.aggregates.registry import Rounds, aggregate
from broadhead.aggregates.whole_groups import members
from broadhead.errors import EngineLimit
from broadhead.functions.registry import INTEGRAL
from broadhead.registry import Signature
from broadhead.types import INTEGER, LONG

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from broadhead.aggregates.host_rows import Bytes, Longs
    from broadhead.columns import Column
    from broadhead.kernels.interface import Grouping, Kernels
    from broadhead.plan.nodes import AggregateCall

DOUBLE = frozenset({"double"})
TEXT = frozenset({"string", "binary"})
PRIME = (1 << 31) - 1
VERSION = 1
WORD = 8


@dataclass(frozen=True, slots=True)
class Shape:
    """The size of a sketch's table, and the factor of each row's hash."""

    depth: int
    width: int
    factors: tuple[int, ...]

    @staticmethod
    def of(call: AggregateCall) -> Shape:
        """The shape by the arguments, all of them literals."""
        error, confidence, seed = call.constants[1:]
        depth = math.ceil(-math.log(1 - confidence) / math.log(2))
        return Shape(depth, math.ceil(2 / error), tuple(_factors(seed, depth)))

    @property
    def head(self) -> bytes:
        """What follows the count of values: depth, width and factors."""
        sizes = np.array([self.depth, self.width], ">i4").tobytes()
        return sizes + np.array(self.factors, ">i8").tobytes()

    @property
    def first_counter(self) -> int:
        """Where the table begins in the bytes of a sketch."""
        return 12 + len(self.head)

    @property
    def length(self) -> int:
        """Bytes of a sketch."""
        return self.first_counter + WORD * self.depth * self.width


def _factors(seed: int, count: int) -> Iterator[int]:
    """The first numbers below 2^31 - 1 of Java's generator."""
    state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)
    while count:
        state = (state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
        number = state >> 17
        if number < PRIME:
            count -= 1
            yield number


@aggregate(
    "count_min_sketch",
    spark="CountMinSketchAgg",
    signatures=[
        Signature(
            (kinds, DOUBLE, DOUBLE, frozenset({"integer"})),
            frozenset({"binary"}),
            literal=(1, 2, 3),
        )
        for kinds in (INTEGRAL, TEXT)
    ],
    fields=OFFSETS,
    frames=False,
)
class CountMinSketch:
    """Counters of the values' hashes, as the bytes that Spark's CountMinSketch reads.

    SELECT count_min_sketch(name, 0.01D, 0.95D, 42)
    """

    @staticmethod
    def update(
        k: Kernels, grouping: Grouping, call: AggregateCall, inputs: Sequence[Column]
    ) -> Rounds:
        """The counters of rows."""
        yield from ()
        shape = Shape.of(call)
        check_size(grouping.size, shape.length, call.name)
        groups, hashes = _hashes(k, grouping, inputs[0], shape)
        tables = np.zeros((grouping.size, shape.depth, shape.width), np.int64)
        for row, columns in enumerate(hashes):
            np.add.at(tables[:, row], (groups, columns), 1)
        return [binaries_of(k, _sketches(shape, tables))]

    @staticmethod
    def merge(
        k: Kernels, grouping: Grouping, call: AggregateCall, buffers: Sequence[Column]
    ) -> Rounds:
        """The sums of the counters."""
        yield from ()
        shape = Shape.of(call)
        check_size(grouping.size, shape.length, call.name)
        found = members(k, grouping, buffers[0].data)
        content, offsets = bytes_of(k, found.values)
        if (np.diff(offsets) != shape.length).any():
            raise EngineLimit("sketches of different sizes")
        counters = np.zeros((grouping.size, shape.depth * shape.width), np.int64)
        groups, starts = starts_on_host(k, found)
        if len(groups):
            rows = content.reshape(-1, shape.length)[:, shape.first_counter :]
            counters[groups] = np.add.reduceat(rows.copy().view(">i8").astype(np.int64), starts)
        tables = counters.reshape(-1, shape.depth, shape.width)
        return [binaries_of(k, _sketches(shape, tables))]

    @staticmethod
    def finish(k: Kernels, call: AggregateCall, buffers: Sequence[Column]) -> Column:
        """The bytes of the sketch."""
        return buffers[0]


def _sketches(shape: Shape, tables: Longs) -> Bytes:
    """The bytes of sketches with these counters; each value is counted once in each row."""
    result = np.empty((len(tables), shape.length), np.uint8)
    result[:, :4] = np.frombuffer(VERSION.to_bytes(4, "big"), np.uint8)
    counts = tables[:, 0].sum(axis=1).astype(">i8")
    result[:, 4:12] = counts.view(np.uint8).reshape(-1, WORD)
    result[:, 12 : shape.first_counter] = np.frombuffer(shape.head, np.uint8)
    counters = tables.astype(">i8").reshape(len(tables), -1)
    result[:, shape.first_counter :] = counters.view(np.uint8)
    return result


def _hashes(
    k: Kernels, grouping: Grouping, values: Column, shape: Shape
) -> tuple[Longs, Iterator[Longs]]:
    """The group of each value that is not null, and its counters in each row of the table."""
    if values.type.name in TEXT:
        return _hashes_of_texts(k, grouping, values, shape)
    found = members(k, grouping, k.cast.widen(values.data, LONG))
    numbers = on_host(k, found.values, LONG)
    hashes = (_hash(numbers, factor, shape.width) for factor in shape.factors)
    return on_host(k, found.numbers(k), LONG), hashes


def _hash(numbers: Longs, factor: int, width: int) -> Longs:
    multiplied = numbers * factor
    return ((multiplied + (multiplied >> 32)) & PRIME) % width


def _hashes_of_texts(
    k: Kernels, grouping: Grouping, values: Column, shape: Shape
) -> tuple[Longs, Iterator[Longs]]:
    """The same of texts, by two hashes of their bytes."""
    rows = k.columns.length(values.data)
    none = k.logic.is_null(values.data)
    # the hash of a column is the seed of the next one
    first, second = (
        members(k, grouping, k.logic.null_where(hashes, none))
        for count in (1, 2)
        for hashes in [k.hash.murmur3([values.data] * count, [values.type] * count, rows, 0)]
    )
    start, step = on_host(k, first.values, INTEGER), on_host(k, second.values, INTEGER)
    groups = on_host(k, first.numbers(k), LONG)
    return groups, (_columns(start, step, row, shape.width) for row in range(shape.depth))


def _columns(start: Any, step: Any, row: int, width: int) -> Longs:
    """Java's remainder, which has the sign of the number, without it."""
    columns: Longs = np.abs(np.fmod(start + step * np.int32(row), np.int32(width))).astype(np.int64)
    return columns
