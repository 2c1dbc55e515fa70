"""Sorting: in memory, spilled and merged, and the first rows only."""

from __future__ import annotations

import math
import random
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from broadhead.operators.context import Run
from broadhead.operators.sort import sorted_runs
from broadhead.plan import nodes
from broadhead.plan.sort_order import SortOrder
from broadhead.types import DOUBLE, LONG, STRING
from engine.fragments import MemorySources, attributes, call, column, run_rows
from night import half_by_day

if TYPE_CHECKING:
    from pathlib import Path

ROWS = 8_000
TYPES = {"number": LONG, "text": STRING, "float": DOUBLE, "row": LONG}
TINY = nodes.Settings(operator_memory=30_000, batch_rows=700)


@cache
def table(rows: int = ROWS, seed: int = 1) -> list[tuple[Any, ...]]:
    generator = random.Random(seed)
    numbers = [None, *range(50)]
    return [
        (
            generator.choice(numbers),
            generator.choice([None, "", f"text {generator.randint(0, 3_000)}"]),
            generator.choice([None, generator.random()]),
            row,
        )
        for row in range(rows)
    ]


def batches(rows: list[tuple[Any, ...]], size: int = 900) -> list[pa.RecordBatch]:
    layout = {"number": pa.int64(), "text": pa.string(), "float": pa.float64(), "row": pa.int64()}
    schema = pa.schema(list(layout.items()))
    return [
        pa.RecordBatch.from_pylist(
            [dict(zip(TYPES, row, strict=True)) for row in rows[start : start + size]], schema
        )
        for start in range(0, len(rows), size)
    ]


def source() -> nodes.RowSource:
    return nodes.RowSource(id=1, output=attributes(**TYPES), children=(), source=0)


def sort(*order: SortOrder, limit: int | None = None) -> nodes.Sort:
    child = source()
    return nodes.Sort(id=0, output=child.output, children=(child,), order=order, limit=limit)


NUMBER_DOWN = SortOrder(column(0, LONG), ascending=False, nulls_first=False)
TEXT_UP = SortOrder(column(1, STRING), ascending=True, nulls_first=True)


