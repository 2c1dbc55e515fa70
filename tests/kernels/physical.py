"""Physical data made of Python values, and Python values of physical data.

Python values are those of a `Literal`: int for integers, dates, timestamps and unscaled decimals.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.interface import Kernels
from broadhead.types import DataType, DecimalType, decimal

WIDE = decimal(38, 0)
HUGE = 10**37

_ARROW = {
    "boolean": pa.bool_(),
    "byte": pa.int8(),
    "short": pa.int16(),
    "integer": pa.int32(),
    "long": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
    "string": pa.string(),
    "binary": pa.binary(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us", "UTC"),
    "timestamp_ntz": pa.timestamp("us"),
    "year_month_interval": pa.int32(),
    "day_time_interval": pa.int64(),
    "void": pa.null(),
}
_PADDING = {
    "boolean": True,
    "float": math.nan,
    "double": math.nan,
    "string": "päd",
    "binary": b"\x00\xff",
    "void": None,
}
_VIEWED = {"date": pa.int32(), "timestamp": pa.int64(), "timestamp_ntz": pa.int64()}


def unscaled(values: Sequence[int | None], type: DecimalType) -> pa.Array:
    """A decimal128 array with these digits."""
    words = np.zeros((len(values), 2), np.uint64)
    for row, value in enumerate(values):
        if value is not None:
            words[row] = value & (2**64 - 1), (value >> 64) & (2**64 - 1)
    valid = np.packbits(np.array([v is not None for v in values], bool), bitorder="little")
    bitmap = pa.py_buffer(valid) if None in values else None
    layout = pa.decimal128(type.precision, type.scale)
    return pa.Array.from_buffers(layout, len(values), [bitmap, pa.py_buffer(words)])


def host(values: Sequence[Any], type: DataType) -> pa.Array:
    """The values in the layout of Spark's `ArrowUtils.toArrowSchema`."""
    if isinstance(type, DecimalType):
        return unscaled(values, type)
    if type.name in _VIEWED:
        return pa.array(values, _VIEWED[type.name]).view(_ARROW[type.name])
    return pa.array(values, _ARROW[type.name])


def array(k: Kernels, values: Sequence[Any], type: DataType) -> Any:
    """An Array of the values."""
    return k.columns.from_arrow(host(values, type), type)


def sliced(k: Kernels, values: Sequence[Any], type: DataType) -> Any:
    """The same from the middle of a longer Array, at an offset that is no multiple of eight."""
    padding = _PADDING.get(type.name, 1)
    before = [padding, None, padding, padding, None] * 2 + [padding]
    longer = array(k, before + list(values) + [None, padding], type)
    return k.columns.slice([longer], 11, len(values))[0]


def wide(k: Kernels, values: Sequence[int | None]) -> Any:
    """Unscaled data of 128 bits, also for values that fit in 64."""
    longer = array(k, [*values, HUGE], WIDE)
    return k.columns.slice([longer], 0, len(values))[0]


def layouts(k: Kernels, values: Sequence[Any], type: DataType) -> Iterator[Any]:
    """Arrays of the same values in each form that a kernel may meet."""
    yield array(k, values, type)
    yield sliced(k, values, type)
    if isinstance(type, DecimalType):
        yield wide(k, values)


def scalar(k: Kernels, value: Any, type: DataType) -> Any:
    """A scalar of the library."""
    return k.columns.scalar(value, type)


def values(k: Kernels, data: Any, type: DataType) -> list[Any]:
    """The Python values of an Array."""
    assert not k.columns.is_scalar(data)
    outside = k.columns.to_arrow(data, type)
    assert len(outside) == k.columns.length(data)
    assert outside.null_count == k.columns.null_count(data)
    if isinstance(type, DecimalType):
        return _digits(outside)
    if type.name in _VIEWED:
        outside = outside.view(_VIEWED[type.name])
    return list(outside.to_pylist())


def digits(k: Kernels, data: Any) -> list[int | None]:
    """The unscaled values of decimals of any precision and scale."""
    return _digits(k.columns.to_arrow(data, WIDE))


