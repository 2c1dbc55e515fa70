"""Decimals as unscaled data.

If a bound on the values shows that nothing overflows 64 bits, the arithmetic uses int64. Otherwise
it uses `wide_arithmetic`, and Python's integers (`exact`) for quotients.
"""

from __future__ import annotations

import decimal
import math
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from broadhead.kernels.arrow import logic
from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.arrays.layout import UNSCALED
from broadhead.kernels.arrow.decimals import exact_sum, wide, wide_arithmetic
from broadhead.kernels.arrow.decimals.exact import (
    from_integers,
    integers,
    map_integers,
    rescaled,
    round_half_up,
    truncate,
)
from broadhead.kernels.arrow.text.range_texts import texts_of
from broadhead.types import MAX_PRECISION

builtin_abs = abs

Array = Any
Data = Any
Checked = tuple[Array, Array | None]

EXACT_DOUBLE = 2**52
EXACT_POWER = 22
"""10^22 is the largest power of ten that a double represents exactly."""

DIVISION_SCALE = 38
"""Spark first rounds quotients to this many digits after the point."""

LARGEST_CLEAR = 2**43
CLEAR_OF_TIE = 0.5 - 2**-8
"""Doubles up to LARGEST_CLEAR are 2^-10 apart; so far from a tie they round like their text."""

PLAIN_SCALE = 6
"""Up to this scale, the text of a decimal has no exponent."""

SAFE_SCALE = 18
"""Up to this scale, rounding to 38 digits first cannot change a quotient of 64-bit numbers."""

__all__ = [
    "abs", "add", "divide", "exceeds", "fits_long", "from_double", "from_integer", "is_zero",
    "multiply", "negate", "quotient", "remainder", "rescale", "subtract", "to_double",
    "to_integer", "to_integer_wrapped", "to_string",
]  # fmt: skip


def fits_long(data: Array) -> Array | None:
    """The same data as int64, or None if a value does not fit."""
    return wide.narrow(data)


def from_integer(data: Array) -> Array:
    """Integers of any width as int64 unscaled data of scale 0."""
    return views.contiguous(pc.cast(data, pa.int64()))


def _magnitude(data: Data) -> int:
    """A bound on the absolute values; at least 2^63 for data of 128 bits."""
    low, high = wide.bounds(data)
    return max(-low, high, wide.LONG_LIMIT if wide.is_wide(data) else 0)


def _long(data: Data) -> Data:
    """Scalars and 128-bit data as int64 if they fit."""
    if isinstance(data, pa.Scalar):
        value = data.as_py()
        fits = value is None or -wide.LONG_LIMIT <= int(value) < wide.LONG_LIMIT
        return pa.scalar(None if value is None else int(value), pa.int64()) if fits else data
    return wide.narrowest(data)


def exceeds(data: Array, precision: int) -> Array | None:
    """Mask of the values with more than `precision` digits, or None if there are none."""
    return exact_sum.exceeds(data, precision)


def _check_precision(data: Array, precision: int) -> Checked:
    mask = exact_sum.exceeds(data, precision)
    if mask is None or not logic.any(mask):
        return data, None
    return logic.null_where(data, mask), mask


def _times(data: Data, factor: int) -> Data:
    if factor == 1 or factor >= wide.LONG_LIMIT:  # only zeros fit after scaling
        return data
    return pc.multiply(data, pa.scalar(factor, pa.int64()))


def add(
    left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
) -> Checked:
    """The exact sum, rounded to `scale`."""
    return _add(left, left_scale, right, right_scale, precision, scale, 1)


def subtract(
    left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
) -> Checked:
    """The exact difference, rounded to `scale`."""
    return _add(left, left_scale, right, right_scale, precision, scale, -1)


