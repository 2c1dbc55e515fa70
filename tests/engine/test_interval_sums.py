"""sum and avg of intervals: every phase, their limits, how means are rounded."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from broadhead.errors import WouldRaise
from broadhead.plan import nodes
from broadhead.plan.sort_order import SortOrder
from broadhead.plan.windows import AggregateWindow, Frame, Window
from broadhead.types import BOOLEAN, DAY_TIME_INTERVAL, LONG, YEAR_MONTH_INTERVAL, DataType
from engine.fragments import (
    MemorySources,
    aggregate_call,
    attributes,
    column,
    literal,
    run_rows,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from broadhead.types import IntervalType

BITS = {YEAR_MONTH_INTERVAL: 32, DAY_TIME_INTERVAL: 64}
ARROW = {YEAR_MONTH_INTERVAL: pa.int32(), DAY_TIME_INTERVAL: pa.int64()}
BOTH = pytest.mark.parametrize("type_", BITS, ids=lambda type_: type_.name)


def limits(type_: IntervalType) -> tuple[int, int]:
    top = 1 << BITS[type_] - 1
    return -top, top - 1


def as_integer(value: Any) -> int | None:
    """The microseconds or months of a result."""
    if value is None or isinstance(value, int):
        return value
    return value // value.resolution


def calls(type_: IntervalType, mode: str, *, tries: bool) -> list[nodes.AggregateCall]:
    """Sum and Average of column 1, or of the buffers that these give after the key."""
    updates = mode in {"Partial", "Complete"}
    inputs = [column(1, type_)] if updates else []
    eval_mode = "TRY" if tries else "LEGACY"
    wanted: list[tuple[str, list[DataType]]] = [
        ("Sum", [type_, BOOLEAN] if tries else [type_]),
        ("Average", [type_, LONG]),
    ]
    found, ordinal = [], 1
    for name, kinds in wanted:
        places = range(ordinal, ordinal + len(kinds))
        buffers = [(k, None if updates else p) for k, p in zip(kinds, places, strict=True)]
        found.append(aggregate_call(name, mode, type_, buffers, inputs, eval_mode=eval_mode))
        ordinal += len(kinds)
    return found


def aggregate(
    type_: IntervalType, mode: str, child: nodes.Node, *, tries: bool
) -> nodes.HashAggregate:
    """The aggregates by column 0."""
    own = calls(type_, mode, tries=tries)
    kinds = [b.type for call in own for b in call.buffers] if mode == "Partial" else [type_] * 2
    output = attributes(k=LONG, **{f"c{number}": kind for number, kind in enumerate(kinds)})
    return nodes.HashAggregate(
        id=child.id + 1,
        output=output,
        children=(child,),
        grouping=(column(0, LONG),),
        aggregates=tuple(own),
        results=tuple(column(number, a.type) for number, a in enumerate(output)),
    )


def answers(
    type_: IntervalType, rows: Sequence[tuple[int, int | None]], *, tries: bool = False, size: int
) -> dict[int, tuple[int | None, int | None]]:
    """Sum and mean for each key, by partial sums of each batch."""
    source = nodes.RowSource(id=1, output=attributes(k=LONG, v=type_), children=(), source=0)
    schema = pa.schema({"k": pa.int64(), "v": ARROW[type_]})
    batches = [
        pa.RecordBatch.from_pylist([{"k": k, "v": v} for k, v in rows[at : at + size]], schema)
        for at in range(0, len(rows), size)
    ]
    partial = aggregate(type_, "Partial", source, tries=tries)
    final = aggregate(type_, "Final", partial, tries=tries)
    found = run_rows(final, MemorySources({0: batches}))
    return {key: (as_integer(total), as_integer(mean)) for key, total, mean in found}


def rounded(total: int, count: int) -> int:
    """Halves away from zero."""
    magnitude = int(Fraction(abs(total), count) + Fraction(1, 2))
    return -magnitude if total < 0 else magnitude


@BOTH
@pytest.mark.parametrize("tries", [False, True])
@pytest.mark.parametrize("largest", [3, 1 << 24])
def test_sums_and_means(type_: IntervalType, tries: bool, largest: int) -> None:
    random = Random(5)
    rows = [(i % 40, random.choice([None, random.randint(-largest, largest)])) for i in range(900)]
    rows += [(40, None), (41, 7)]
    found = answers(type_, rows, tries=tries, size=100)
    for key in range(42):
        values = [value for k, value in rows if k == key and value is not None]
        mean = rounded(sum(values), len(values)) if values else None
        assert found[key] == (sum(values) if values else None, mean)


@BOTH
def test_sums_up_to_the_limits(type_: IntervalType) -> None:
    low, high = limits(type_)
    rows = [(0, high - 5), (0, 5), (1, low + 5), (1, -5), (2, low), (2, high), (3, low), (4, high)]
    wanted = {0: high, 1: low, 2: -1, 3: low, 4: high}
    counts = {0: 2, 1: 2, 2: 2, 3: 1, 4: 1}
    found = answers(type_, rows, size=3)
    assert found == {k: (total, rounded(total, counts[k])) for k, total in wanted.items()}


@BOTH
@pytest.mark.parametrize("tries", [False, True])
@pytest.mark.parametrize("size", [1, 100])
def test_sums_beyond_the_limits_are_left_to_spark(
    type_: IntervalType, tries: bool, size: int
) -> None:
    low, high = limits(type_)
    for rows in ([(0, high), (0, 1)], [(0, 2), (1, low), (1, -1)], [(0, high), (0, 1), (0, -1)]):
        with pytest.raises(WouldRaise):
            answers(type_, rows, tries=tries, size=size)


@BOTH
def test_frames_of_a_partition_beyond_memory(type_: IntervalType) -> None:
    random = Random(6)
    rows = [(i, random.choice([None, random.randint(-9, 9)])) for i in range(2_000)]
    frames = [
        Frame("Rows", "unbounded", "current"),
        Frame("Rows", literal(-2, LONG), literal(1, LONG)),
        Frame("Rows", "unbounded", "unbounded"),
    ]
    functions = [
        AggregateWindow(call, frame)
        for frame in frames
        for call in calls(type_, "Complete", tries=False)
    ]
    output = attributes(k=LONG, v=type_)
    node = Window(
        id=2,
        output=(*output, *attributes(**{f"f{n}": type_ for n in range(len(functions))})),
        children=(nodes.RowSource(id=1, output=output, children=(), source=0),),
        partition=(),
        order=(SortOrder(column(0, LONG), ascending=True, nulls_first=True),),
        functions=tuple(functions),
    )
    schema = pa.schema({"k": pa.int64(), "v": ARROW[type_]})
    batch = pa.RecordBatch.from_pylist([{"k": k, "v": v} for k, v in rows], schema)
    small = nodes.Settings(operator_memory=4_000, batch_rows=100)
    found = run_rows(node, MemorySources({0: [batch]}), small)
    for number, row in enumerate(found):
        parts = [rows[: number + 1], rows[max(number - 2, 0) : number + 2], rows]
        wanted: list[int | None] = []
        for part in parts:
            values = [value for _, value in part if value is not None]
            wanted += [sum(values), rounded(sum(values), len(values))] if values else [None, None]
        assert [as_integer(value) for value in row[2:]] == wanted
