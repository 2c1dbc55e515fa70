"""Window and WindowGroupLimit: batches, memory, and what SQL texts do not reach."""

from __future__ import annotations

import math
import os
import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from broadhead.operators.context import Run
from broadhead.plan import nodes
from broadhead.plan.sort_order import SortOrder
from broadhead.plan.windows import (
    AggregateWindow,
    Bound,
    Frame,
    Window,
    WindowCall,
    WindowFunction,
    WindowGroupLimit,
)
from broadhead.types import DOUBLE, INTEGER, LONG, STRING, DataType
from engine.fragments import (
    MemorySources,
    aggregate_call,
    attributes,
    column,
    literal,
    run_rows,
)
from night import at_night

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

TYPES = {"key": LONG, "order": LONG, "value": LONG, "float": DOUBLE, "text": STRING}
KEY, ORDER, VALUE, FLOAT, TEXT = (column(i, t) for i, t in enumerate(TYPES.values()))
LAYOUT = pa.schema(
    {
        "key": pa.int64(),
        "order": pa.int64(),
        "value": pa.int64(),
        "float": pa.float64(),
        "text": pa.string(),
    }
)
WHOLE = Frame("Rows", "unbounded", "unbounded")
RUNNING = Frame("Rows", "unbounded", "current")
PEERS = Frame("Range", "unbounded", "current")

Row = tuple[Any, ...]