def _add(
    left: Data,
    left_scale: int,
    right: Data,
    right_scale: int,
    precision: int,
    scale: int,
    sign: int,
) -> Checked:
    left, right = _long(left), _long(right)
    common = max(left_scale, right_scale)
    left_factor, right_factor = 10 ** (common - left_scale), 10 ** (common - right_scale)
    bound = _magnitude(left) * left_factor + _magnitude(right) * right_factor
    if bound < wide.LONG_LIMIT:
        combine = pc.add if sign > 0 else pc.subtract
        exact = views.contiguous(combine(_times(left, left_factor), _times(right, right_factor)))
        return rescale(exact, common, precision, scale)
    digits = scale - common
    if bound * 10 ** max(digits, 0) < wide_arithmetic.LIMIT:
        combine = wide_arithmetic.add if sign > 0 else wide_arithmetic.subtract
        terms = [
            wide_arithmetic.times(side, factor)
            for side, factor in ((left, left_factor), (right, right_factor))
        ]
        return wide_arithmetic.rescale(combine(*terms), digits, precision)
    return map_integers(
        lambda a, b: rescaled(a * left_factor + sign * b * right_factor, digits),
        [left, right],
        precision,
    )


def multiply(
    left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
) -> Checked:
    """The exact product, rounded to `scale`."""
    left, right = _long(left), _long(right)
    exact_scale = left_scale + right_scale
    sizes = _magnitude(left), _magnitude(right)
    bound = sizes[0] * sizes[1]
    if max(*sizes, bound) < wide.LONG_LIMIT:
        return rescale(views.contiguous(pc.multiply(left, right)), exact_scale, precision, scale)
    digits = scale - exact_scale
    if bound * 10 ** max(digits, 0) < wide_arithmetic.LIMIT:
        product = wide_arithmetic.multiply(left, right)
        return wide_arithmetic.rescale(product, digits, precision)
    return map_integers(lambda a, b: rescaled(a * b, digits), [left, right], precision)


def divide(
    left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
) -> Checked:
    """The quotient, rounded to 38 digits and then to `scale`; null if `right` is zero."""
    left, right = _long(left), _long(right)
    digits = scale + right_scale - left_scale
    up, down = 10 ** max(digits, 0), 10 ** max(-digits, 0)
    fits = (
        scale <= SAFE_SCALE
        and _magnitude(left) * up < wide.LONG_LIMIT
        and _magnitude(right) * down < wide.LONG_LIMIT // 2
    )
    if fits:
        dividend, divisor = _times(left, up), _nonzero(_times(right, down))
        return _check_precision(_round_half_up(dividend, divisor), precision)
    extra = DIVISION_SCALE + right_scale - left_scale
    if extra >= 0 and _magnitude(left) * 10**extra < wide_arithmetic.DIVIDEND_LIMIT:
        first = wide_arithmetic.divide(left, _nonzero(right), extra)
        return wide_arithmetic.rescale(first, scale - DIVISION_SCALE, precision)

    def exact(a: int, b: int) -> int | None:
        if not b:
            return None
        first = round_half_up(a * 10 ** max(extra, 0), b * 10 ** max(-extra, 0))
        return rescaled(first, scale - DIVISION_SCALE)

    return map_integers(exact, [left, right], precision)


def _nonzero(divisor: Data) -> Data:
    zero, null = pa.scalar(0, divisor.type), pa.scalar(None, divisor.type)
    return pc.if_else(pc.equal(divisor, zero), null, divisor)


def _round_half_up(dividend: Data, divisor: Data) -> Array:
    """int64 quotients rounded away from zero at a tie; twice the divisor must fit."""
    truncated = pc.divide(dividend, divisor)
    rest = pc.subtract(dividend, pc.multiply(truncated, divisor))
    up = pc.greater_equal(pc.multiply(pc.abs(rest), pa.scalar(2, pa.int64())), pc.abs(divisor))
    same_sign = pc.greater_equal(pc.bit_wise_xor(dividend, divisor), pa.scalar(0, pa.int64()))
    one, zero = pa.scalar(1, pa.int64()), pa.scalar(0, pa.int64())
    away = pc.if_else(up, pc.if_else(same_sign, one, pa.scalar(-1, pa.int64())), zero)
    return views.contiguous(pc.add(truncated, away))