def _digits(decimals: pa.Array) -> list[int | None]:
    words = np.frombuffer(decimals.buffers()[1], np.int64)
    words = words[2 * decimals.offset : 2 * (decimals.offset + len(decimals))].reshape(-1, 2)
    numbers = ((high << 64) + low % 2**64 for low, high in words.tolist())
    valid = decimals.is_valid().to_pylist()
    return [number if ok else None for number, ok in zip(numbers, valid, strict=True)]


def mask(k: Kernels, data: Any | None, length: int) -> list[bool]:
    """The Python values of a mask, all false where there is none."""
    if data is None:
        return [False] * length
    assert k.columns.null_count(data) == 0
    return values(k, data, _BOOLEAN)


_BOOLEAN = DataType("boolean")


def same(found: Sequence[Any], expected: Sequence[Any], ulps: int = 0) -> bool:
    """Equality where NaN equals NaN and -0.0 differs from 0.0; or within some last places."""
    return len(found) == len(expected) and all(
        _key(a) == _key(b) or _is_near(a, b, ulps) for a, b in zip(found, expected, strict=True)
    )


def _is_near(found: Any, expected: Any, ulps: int) -> bool:
    if not isinstance(found, float) or not isinstance(expected, float):
        return False
    return abs(found - expected) <= ulps * math.ulp(expected) if expected else False


def _key(value: Any) -> Any:
    if isinstance(value, float):
        return ("float", repr(value))
    return value


def check(
    k: Kernels,
    function: Callable[..., Any],
    arguments: Sequence[tuple[Sequence[Any], DataType]],
    result: DataType,
    expected: Sequence[Any],
    *,
    scalars: bool = True,
    ulps: int = 0,
) -> None:
    """Check `function` on Arrays of all layouts, and with a scalar in each single place.

    With `result` a decimal, the unscaled values are compared. Floats may differ by `ulps` units in
    the last place.
    """
    for given, rows in _calls(k, arguments, len(expected), scalars=scalars):
        data = function(*given)
        found = digits(k, data) if result.is_decimal else values(k, data, result)
        wanted = [expected[row] for row in rows]
        assert same(found, wanted, ulps), f"{found} is not {wanted} on {given}"


def check_checked(
    k: Kernels,
    function: Callable[..., Any],
    arguments: Sequence[tuple[Sequence[Any], DataType]],
    result: DataType,
    expected: Sequence[Any],
    *,
    scalars: bool = True,
) -> None:
    """The same for a function that gives `(result, mask)`; FAILED stands for a row that fails."""
    for given, rows in _calls(k, arguments, len(expected), scalars=scalars):
        data, failed = function(*given)
        found = digits(k, data) if result.is_decimal else values(k, data, result)
        wanted = [expected[row] for row in rows]
        assert mask(k, failed, len(rows)) == [value is FAILED for value in wanted]
        assert (failed is None) == (FAILED not in wanted)
        wanted = [None if value is FAILED else value for value in wanted]
        assert same(found, wanted), f"{found} is not {wanted} on {given}"


def _calls(
    k: Kernels,
    arguments: Sequence[tuple[Sequence[Any], DataType]],
    length: int,
    *,
    scalars: bool,
) -> Iterator[tuple[list[Any], list[int]]]:
    """Arguments for a call, and the rows that they are: all, those without nulls, none, one."""
    everything = list(range(length))
    full = [row for row in everything if all(column[row] is not None for column, _ in arguments)]
    for rows in (everything, full, []):
        columns = [([column[row] for row in rows], type) for column, type in arguments]
        shapes = (layouts(k, *column) for column in columns)
        for given in zip(*shapes, strict=False):
            yield list(given), rows
    if scalars and len(arguments) > 1:
        yield from _with_scalars(k, arguments, everything)


def _with_scalars(
    k: Kernels, arguments: Sequence[tuple[Sequence[Any], DataType]], rows: Sequence[int]
) -> Iterator[tuple[list[Any], list[int]]]:
    for row in rows:
        for place in range(len(arguments)):
            given = [
                scalar(k, column[row], type)
                if number == place
                else array(k, [column[row]] * 2, type)
                for number, (column, type) in enumerate(arguments)
            ]
            yield given, [row, row]


class Failed:
    """What `check_checked` expects on a row that fails."""

    def __repr__(self) -> str:
        return "FAILED"


FAILED = Failed()