def in_order(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """By `NUMBER_DOWN`, then `TEXT_UP`; rows that are equal so far as they came."""
    return sorted(
        rows,
        key=lambda row: (
            row[0] is None,
            -(row[0] or 0),
            row[1] is not None,
            row[1] or "",
        ),
    )


def test_sorts_in_memory() -> None:
    rows = table()
    assert run_rows(sort(NUMBER_DOWN, TEXT_UP), MemorySources({0: batches(rows)})) == in_order(rows)


@pytest.mark.parametrize("fan_in", [32, 3])
def test_spills_runs_and_merges_them(
    fan_in: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sorted_runs, "FAN_IN", fan_in)
    rows = table()
    context = Run(spill_directories=[str(tmp_path)])
    found = run_rows(sort(NUMBER_DOWN, TEXT_UP), MemorySources({0: batches(rows)}), TINY, context)
    assert found == in_order(rows)
    assert context.metrics.values["0.spilledBytes"] > 0
    assert context.metrics.values["0.batches"] >= ROWS // TINY.batch_rows
    assert list(tmp_path.iterdir()) == []


def test_spilled_runs_of_equal_keys(tmp_path: Path) -> None:
    rows = [(1, "same", 0.5, row) for row in range(ROWS)]
    context = Run(spill_directories=[str(tmp_path)])
    found = run_rows(sort(NUMBER_DOWN, TEXT_UP), MemorySources({0: batches(rows)}), TINY, context)
    assert found == rows


@pytest.mark.parametrize(
    ("limit", "memory"),
    half_by_day([0, 1, 7, 1_000, ROWS - 1, ROWS + 5], [TINY.operator_memory, 1 << 30]),
)
def test_gives_the_first_rows(limit: int, memory: int) -> None:
    rows = table()
    settings = nodes.Settings(operator_memory=memory, batch_rows=700)
    root = sort(NUMBER_DOWN, TEXT_UP, limit=limit)
    found = run_rows(root, MemorySources({0: batches(rows)}), settings)
    assert found == in_order(rows)[:limit]


FLOATS = [None, float("nan"), float("inf"), 0.0, -0.0, *(n / 7 for n in range(-40, 900))]


def float_order(row: tuple[Any, ...]) -> tuple[bool, float]:
    return (math.isnan(row[2]), 0.0 if math.isnan(row[2]) else row[2])


ORDERS = [
    ["random", "in order", "reversed", "mostly null"],
    [True, False],
    [True, False],
    [(40, 1 << 30), (1_800, 1 << 30), (1_800, 70_000)],
]


def a_quarter_by_day() -> list[object]:
    """All combinations; by day a quarter of them."""
    return [
        pytest.param(
            *(arranged, ascending, nulls_first, limit, memory),
            marks=pytest.mark.nightly if sum(numbers) % 4 else [],
        )
        for numbers in product(*(range(len(values)) for values in ORDERS))
        for arranged, ascending, nulls_first, (limit, memory) in [
            [values[number] for number, values in zip(numbers, ORDERS, strict=True)]
        ]
    ]


@pytest.mark.parametrize(
    ("arranged", "ascending", "nulls_first", "limit", "memory"), a_quarter_by_day()
)
def test_first_rows_by_floats(
    arranged: str, ascending: bool, nulls_first: bool, limit: int, memory: int
) -> None:
    generator = random.Random(7)
    values = [generator.choice(FLOATS) for _ in range(8_000)]
    if arranged == "mostly null":
        values = [value if generator.random() < 0.01 else None for value in values]
    rows = [(1, None, value, number) for number, value in enumerate(values)]
    numbers = [row for row in rows if row[2] is not None]
    numbers = sorted(numbers, key=float_order, reverse=not ascending)
    nulls = [row for row in rows if row[2] is None]
    wanted = nulls + numbers if nulls_first else numbers + nulls
    if arranged in {"in order", "reversed"}:
        rows = wanted if arranged == "in order" else wanted[::-1]
    order = SortOrder(column(2, DOUBLE), ascending=ascending, nulls_first=nulls_first)
    settings = nodes.Settings(operator_memory=memory, batch_rows=700)
    found = run_rows(sort(order, limit=limit), MemorySources({0: batches(rows)}), settings)
    assert [key(row) for row in found] == [key(row) for row in wanted[:limit]]


def key(row: tuple[Any, ...]) -> str:
    """A row's float, of which NaN equals NaN and -0.0 equals 0.0."""
    return repr(row[2] + 0.0 if row[2] is not None else None)


def test_rows_after_the_first_are_let_go_of(tmp_path: Path) -> None:
    rows = table()
    spilled = {}
    for limit in (500, None):
        context = Run(spill_directories=[str(tmp_path)])
        root = sort(TEXT_UP, NUMBER_DOWN, limit=limit)
        run_rows(root, MemorySources({0: batches(rows)}), TINY, context)
        spilled[limit] = context.metrics.values["0.spilledBytes"]
        assert list(tmp_path.iterdir()) == []
    assert 0 < spilled[500] < spilled[None]


@pytest.mark.parametrize("limit", [None, 3])
def test_no_input_gives_no_rows(limit: int | None) -> None:
    assert run_rows(sort(NUMBER_DOWN, limit=limit), MemorySources({0: []})) == []


@pytest.mark.parametrize("settings", [nodes.Settings(), TINY])
def test_by_what_is_not_in_the_output(settings: nodes.Settings) -> None:
    rows = table()
    negative = call("UnaryMinus", LONG, column(3, LONG), fail_on_error=True)
    by_row = sort(SortOrder(negative, ascending=True, nulls_first=True))
    root = nodes.Project(
        id=9,
        output=attributes(number=LONG),
        children=(by_row,),
        expressions=(column(0, LONG),),
    )
    found = run_rows(root, MemorySources({0: batches(rows)}), settings)
    assert found == [(row[0],) for row in reversed(rows)]