def quotient(left: Data, left_scale: int, right: Data, right_scale: int) -> Checked:
    """The quotient truncated toward zero, as int64; null if `right` is zero."""
    left, right = _long(left), _long(right)
    common = max(left_scale, right_scale)
    left_factor, right_factor = 10 ** (common - left_scale), 10 ** (common - right_scale)
    if max(_magnitude(left) * left_factor, _magnitude(right) * right_factor) < wide.LONG_LIMIT:
        divisor = _nonzero(_times(right, right_factor))
        return views.contiguous(pc.divide(_times(left, left_factor), divisor)), None
    result, failed = map_integers(
        lambda a, b: truncate(a * left_factor, b * right_factor) if b else None,
        [left, right],
        MAX_PRECISION * 2,
    )
    return _to_long_checked(result, failed)


def _to_long_checked(data: Array, failed: Array | None) -> Checked:
    narrow = wide.narrow(data)
    if narrow is not None:
        return narrow, failed
    words = views.limbs(data)
    outside = logic.is_true(views.array(words[:, 1] != words[:, 0] >> 63, pa.bool_(), data))
    return logic.null_where(views.array(words[:, 0], pa.int64(), data), outside), outside


def remainder(
    left: Data, left_scale: int, right: Data, right_scale: int, precision: int, scale: int
) -> Checked:
    """The remainder with the dividend's sign, rounded to `scale`; null if `right` is zero.

    Fails if the integral quotient has more than 38 digits: Java may reject such a division.
    """
    left, right = _long(left), _long(right)
    common = max(left_scale, right_scale)
    left_factor, right_factor = 10 ** (common - left_scale), 10 ** (common - right_scale)
    if max(_magnitude(left) * left_factor, _magnitude(right) * right_factor) < wide.LONG_LIMIT:
        dividend, divisor = _times(left, left_factor), _nonzero(_times(right, right_factor))
        rest = pc.subtract(dividend, pc.multiply(pc.divide(dividend, divisor), divisor))
        return rescale(views.contiguous(rest), common, precision, scale)

    def exact(a: int, b: int) -> int | None:
        if not b:
            return None
        whole, rest = divmod(builtin_abs(a * left_factor), builtin_abs(b * right_factor))
        if whole >= 10**MAX_PRECISION:
            return int(10**precision)
        return rescaled(-rest if a < 0 else rest, scale - common)

    return map_integers(exact, [left, right], precision)


def rescale(data: Array, from_scale: int, precision: int, to_scale: int) -> Checked:
    """The same value with `to_scale` digits after the point."""
    digits = to_scale - from_scale
    data = wide.narrowest(data)
    if digits == 0:
        return _check_precision(data, precision)
    if not wide.is_wide(data):
        if digits > 0 and _magnitude(data) * 10**digits < wide.LONG_LIMIT:
            return _check_precision(views.contiguous(_times(data, 10**digits)), precision)
        if -SAFE_SCALE <= digits < 0:
            divisor = pa.scalar(10**-digits, pa.int64())
            return _check_precision(_round_half_up(data, divisor), precision)
    return wide_arithmetic.rescale(data, digits, precision)


def negate(data: Array) -> Array:
    """Negative."""
    if wide.is_wide(data):
        return wide.narrowest(pc.negate(data))
    try:
        return pc.negate_checked(data)
    except pa.ArrowInvalid:
        return pc.negate(wide.widen(data))


def abs(data: Array) -> Array:
    """Magnitude."""
    if wide.is_wide(data):
        return wide.narrowest(pc.abs(data))
    try:
        return pc.abs_checked(data)
    except pa.ArrowInvalid:
        return pc.abs(wide.widen(data))


def is_zero(data: Array) -> Array:
    """Boolean; null for null."""
    if not wide.is_wide(data):
        return views.contiguous(pc.equal(data, pa.scalar(0, pa.int64())))
    return views.array((views.limbs(data) == 0).all(axis=1), pa.bool_(), data)


def to_integer(data: Array, scale: int) -> Checked:
    """Truncated to int64; fails if it does not fit."""
    data = wide.narrowest(data)
    if not wide.is_wide(data) and scale <= SAFE_SCALE:
        return views.contiguous(pc.divide(data, pa.scalar(10**scale, pa.int64()))), None
    return _to_long_checked(_truncated(data, scale), None)


