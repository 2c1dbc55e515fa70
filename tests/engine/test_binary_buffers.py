"""Aggregates whose buffers are binaries of one length: bitmaps and count-min sketches."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from broadhead.aggregates import host_rows
from broadhead.errors import EngineLimit, WouldRaise
from broadhead.plan import nodes
from broadhead.types import BINARY, DOUBLE, INTEGER, LONG, STRING, DataType
from engine.fragments import (
    MemorySources,
    aggregate_call,
    attributes,
    column,
    literal,
    run_rows,
)

SKETCH = "CountMinSketchAgg"
BITMAP_BYTES = 4096


def rows_of(
    name: str, mode: str, kind: DataType, batches: list[list[Any]], *literals: Any
) -> list[Any]:
    """The values of the groups by the first column."""
    types = {float: DOUBLE, int: INTEGER}
    children = [column(1, kind), *(literal(value, types[type(value)]) for value in literals)]
    call = aggregate_call(
        name, mode, BINARY, [(BINARY, None if mode == "Partial" else 1)], children
    )
    node = nodes.HashAggregate(
        id=0,
        output=attributes(k=LONG, v=BINARY),
        children=(nodes.RowSource(id=1, output=attributes(k=LONG, v=kind), children=(), source=0),),
        grouping=(column(0, LONG),),
        aggregates=(call,),
        results=(column(0, LONG), column(1, BINARY)),
    )
    arrow = {"long": pa.int64(), "string": pa.string(), "binary": pa.binary()}[kind.name]
    tables = [
        pa.record_batch(
            {
                "k": pa.array([key for key, _ in rows], pa.int64()),
                "v": pa.array([value for _, value in rows], arrow),
            }
        )
        for rows in batches
    ]
    return sorted(run_rows(node, MemorySources({0: tables})))


def bitmap(*bits: int) -> bytes:
    return sum(1 << bit for bit in bits).to_bytes(BITMAP_BYTES, "little")


def test_bits_of_positions() -> None:
    rows = [[(1, 0), (1, 8), (2, 32_767), (3, None)], [(1, 8), (1, 9), (2, 5)]]
    assert rows_of("BitmapConstructAgg", "Partial", LONG, rows) == [
        (1, bitmap(0, 8, 9)),
        (2, bitmap(5, 32_767)),
        (3, bitmap()),
    ]


@pytest.mark.parametrize("position", [-1, 32_768])
def test_positions_beyond_the_bitmap_would_raise(position: int) -> None:
    with pytest.raises(WouldRaise):
        rows_of("BitmapConstructAgg", "Partial", LONG, [[(1, position)]])


@pytest.mark.parametrize("mode", ["Partial", "Final"])
def test_joined_bitmaps(mode: str) -> None:
    rows = [[(1, bitmap(0, 1)), (2, bitmap(7)), (1, bitmap(1, 2))], [(1, bitmap(1, 9))]]
    rows[0] += [(3, None)] if mode == "Partial" else []
    either = rows_of("BitmapOrAgg", mode, BINARY, rows)
    assert either[:2] == [(1, bitmap(0, 1, 2, 9)), (2, bitmap(7))]
    both = rows_of("BitmapAndAgg", mode, BINARY, rows)
    assert both[:2] == [(1, bitmap(1)), (2, bitmap(7))]
    assert either[2:] == ([(3, bitmap())] if mode == "Partial" else [])
    assert both[2:] == ([(3, b"\xff" * BITMAP_BYTES)] if mode == "Partial" else [])


@pytest.mark.parametrize("content", [b"", b"a", bytes(BITMAP_BYTES + 1)])
def test_bitmaps_of_other_lengths_are_left_to_spark(content: bytes) -> None:
    with pytest.raises(EngineLimit, match="4096 bytes"):
        rows_of("BitmapOrAgg", "Partial", BINARY, [[(1, content)]])


def test_a_sketch_has_the_bytes_of_sparks_documentation() -> None:
    rows = [[(0, 1), (0, 2), (0, None)], [(0, 1)]]
    found = rows_of(SKETCH, "Partial", LONG, rows, 0.5, 0.5, 1)
    expected = (
        "0000000100000000000000030000000100000004000000005D8D6AB9"
        "0000000000000000000000000000000200000000000000010000000000000000"
    )
    assert found == [(0, bytes.fromhex(expected))]


def test_sketches_are_added() -> None:
    rows = [[(0, "a"), (1, "b"), (0, None), (0, "日本語")], [(1, "b"), (2, "")]]
    together = rows_of(SKETCH, "Partial", STRING, rows, 0.1, 0.95, 42)
    parts = [rows_of(SKETCH, "Partial", STRING, [batch], 0.1, 0.95, 42) for batch in rows]
    assert rows_of(SKETCH, "Final", BINARY, parts, 0.1, 0.95, 42) == together


def test_too_many_buffers_are_left_to_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_rows, "MOST_BYTES", 2 * BITMAP_BYTES)
    with pytest.raises(EngineLimit, match="3 buffers of BitmapConstructAgg"):
        rows_of("BitmapConstructAgg", "Partial", LONG, [[(1, 0), (2, 0), (3, 0)]])