def table(partitions: Sequence[int], seed: int = 1) -> list[Row]:
    """Rows sorted by key and order, so many for each partition."""
    generator = random.Random(seed)
    rows: list[Row] = []
    for key, size in enumerate(partitions):
        orders = sorted(generator.choice([-1, *range(size // 3 + 1)]) for _ in range(size))
        rows += [
            (
                key,
                None if order < 0 else order,
                generator.choice([None, generator.randint(-9, 9)]),
                generator.choice([None, generator.random(), math.inf, 0.5]),
                generator.choice([None, "", f"t{generator.randint(0, 9)}"]),
            )
            for order in orders
        ]
    return rows


def batches(rows: list[Row], size: int) -> list[pa.RecordBatch]:
    return [
        pa.RecordBatch.from_pylist(
            [dict(zip(TYPES, row, strict=True)) for row in rows[start : start + size]], LAYOUT
        )
        for start in range(0, len(rows), size)
    ]


def offset(rows: int) -> Bound:
    return literal(rows, INTEGER)


def function(
    name: str, type_: DataType, *children: Any, frame: Frame = RUNNING, **fields: Any
) -> WindowCall:
    return WindowCall(
        name=name, type=type_, fields=tuple(sorted(fields.items())), children=children, frame=frame
    )


def aggregates(frame: Frame) -> list[WindowFunction]:
    """One of each kind over a frame."""
    calls = [
        aggregate_call("Sum", "Complete", LONG, [(LONG, None)], [VALUE], eval_mode="ANSI"),
        aggregate_call("Count", "Complete", LONG, [(LONG, None)], [VALUE]),
        aggregate_call("Min", "Complete", LONG, [(LONG, None)], [VALUE]),
        aggregate_call("Max", "Complete", STRING, [(STRING, None)], [TEXT]),
        aggregate_call(
            "Average", "Complete", DOUBLE, [(DOUBLE, None), (LONG, None)], [FLOAT], eval_mode="ANSI"
        ),
        aggregate_call(
            "StddevPop",
            "Complete",
            DOUBLE,
            [(DOUBLE, None)] * 3,
            [FLOAT],
            null_on_divide_by_zero=True,
        ),
        aggregate_call(
            "Last", "Complete", STRING, [(STRING, None), (LONG, None)], [TEXT], ignore_nulls=True
        ),
    ]
    return [AggregateWindow(call, frame) for call in calls]


def window(functions: Sequence[WindowFunction], *, by_key: bool = True) -> Window:
    output = attributes(**TYPES)
    types = [f.call.type if isinstance(f, AggregateWindow) else f.type for f in functions]
    return Window(
        id=1,
        output=(*output, *attributes(**{f"f{i}": t for i, t in enumerate(types)})),
        children=(nodes.RowSource(id=2, output=output, children=(), source=0),),
        partition=(KEY,) if by_key else (),
        order=(SortOrder(ORDER, ascending=True, nulls_first=True),),
        functions=tuple(functions),
    )


def results(
    node: nodes.Node,
    rows: list[Row],
    *,
    size: int = 1 << 20,
    settings: nodes.Settings | None = None,
    context: Run | None = None,
) -> list[Row]:
    return run_rows(node, MemorySources({0: batches(rows, size)}), settings, context)


def near(left: list[Row], right: list[Row]) -> bool:
    return len(left) == len(right) and all(
        all(
            math.isclose(a, b, rel_tol=1e-9) or (math.isnan(a) and math.isnan(b))
            if isinstance(a, float) and isinstance(b, float)
            else a == b
            for a, b in zip(one, other, strict=True)
        )
        for one, other in zip(left, right, strict=True)
    )


EVERY_FRAME = [
    WHOLE,
    RUNNING,
    PEERS,
    Frame("Rows", offset(-3), offset(2)),
    Frame("Rows", offset(-50), offset(-20)),
    Frame("Rows", "current", "unbounded"),
    Frame("Rows", offset(-2), "unbounded"),
    Frame("Rows", "unbounded", offset(4)),
    Frame("Range", "current", "unbounded"),
    Frame("Range", "current", "current"),
]
RANKS: list[WindowFunction] = [
    function("RowNumber", INTEGER),
    function("Rank", INTEGER, ORDER),
    function("DenseRank", INTEGER, ORDER),
    function("PercentRank", DOUBLE, ORDER),
    function("CumeDist", DOUBLE),
    function("NTile", INTEGER, literal(7, INTEGER)),
    function("Lag", LONG, VALUE, literal(3, INTEGER), literal(5, LONG), ignore_nulls=False),
    function("Lead", STRING, TEXT, literal(40, INTEGER), literal("-", STRING), ignore_nulls=False),
]


def naive(rows: list[Row], low: int, high: int) -> list[Row]:
    """Sum, count, least and last text of rows from `low` to `high` beside each, without nulls."""
    found: list[Row] = []
    for number, row in enumerate(rows):
        frame = [
            other
            for place, other in enumerate(rows)
            if other[0] == row[0] and low <= place - number <= high
        ]
        values = [other[2] for other in frame if other[2] is not None]
        texts = [other[4] for other in frame if other[4] is not None]
        found.append(
            (
                sum(values) if values else None,
                len(values),
                min(values, default=None),
                texts[-1] if texts else None,
            )
        )
    return found


@pytest.mark.parametrize(("low", "high"), [(-3, 2), (-1000, 0), (0, 1000), (1, 4), (-40, 41)])
def test_frames_of_rows(low: int, high: int) -> None:
    rows = table([5, 1, 90, 2, 2, 120])
    unlimited = 1000
    frame = Frame(
        "Rows",
        "unbounded" if low == -unlimited else offset(low),
        "unbounded" if high == unlimited else offset(high),
    )
    answers = results(window(aggregates(frame)), rows, size=7)
    assert [(r[5], r[6], r[7], r[11]) for r in answers] == naive(rows, low, high)


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_batches_of_any_size(size: int) -> None:
    rows = table([5, 1, 30, 2, 2, 40])
    functions = [*RANKS, *(f for frame in EVERY_FRAME for f in aggregates(frame))]
    whole = results(window(functions), rows)
    assert near(results(window(functions), rows, size=size), whole)
    assert len(whole) == len(rows)


@pytest.mark.parametrize("by_key", [True, *at_night(False)])
def test_a_partition_beyond_memory(by_key: bool, tmp_path: Path) -> None:
    rows = table([3, 2_000, 1, 1, 700, 900, 2]) if by_key else table([3_000])
    tiny = nodes.Settings(operator_memory=20_000, batch_rows=100)
    for functions in [RANKS, *(aggregates(frame) for frame in EVERY_FRAME)]:
        node = window(functions, by_key=by_key)
        context = Run(spill_directories=[str(tmp_path)])
        spilled = results(node, rows, size=90, settings=tiny, context=context)
        assert near(spilled, results(node, rows)), functions
        assert context.metrics.values["1.spilledBytes"] > 0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(("size", "memory"), [(20, 5000), (90, 0), (90, 1000), (1000, 5000)])
def test_partitions_beyond_memory_together(size: int, memory: int, tmp_path: Path) -> None:
    rows = table([5, 1, 90, 2, 2, 120] * 2)
    settings = nodes.Settings(operator_memory=memory, batch_rows=size)
    for functions in [RANKS, aggregates(WHOLE), aggregates(RUNNING)]:
        context = Run(spill_directories=[str(tmp_path)])
        found = results(window(functions), rows, size=size, settings=settings, context=context)
        assert near(found, results(window(functions), rows)), functions


def test_peers_beyond_memory() -> None:
    rows = [(0, number // 1_500, number, None, None) for number in range(4_000)]
    tiny = nodes.Settings(operator_memory=20_000)
    functions = [*RANKS[:3], *aggregates(PEERS)]
    assert near(
        results(window(functions), rows, size=90, settings=tiny), results(window(functions), rows)
    )


def test_no_rows() -> None:
    assert results(window([*RANKS, *aggregates(WHOLE)]), []) == []


@pytest.mark.skipif(
    os.environ.get("BROADHEAD_TEST_KERNELS") == "cudf", reason="a GPU adds floats in any order"
)
def test_float_sums_are_added_in_the_order_of_rows() -> None:
    floats = [1e16, 1.0, -1e16, 0.1, 0.2, 0.3]
    rows: list[Row] = [(0, i, None, value, None) for i, value in enumerate(floats)]
    total = aggregate_call("Sum", "Complete", DOUBLE, [(DOUBLE, None)], [FLOAT], eval_mode="ANSI")
    frames = [RUNNING, Frame("Rows", offset(-2), "current"), WHOLE]
    answers = results(window([AggregateWindow(total, frame) for frame in frames]), rows)
    running, sliding = [], []
    for number in range(len(floats)):
        running.append(sum_in_order(floats[: number + 1]))
        sliding.append(sum_in_order(floats[max(0, number - 2) : number + 1]))
    assert [row[5] for row in answers] == running
    assert [row[6] for row in answers] == sliding
    assert {row[7] for row in answers} == {running[-1]}


def sum_in_order(values: Sequence[float]) -> float:
    total = 0.0
    for value in values:
        total += value
    return total


@pytest.mark.parametrize("rank", ["RowNumber", "Rank", "DenseRank"])
@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize("by_key", [True, False])
def test_group_limit(rank: str, size: int, by_key: bool) -> None:
    rows = table([5, 1, 30, 2, 2, 40] if by_key else [60])
    output = attributes(**TYPES)
    limited = WindowGroupLimit(
        id=1,
        output=output,
        children=(nodes.RowSource(id=2, output=output, children=(), source=0),),
        partition=(KEY,) if by_key else (),
        order=(SortOrder(ORDER, ascending=True, nulls_first=True),),
        rank=rank,
        limit=3,
    )
    ranked = results(window([function(rank, INTEGER, ORDER)], by_key=by_key), rows)
    wanted = [row[:5] for row in ranked if row[5] <= 3]
    assert results(limited, rows, size=size) == wanted
