"""Conversion between booleans, integers and floats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.arrays.layout import physical_type
from broadhead.kernels.arrow.text.digit_layouts import digit_texts
from broadhead.kernels.arrow.text.float_texts import text_of_floats
from broadhead.kernels.arrow.text.grouped_digits import grouped_digits
from broadhead.kernels.arrow.text.range_texts import texts_of
from broadhead.types import INTEGRAL_BITS, DataType


def widen(data: Any, to: DataType) -> Any:
    """To a type that represents every value, or to a float type; scalars stay scalars."""
    target = physical_type(to)
    return data if data.type == target else data.cast(target, safe=False)


def narrow_integer(data: Any, to: DataType) -> Any:
    """Integers to fewer bits, wrapping around."""
    return data.cast(physical_type(to), safe=False)


def narrow_integer_checked(data: Any, to: DataType) -> tuple[Any, Any]:
    """Integers to fewer bits; fails if the value does not fit."""
    target = physical_type(to)
    try:
        return data.cast(target), None
    except pa.ArrowInvalid:
        result = data.cast(target, safe=False)
        mask = logic.is_true(pc.not_equal(result.cast(data.type), data))
        return logic.null_where(result, mask), mask


def float_to_integer(data: Any, to: DataType) -> Any:
    """Java's (int) or (long), for byte and short then wrapped."""
    bits = max(INTEGRAL_BITS[to.name], 32)
    dtype = np.dtype(f"int{bits}")
    ends = np.iinfo(dtype)
    raw = views.values(data).astype(np.float64)
    limit = 2.0 ** (bits - 1)
    inside = (raw > -limit) & (raw < limit)
    result = np.where(inside, raw, 0.0).astype(dtype)
    if not inside.all():
        result[raw >= limit] = ends.max
        result[raw <= -limit] = ends.min
    return views.array(result, pa.int64() if bits == 64 else pa.int32(), data).cast(
        physical_type(to), safe=False
    )


def float_to_integer_checked(data: Any, to: DataType) -> tuple[Any, Any]:
    """Truncated; fails for NaN and if the truncated value does not fit."""
    limit = 2.0 ** (INTEGRAL_BITS[to.name] - 1)
    truncated = np.trunc(views.values(data).astype(np.float64))
    inside = (truncated >= -limit) & (truncated < limit)
    target = physical_type(to)
    result = np.where(inside, truncated, 0.0).astype(views.dtype(target))
    array = views.array(result, target, data)
    if inside.all():
        return array, None
    mask = logic.is_true(views.array(~inside, pa.bool_(), data))
    if not logic.any(mask):
        return array, None
    return logic.null_where(array, mask), mask


def to_boolean(data: Any) -> Any:
    """True for values other than zero (NaN is true)."""
    return pc.not_equal(data, pa.scalar(0, data.type))


def integer_to_string(data: Any) -> Any:
    """Decimal digits, with a minus sign for negative numbers."""
    return texts_of(data, lambda numbers: numbers.cast(pa.string()))


def integer_to_grouped_string(data: Any) -> Any:
    """Decimal digits of longs that are not negative, with commas between groups of three."""
    return grouped_digits(data)


def digits_to_string(numbers: Sequence[Any], layout: Sequence[str | int]) -> Any:
    """Texts of a layout, which has ASCII texts and the number of digits of each of `numbers`."""
    return digit_texts(numbers, layout)


def boolean_to_string(data: Any) -> Any:
    """`true` or `false`."""
    return data.cast(pa.string())


def float_to_string(data: Any, *, shortest: bool) -> Any:
    """The text of Java's Double.toString or Float.toString; `shortest` is Java 19's rule."""
    return text_of_floats(data, shortest=shortest)


def reinterpret(data: Any, to: DataType) -> Any:
    """The same bits as another type."""
    target = physical_type(to)
    if data.type == target:
        return data
    if isinstance(data, pa.Scalar):
        return pa.repeat(data, 1).view(target)[0]
    return data.view(target)
