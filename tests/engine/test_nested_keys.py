"""Groups, joins and sorts by structs and arrays, in memory and spilled."""

from __future__ import annotations

import os
import random
from collections import Counter
from functools import cmp_to_key
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from broadhead.operators.context import Run
from broadhead.plan import joins, nodes
from broadhead.plan.sort_order import SortOrder
from broadhead.types import DOUBLE, LONG, STRING
from engine.fragments import MemorySources, aggregate_call, attributes, column, run_rows
from kernels.nested_values import array_of, arrow, compared, some_value, struct

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    os.environ["BROADHEAD_TEST_KERNELS"] == "cudf", reason="nested keys keep to Arrow"
)

KEY = struct(array_of(STRING), DOUBLE)
BATCHES, ROWS = 12, 80
MEMORIES = [nodes.Settings().operator_memory, 3_000]


def keys(seed: int) -> list[Any]:
    chance = random.Random(seed)
    return [some_value(chance, KEY) for _ in range(BATCHES * ROWS)]


def source(number: int) -> nodes.RowSource:
    output = attributes(k=KEY, v=LONG)
    return nodes.RowSource(id=number + 1, output=output, children=(), source=number)


def batches(values: list[Any]) -> list[pa.RecordBatch]:
    return [
        pa.record_batch(
            {
                "k": arrow(values[start : start + ROWS], KEY),
                "v": pa.array(range(start, start + ROWS), pa.int64()),
            }
        )
        for start in range(0, len(values), ROWS)
    ]


def plain(value: Any) -> Any:
    """A value as something that can be a key of a dictionary; NaNs and zeros are equal."""
    if isinstance(value, dict):
        return tuple(plain(part) for part in value.values())
    if isinstance(value, list | tuple):
        kind = "array" if isinstance(value, list) else "struct"
        return (kind, *map(plain, value)) if kind == "array" else tuple(map(plain, value))
    if isinstance(value, float):
        return "NaN" if value != value else value + 0.0
    return value


def run_in(
    root: nodes.Node, tables: dict[int, Any], memory: int, folder: Path
) -> tuple[list[tuple[Any, ...]], bool]:
    """The rows, and whether some were spilled."""
    settings = nodes.Settings(operator_memory=memory, batch_rows=100)
    context = Run(spill_directories=[str(folder)])
    rows = run_rows(root, MemorySources(tables), settings, context)
    return rows, context.metrics.values.get("0.spilledBytes", 0) > 0


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("mode", ["Complete", "Final"])
def test_groups(memory: int, mode: str, tmp_path: Path) -> None:
    values = keys(1)
    inputs = [column(1, LONG)] if mode == "Complete" else []
    buffers = [(LONG, None if inputs else 1)]
    node = nodes.HashAggregate(
        id=0,
        output=attributes(total=LONG, k=KEY),
        children=(source(0),),
        grouping=(column(0, KEY),),
        aggregates=(aggregate_call("Sum", mode, LONG, buffers, inputs, eval_mode="ANSI"),),
        results=(column(1, LONG), column(0, KEY)),
    )
    expected: Counter[Any] = Counter()
    for row, value in enumerate(values):
        expected[plain(value)] += row
    rows, spilled = run_in(node, {0: batches(values)}, memory, tmp_path)
    assert len(rows) == len(expected)
    assert {plain(key): total for total, key in rows} == dict(expected)
    assert spilled == (memory == min(MEMORIES))


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("build_side", ["left", "right"])
def test_joins(memory: int, build_side: str, tmp_path: Path) -> None:
    left, right = keys(2), keys(3)
    node = joins.HashJoin(
        id=0,
        output=attributes(k=KEY, v=LONG, k2=KEY, v2=LONG),
        children=(source(0), source(1)),
        join_type="LeftOuter",
        build_side=build_side,
        condition=None,
        left_keys=(column(0, KEY),),
        right_keys=(column(0, KEY),),
        null_aware=False,
    )
    others: dict[Any, list[int]] = {}
    for row, value in enumerate(right):
        if value is not None:
            others.setdefault(plain(value), []).append(row)
    expected = [
        (row, other)
        for row, value in enumerate(left)
        for other in others.get(plain(value), [None])  # type: ignore[list-item]
    ]
    tables = {0: batches(left), 1: batches(right)}
    rows, spilled = run_in(node, tables, memory, tmp_path)
    assert Counter((row[1], row[3]) for row in rows) == Counter(expected)
    assert spilled == (memory == min(MEMORIES))


@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("ascending", [True, False])
def test_sorts(memory: int, ascending: bool, tmp_path: Path) -> None:
    values = keys(4)
    node = nodes.Sort(
        id=0,
        output=attributes(k=KEY, v=LONG),
        children=(source(0),),
        order=(SortOrder(column(0, KEY), ascending, ascending),),
        limit=None,
    )
    sign = 1 if ascending else -1
    expected = sorted(
        range(len(values)),
        key=cmp_to_key(lambda a, b: sign * compared(values[a], values[b])),
    )
    rows, spilled = run_in(node, {0: batches(values)}, memory, tmp_path)
    assert [row for _, row in rows] == expected
    assert [plain(key) for key, _ in rows] == [plain(values[row]) for row in expected]
    assert spilled == (memory == min(MEMORIES))