def to_integer_wrapped(data: Array, scale: int) -> Array:
    """The low 64 bits of the truncated value."""
    data = wide.narrowest(data)
    if not wide.is_wide(data) and scale <= SAFE_SCALE:
        return to_integer(data, scale)[0]
    truncated = _truncated(data, scale)
    return views.array(views.limbs(truncated)[:, 0], pa.int64(), truncated)


def _truncated(data: Array, scale: int) -> Array:
    """128-bit data without the last digits, truncated."""
    return wide.widen(data).view(pa.decimal128(MAX_PRECISION, scale)).cast(UNSCALED, safe=False)


def to_double(data: Array, scale: int) -> Array:
    """The nearest double."""
    data = wide.narrowest(data)
    if not wide.is_wide(data) and scale <= EXACT_POWER and _magnitude(data) < EXACT_DOUBLE:
        return views.array(views.values(data) / float(10**scale), pa.float64(), data)
    power = 10**scale
    numbers = integers(data, len(data))
    return pa.array([None if n is None else n / power for n in numbers], pa.float64())


def from_double(data: Array, precision: int, scale: int) -> Checked:
    """From the shortest decimal text of a double, rounded to `scale`; NaN and infinities fail."""
    if scale > EXACT_POWER or precision > SAFE_SCALE:
        return _from_texts(data, precision, scale)
    with np.errstate(all="ignore"):
        shifted = views.values(data) * 10.0**scale
        nearest = np.rint(shifted)
        # far from a tie and from the limit, the rounding error of the product does not matter
        clear = np.abs(shifted - nearest) < CLEAR_OF_TIE
        clear &= np.abs(nearest) < min(LARGEST_CLEAR, 10**precision - 1)
    numbers = np.where(clear, nearest, 0).astype(np.int64)
    result = views.array(numbers, pa.int64(), data)
    unclear = logic.and_(views.array(~clear, pa.bool_()), pc.is_valid(data))
    if not logic.any(unclear):
        return result, None
    rest, failed = _from_texts(data.filter(unclear), precision, scale)
    rows = np.flatnonzero(views.values(unclear))
    numbers[rows] = views.values(rest)
    failures = np.zeros(len(data), bool)
    if failed is not None:
        failures[rows] = views.values(failed)
    mask = views.array(failures, pa.bool_()) if failed is not None else None
    result = views.array(numbers, pa.int64(), data)
    return (result, None) if mask is None else (logic.null_where(result, mask), mask)


def _from_texts(data: Array, precision: int, scale: int) -> Checked:
    limit = 10**precision
    results: list[int | None] = []
    failed: list[bool] = []
    with decimal.localcontext() as context:
        context.prec = 400
        context.rounding = decimal.ROUND_HALF_UP
        for number in data.to_pylist():
            result = None
            if number is not None and math.isfinite(number):
                text = decimal.Decimal(repr(number))
                result = int(text.scaleb(scale).to_integral_value())
                if not -limit < result < limit:
                    result = None
            failed.append(number is not None and result is None)
            results.append(result)
    mask = pa.array(failed, pa.bool_()) if any(failed) else None
    return from_integers(results, precision), mask


def to_string(data: Array, scale: int, *, plain: bool) -> Array:
    """Java's BigDecimal.toPlainString, or toString."""
    if scale <= PLAIN_SCALE:
        if data.type == UNSCALED:
            return _text_of_wide(data, scale)
        return texts_of(data, lambda numbers: _text_of_wide(numbers, scale))
    numbers = integers(data, len(data))
    render = _plain if plain else _scientific
    return pa.array([None if n is None else render(n, scale) for n in numbers], pa.string())


def _text_of_wide(data: Array, scale: int) -> Array:
    return wide.widen(data).view(pa.decimal128(MAX_PRECISION, scale)).cast(pa.string())


def _plain(number: int, scale: int) -> str:
    if not scale:
        return str(number)
    digits = str(builtin_abs(number)).rjust(scale + 1, "0")
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[:-scale]}.{digits[-scale:]}"


def _scientific(number: int, scale: int) -> str:
    """With an exponent if the first digit is more than six positions after the point."""
    digits = str(builtin_abs(number))
    exponent = len(digits) - 1 - scale
    if exponent >= -6:
        return _plain(number, scale)
    sign = "-" if number < 0 else ""
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{fraction}E{exponent}"
