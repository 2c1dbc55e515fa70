"""Conversion between booleans, integers and floats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow.physical import as_array, from_values, physical_type, relabel, values
from broadhead.types import INTEGRAL_BITS, DataType

Array = Any
Data = Any
Checked = tuple[Array, Array | None]


def widen(data: Data, to: DataType) -> Data:
    """To a type that holds every value or a float type; scalars stay scalars."""
    wanted = physical_type(to)
    if data.type == wanted:
        return data
    options = pc.CastOptions(wanted, allow_float_truncate=True, allow_int_overflow=True)
    if isinstance(data, pa.Scalar):
        return data.cast(options=options)
    return as_array(pc.cast(data, options=options))


def narrow_integer(data: Array, to: DataType) -> Array:
    """Integers to fewer bits, wrapping around."""
    return as_array(pc.cast(data, options=pc.CastOptions(physical_type(to), allow_int_overflow=True)))


def narrow_integer_checked(data: Array, to: DataType) -> Checked:
    """Integers to fewer bits; fails where the value does not fit."""
    try:
        return as_array(pc.cast(data, physical_type(to))), None
    except pa.ArrowInvalid:
        low, high = _bounds(to)
        outside = pc.or_(
            pc.less(data, pa.scalar(low, data.type)), pc.greater(data, pa.scalar(high, data.type))
        )
        return _failed(narrow_integer(data, to), outside)


def _bounds(to: DataType) -> tuple[int, int]:
    bits = INTEGRAL_BITS[to.name]
    return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1


def _failed(result: Array, outside: Any) -> Checked:
    mask = as_array(pc.fill_null(outside, fill_value=False))
    return as_array(pc.if_else(mask, pa.scalar(None, result.type), result)), mask


def float_to_integer(data: Array, to: DataType) -> Array:
    """Java's (int) or (long), for byte and short then wrapped."""
    target = np.int64 if to.name == "long" else np.int32
    limits = np.iinfo(target)
    numbers = values(data).astype(np.float64)
    with np.errstate(invalid="ignore"):
        result = np.nan_to_num(numbers, nan=0.0).astype(target)
    result = np.where(numbers >= float(limits.max), limits.max, result)
    result = np.where(numbers <= float(limits.min), limits.min, result).astype(target)
    array = from_values(result, data, pa.from_numpy_dtype(target))
    return array if to.name in {"integer", "long"} else narrow_integer(array, to)


def float_to_integer_checked(data: Array, to: DataType) -> Checked:
    """Truncated; fails for NaN and where the truncated value does not fit."""
    low, high = _bounds(to)
    numbers = values(data).astype(np.float64)
    # exact bounds: high + 1 is a power of two, and low - 1 one below it where a double has it
    with np.errstate(invalid="ignore"):
        outside = ~((np.trunc(numbers) >= float(low)) & (np.trunc(numbers) < float(high + 1)))
    mask = pc.and_(pa.array(outside), data.is_valid())
    wanted = physical_type(to)
    safe = np.where(outside, 0.0, numbers).astype(wanted.to_pandas_dtype())
    result = from_values(safe, data, wanted)
    return _failed(result, mask) if outside.any() and pc.any(mask).as_py() else (result, None)


def to_boolean(data: Array) -> Array:
    """True where not zero."""
    return as_array(pc.not_equal(data, pa.scalar(0, data.type)))


def integer_to_string(data: Array) -> Array:
    """Decimal digits with a minus sign where negative."""
    return as_array(pc.cast(data, pa.string()))


def boolean_to_string(data: Array) -> Array:
    """`true` or `false`."""
    return as_array(pc.cast(data, pa.string()))


def reinterpret(data: Data, to: DataType) -> Data:
    """The same bits as another type: integer and date; long and timestamps."""
    wanted = physical_type(to)
    if isinstance(data, pa.Scalar):
        return data.cast(wanted)
    return relabel(data, wanted)
