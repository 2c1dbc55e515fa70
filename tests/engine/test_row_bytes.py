"""Bytes that rows would take as Spark's `UnsafeRow`s, against figures counted by hand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from broadhead.arrow_layout import arrow_type
from broadhead.kernels.arrow.arrays.convert import to_physical
from broadhead.shuffle.block import Rows
from broadhead.shuffle.row_bytes import unsafe_row_bytes
from broadhead.types import (
    BINARY,
    BOOLEAN,
    BYTE,
    DATE,
    DAY_TIME_INTERVAL,
    LONG,
    SHORT,
    STRING,
    VOID,
    YEAR_MONTH_INTERVAL,
    ArrayType,
    DataType,
    MapType,
    StructField,
    StructType,
    decimal,
)

WIDE = decimal(20, 2)
HUGE = Decimal("123456789012345678.00")
"""Its digits without the point do not fit in 64 bits."""


def array(element: DataType) -> ArrayType:
    return ArrayType("array", element, True)


def struct(*types: DataType) -> StructType:
    return StructType("struct", tuple(StructField(f"f{n}", t, True) for n, t in enumerate(types)))


# Behind the row's word of nulls and the column's word. An array: its length, a word of nulls for
# each 64 elements, the elements in whole words, and what does not fit into those.
ROWS: list[tuple[DataType, Any, int]] = [
    (LONG, 7, 0),
    (VOID, None, 0),
    (STRING, "", 0),
    (STRING, "12345678", 8),
    (BINARY, b"123456789", 16),
    (STRING, None, 0),
    (decimal(18, 2), Decimal("1.00"), 0),
    (WIDE, Decimal("1.00"), 16),
    (WIDE, None, 16),
    (array(LONG), None, 0),
    (array(LONG), [], 8),
    (array(LONG), [1, None], 16 + 16),
    (array(LONG), list(range(65)), 24 + 65 * 8),
    (array(BOOLEAN), [True] * 9, 16 + 16),
    (array(BYTE), [1] * 8, 16 + 8),
    (array(SHORT), [1] * 5, 16 + 16),
    (array(DATE), [1, None, 3], 16 + 16),
    (array(YEAR_MONTH_INTERVAL), [1, None, 3], 16 + 16),
    (array(DAY_TIME_INTERVAL), [1, None, 3], 16 + 24),
    (array(VOID), [None, None], 16 + 16),
    (array(STRING), ["a", None, "123456789"], 16 + 24 + 8 + 16),
    (array(WIDE), [Decimal("-1.00"), None, HUGE, -HUGE], 16 + 32 + 8 + 0 + 16 + 16),
    (array(array(BYTE)), [[1], None, []], 16 + 24 + 24 + 0 + 8),
    (array(struct(LONG, WIDE)), [{"f0": 1, "f1": None}, None], 16 + 16 + 24 + 16),
    (struct(LONG, STRING), None, 0),
    (struct(LONG, STRING), {"f0": None, "f1": None}, 8 + 16),
    (struct(LONG, STRING), {"f0": 1, "f1": "x"}, 8 + 16 + 8),
    (struct(WIDE), {"f0": None}, 8 + 8 + 16),
    (struct(*[LONG] * 65), dict.fromkeys([f"f{n}" for n in range(65)], 1), 16 + 65 * 8),
    (struct(struct(STRING)), {"f0": {"f0": "x"}}, 16 + 16 + 8),
    (struct(array(LONG)), {"f0": [1]}, 16 + 24),
    (MapType("map", STRING, LONG, True), None, 0),
    (MapType("map", STRING, LONG, True), {}, 8 + 8 + 8),
    (MapType("map", STRING, LONG, True), {"a": 1, "b": None}, 8 + (16 + 16 + 16) + (16 + 16)),
    (MapType("map", BYTE, array(WIDE), True), {1: [HUGE]}, 8 + (16 + 8) + (16 + 8 + 24 + 16)),
]


def size(data: pa.Array, type_: DataType) -> int:
    physical = data if type_.is_nested else to_physical(data, type_)
    return unsafe_row_bytes(Rows((physical,), len(data)), [type_])


def arrow(type_: DataType, *values: Any) -> pa.Array:
    return pa.array(
        [list(v.items()) if type_.name == "map" and v else v for v in values], arrow_type(type_)
    )


@pytest.mark.parametrize(("type_", "value", "behind"), ROWS)
def test_a_value_alone_and_among_others(type_: DataType, value: Any, behind: int) -> None:
    alone = arrow(type_, value)
    assert size(alone, type_) == 16 + behind
    others = arrow(type_, *(v for t, v, _ in ROWS if t == type_), None, value)
    whole = [b for t, _, b in ROWS if t == type_]
    rest = 16 if type_ == WIDE else 0
    assert size(others, type_) == 16 * len(others) + sum(whole) + rest + behind
    assert size(others[-1:], type_) == 16 + behind
    assert size(others[1:-1], type_) == 16 * (len(others) - 2) + sum(whole[1:]) + rest


@pytest.mark.parametrize("type_", [STRING, array(STRING), struct(STRING)], ids=lambda t: t.name)
def test_what_lies_under_a_null_is_not_counted(type_: DataType) -> None:
    values = {
        "string": ["a text", "b"],
        "array": [["a text"], ["b"]],
        "struct": [{"f0": "a text"}, {"f0": "b"}],
    }
    full = arrow(type_, *values[type_.name])
    children = [full.values] if type_.name == "array" else []
    children = [full.field(0)] if type_.name == "struct" else children
    buffers = full.buffers()[1 : full.type.num_buffers]
    hidden = pa.Array.from_buffers(
        full.type, 2, [pa.py_buffer(b"\x02"), *buffers], children=children
    )
    assert hidden.to_pylist()[0] is None
    assert size(hidden, type_) == 16 + size(full[1:], type_)


def test_several_columns() -> None:
    assert unsafe_row_bytes(Rows((), 3), []) == 0
    words = pa.array(["a", None, "c"])
    assert unsafe_row_bytes(Rows((words,) * 65, 3), [STRING] * 65) == 3 * 8 * (2 + 65) + 2 * 65 * 8
