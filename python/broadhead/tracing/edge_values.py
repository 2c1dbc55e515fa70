"""Rows of values at which an expression and a function are likely to differ."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from broadhead.arrow_layout import arrow_type
from broadhead.plan.expressions import Call, Literal
from broadhead.tracing.numbers import bounds_of

if TYPE_CHECKING:
    from broadhead.plan.expressions import Expression
    from broadhead.tracing.signature import FunctionSignature
    from broadhead.types import DataType

MOST_ROWS = 512
MOST_VALUES = 40

INTEGERS = (0, 1, -1, 2, -2, 3, 5, -7, 10, 12, 25, 59, 100, -100, 127, 1000, 1 << 24, (1 << 24) + 1)
LONGS = ((1 << 53) - 1, 1 << 53, (1 << 53) + 1, -(1 << 53) - 1, 10**18, -(10**18) - 1, 3037000500)
FLOATS = (
    *(0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, 3.7, -3.7, 0.1, -0.3, 0.49999999999999994, 7.0),
    *(99.995, 1.005, 123456.789, 5e-324, 1e-300, 1e300, -1e300, 2.0**52 + 1, 2.0**53 + 2, 1e16),
    *(2147483647.5, -2147483649.0, 2.0**63, -(2.0**63), 9.2e18, -9.3e18, 16777217.0),
    *(float("inf"), float("-inf"), float("nan")),
)
TEXTS = (
    *(
        "",
        "a",
        "A",
        "b",
        "abc",
        "ABC",
        "aBc",
        " a b ",
        "  ",
        "\t\n x \x1f",
        "0",
        "12",
        "-3.5",
        "xyz",
    ),
    *(
        "x" * 40,
        "straße",
        "ßẞ",
        "éÀ",
        "İı",
        "日本",
        "ǆǅ",
        "ﬁ",
        "😀a",
        "\u00a0q\u3000",
        "a\u0301",
        "None",
    ),
)
DATES = (-719162, 2932896, -141427, 0, -1, 19782, 19783, 11016, -106750, 106660, -25567, 47541)
DAY_MICROS = 86_400_000_000
CLOCK_CHANGES = tuple(
    second * 1_000_000 + offset
    for second in (1711846800, 1729990800, 1710054000, 1730610000, 1711900800)
    for offset in (-1, 0, 1_800_000_000)
)
"""Around changes to and from daylight saving time, in Europe and America, in 2024."""


def rows(signature: FunctionSignature, expression: Expression) -> pa.RecordBatch:
    """A few hundred rows, with nulls where arguments may be null."""
    constants = _constants(expression)
    columns = []
    for argument in signature.arguments:
        values = _values(argument.type, constants)
        columns.append([*values, None] if argument.nullable else values)
    arrays = [
        pa.array(values, arrow_type(argument.type))
        for values, argument in zip(
            zip(*_combined(columns), strict=True), signature.arguments, strict=True
        )
    ]
    return pa.RecordBatch.from_arrays(arrays, [f"_{i}" for i in range(len(arrays))])


def _combined(columns: list[list[Any]]) -> list[tuple[Any, ...]]:
    """All combinations of the values, or as many random ones as fit."""
    chosen = random.Random(0)
    total = 1
    for values in columns:
        total *= len(values)
    if total <= MOST_ROWS:
        return list(itertools.product(*columns))
    rows = [tuple(values[i % len(values)] for values in columns) for i in range(MOST_VALUES)]
    rows += [
        tuple(chosen.choice(values) for values in columns) for _ in range(MOST_ROWS - len(rows))
    ]
    return rows


def _constants(expression: Expression) -> set[Any]:
    found = set()
    rest = [expression]
    while rest:
        node = rest.pop()
        if isinstance(node, Literal) and not isinstance(node.value, bool | None):
            found.add(node.value)
        if isinstance(node, Call):
            rest += node.children
    return found


def _values(data_type: DataType, constants: set[Any]) -> list[Any]:
    """Edge values of a type, with those next to the constants of the expression."""
    if data_type.is_integral:
        limits = bounds_of(data_type)
        near = [int(c) + d for c in _numbers(constants) for d in (-1, 0, 1)]
        ends = (limits.low, limits.low + 1, limits.high, limits.high - 1)
        candidates = [*INTEGERS, *ends, *LONGS, *near]
        return _distinct([value for value in candidates if limits.low <= value <= limits.high])
    match data_type.name:
        case "boolean":
            return [True, False]
        case "float" | "double":
            near_floats = [float(c) * factor for c in _numbers(constants) for factor in (1, 1.0001)]
            return _distinct([*FLOATS, *near_floats])
        case "string":
            texts = [c for c in constants if isinstance(c, str) and len(c) < 100]
            extended = [changed for t in texts for changed in (t, f"{t}x", f"x{t}", t.upper())]
            return _distinct([*TEXTS, *sorted(extended)])
        case "date":
            return list(DATES)
        case _:
            times = [day * DAY_MICROS + 3_723_000_001 for day in DATES if abs(day) < 106_000]
            return [*times, *CLOCK_CHANGES, *(0, 999_999, -1, 10**15, 1_700_000_000_123_456)]


def _numbers(constants: set[Any]) -> list[float]:
    """Constants of a moderate size, so that they and their neighbours are in most types."""
    numbers = [c for c in constants if isinstance(c, int | float) and abs(c) < 2**62]
    return sorted(numbers)[:20]


def _distinct(values: list[Any]) -> list[Any]:
    return list({repr(value): value for value in values}.values())
