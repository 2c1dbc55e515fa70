"""Calls that stand for operations of Python and numpy in traced functions.

Spark has no expressions for them, or ones with another meaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from broadhead.columns import Column
from broadhead.functions.operands import arrays, require
from broadhead.functions.registry import Function
from broadhead.types import LONG

if TYPE_CHECKING:
    from collections.abc import Callable

    from broadhead.kernels.interface import Array, Kernels
    from broadhead.types import DataType

GUARD = "Guard"
EXACT_IN_DOUBLE = "ExactInDouble"
IEEE_DIVIDE = "IeeeDivide"
IEEE_SQRT = "IeeeSqrt"
FLOOR_QUOTIENT = "FloorQuotient"
FLOOR_REMAINDER = "FloorRemainder"
ROUND_TO_EVEN = "RoundToEven"
FLOOR_FLOAT = "FloorFloat"
HOST_TEXT = "HostText"
REPLACE_TEXT = "ReplaceText"
LOCAL_MICROS = "LocalMicros"

CONDITION = "PYTHON_FUNCTION"
"""The condition of `WouldRaise` for a row whose result only the function itself knows."""
EXACT_INTEGERS = 1 << 53
NO_FRACTION = {"float": 2.0**23, "double": 2.0**52}
"""The least magnitude of which all floats are integers."""


def _guard(k: Kernels, value: Column, holds: Column) -> Column:
    """The value; raises `WouldRaise` where `holds` is false (null is not)."""
    data, mask = arrays(k, [value, holds])
    require(k, k.logic.not_(mask), CONDITION)
    return Column(data, value.type)


def _exact_in_double(k: Kernels, value: Column) -> Column:
    """Longs; raises where a double may not represent the value."""
    for limit, sides in ((EXACT_INTEGERS, "less"), (-EXACT_INTEGERS, "greater")):
        bound = k.columns.scalar(limit, LONG)
        ends = (bound, value.data) if sides == "less" else (value.data, bound)
        require(k, k.compare.compare("less", *ends), CONDITION)
    return value


def _ieee_divide(k: Kernels, left: Column, right: Column) -> Column:
    """Quotient of floats; division by zero gives an infinity or NaN."""
    return Column(k.arithmetic.divide(left.data, right.data), left.type)


def _ieee_sqrt(k: Kernels, value: Column) -> Column:
    """Square root of floats, NaN of negative ones."""
    return Column(k.arithmetic.sqrt(value.data), value.type)


def _scalar(k: Kernels, value: float, data_type: DataType) -> Any:
    return k.columns.scalar(float(value) if data_type.is_floating else value, data_type)


def _floor_remainder(k: Kernels, left: Column, right: Column) -> Column:
    """Python's %: the sign of the divisor, which is not zero."""
    dividend, divisor = arrays(k, [left, right])
    return Column(_adjusted_remainder(k, dividend, divisor, left.type)[0], left.type)


def _adjusted_remainder(
    k: Kernels, dividend: Array, divisor: Array, data_type: DataType
) -> tuple[Array, Array, Array]:
    """The remainder with the divisor's sign, the one of C, and where the two differ."""
    zero = _scalar(k, 0, data_type)
    rest = k.arithmetic.remainder(dividend, divisor)
    negative = k.logic.is_true(k.compare.compare("less", divisor, zero))
    below = k.logic.is_true(k.compare.compare("less", rest, zero))
    is_zero = k.logic.is_true(k.compare.compare("equal", rest, zero))
    same_sign = k.compare.compare("equal", negative, below)
    moved = k.logic.and_(k.logic.not_(is_zero), k.logic.not_(same_sign))
    result = k.logic.if_else(moved, k.arithmetic.add(rest, divisor), rest)
    if data_type.is_floating:
        signed = k.logic.if_else(
            negative, _scalar(k, -0.0, data_type), _filled(k, 0.0, data_type, rest)
        )
        result = k.logic.if_else(is_zero, signed, result)
    return result, rest, moved


def _filled(k: Kernels, value: float, data_type: DataType, like: Array) -> Array:
    return k.columns.full(_scalar(k, value, data_type), k.columns.length(like))


def _floor_quotient(k: Kernels, left: Column, right: Column) -> Column:
    """Python's //, rounded down; the divisor is not zero."""
    dividend, divisor = arrays(k, [left, right])
    data_type = left.type
    _, rest, moved = _adjusted_remainder(k, dividend, divisor, data_type)
    one = _filled(k, 1, data_type, dividend)
    if not data_type.is_floating:
        quotient = k.arithmetic.quotient(dividend, divisor)
        lower = k.arithmetic.subtract(quotient, one)
        return Column(k.logic.if_else(moved, lower, quotient), data_type)
    # As numpy and CPython compute it, with the same roundings.
    quotient = k.arithmetic.divide(k.arithmetic.subtract(dividend, rest), divisor)
    quotient = k.logic.if_else(moved, k.arithmetic.subtract(quotient, one), quotient)
    floor = _floor(k, quotient, data_type)
    gap = k.arithmetic.subtract(quotient, floor)
    half = _scalar(k, 0.5, data_type)
    above = k.logic.is_true(k.compare.compare("less", half, gap))
    above = k.logic.and_(above, k.logic.not_(k.logic.is_nan(gap)))
    rounded = k.logic.if_else(above, k.arithmetic.add(floor, one), floor)
    zero = _scalar(k, 0, data_type)
    signed_zero = k.arithmetic.multiply(k.arithmetic.divide(dividend, divisor), zero)
    is_zero = k.logic.is_true(k.compare.compare("equal", quotient, zero))
    return Column(k.logic.if_else(is_zero, signed_zero, rounded), data_type)


def _rounded(k: Kernels, data: Array, data_type: DataType) -> Array:
    """Floats rounded to integers, halves to even: adding 2^52 leaves no bits for a fraction."""
    end = _scalar(k, NO_FRACTION[data_type.name], data_type)
    zero = _scalar(k, 0, data_type)
    size = k.arithmetic.abs(data)
    shifted = k.arithmetic.subtract(k.arithmetic.add(size, end), end)
    negative = k.logic.is_true(k.compare.compare("less", data, zero))
    signed = k.logic.if_else(negative, k.arithmetic.negate(shifted), shifted)
    has_fraction = k.logic.and_(
        k.compare.compare("less", size, end), k.logic.not_(k.compare.compare("equal", data, zero))
    )
    return k.logic.if_else(k.logic.is_true(has_fraction), signed, data)


def _floor(k: Kernels, data: Array, data_type: DataType) -> Array:
    rounded = _rounded(k, data, data_type)
    above = k.logic.is_true(k.compare.compare("less", data, rounded))
    one = _filled(k, 1, data_type, data)
    return k.logic.if_else(above, k.arithmetic.subtract(rounded, one), rounded)


def _round_to_even(k: Kernels, value: Column) -> Column:
    """Floats rounded to the nearest integer, halves to the even one; zeros keep their sign."""
    return Column(_rounded(k, value.data, value.type), value.type)


def _floor_float(k: Kernels, value: Column) -> Column:
    """Floats rounded down to an integer; zeros keep their sign."""
    return Column(_floor(k, value.data, value.type), value.type)


def _host_text(
    k: Kernels, value: Column, *, method: str, arguments: tuple[Any, ...], returns: DataType
) -> Column:
    """The kernel `method` of ASCII strings; the library's own function of the others.

    `str.upper` of Python and `utf8_upper` of Arrow differ in some characters, and from Java's. Most
    methods have no kernel.
    """
    name = method.rpartition("_")[2] if method.startswith("utf8") else method.rpartition(".")[2]
    if name not in {"upper", "lower"}:
        texts = k.columns.to_arrow(value.data, value.type)
        return Column(k.columns.from_arrow(_on_host(texts, method, arguments), returns), returns)
    length, bytes_ = k.strings.length(value.data), k.strings.byte_length(value.data)
    ascii_ = k.compare.compare("equal", length, bytes_)
    if k.logic.all(k.logic.or_(ascii_, k.logic.is_null(value.data))):
        return Column(getattr(k.strings, name)(value.data), returns)
    texts = k.columns.to_arrow(value.data, value.type)
    return Column(k.columns.from_arrow(_on_host(texts, method, arguments), returns), returns)


def _replace_text(
    k: Kernels, value: Column, *, pattern: str, replacement: str, returns: DataType
) -> Column:
    """The strings with each occurrence of a text, which is not empty, replaced."""
    import pyarrow.compute as pc

    if not k.logic.any(k.strings.contains(value.data, k.columns.scalar(pattern, value.type))):
        return Column(value.data, returns)
    texts = k.columns.to_arrow(value.data, value.type)
    replaced = pc.replace_substring(texts, pattern=pattern, replacement=replacement)
    return Column(k.columns.from_arrow(replaced, returns), returns)


def _local_micros(k: Kernels, value: Column) -> Column:
    """Microseconds of a timestamp without time zone."""
    return Column(k.cast.reinterpret(value.data, LONG), LONG)


def _on_host(texts: Any, method: str, arguments: tuple[Any, ...]) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if method.startswith("utf8"):
        return getattr(pc, method)(texts)
    if method == "split":
        return pa.array([_part(text, *arguments) for text in texts.to_pylist()], pa.string())
    apply = getattr(str, method.rpartition(".")[2])
    changed = [None if text is None else apply(text, *arguments) for text in texts.to_pylist()]
    return pa.array(changed, pa.string())


def _part(text: str | None, separator: str, index: int) -> str | None:
    """A part of a split string; None if it has no such part."""
    if text is None:
        return None
    parts = text.split(separator)
    return parts[index] if -len(parts) <= index < len(parts) else None


_NULL_INTOLERANT = {
    IEEE_DIVIDE,
    IEEE_SQRT,
    EXACT_IN_DOUBLE,
    FLOOR_FLOAT,
    ROUND_TO_EVEN,
    HOST_TEXT,
    REPLACE_TEXT,
}


def _function(call: str, evaluate: Callable[..., Column], *options: str) -> Function:
    return Function(
        name=call.lower(),
        spark=call,
        signatures=(),
        raises=call in {GUARD, EXACT_IN_DOUBLE},
        null_intolerant=call in _NULL_INTOLERANT,
        evaluate=evaluate,
        options=frozenset(options),
    )


TRACED_CALLS = {
    GUARD: _function(GUARD, _guard),
    EXACT_IN_DOUBLE: _function(EXACT_IN_DOUBLE, _exact_in_double),
    IEEE_DIVIDE: _function(IEEE_DIVIDE, _ieee_divide),
    IEEE_SQRT: _function(IEEE_SQRT, _ieee_sqrt),
    FLOOR_QUOTIENT: _function(FLOOR_QUOTIENT, _floor_quotient),
    FLOOR_REMAINDER: _function(FLOOR_REMAINDER, _floor_remainder),
    ROUND_TO_EVEN: _function(ROUND_TO_EVEN, _round_to_even),
    FLOOR_FLOAT: _function(FLOOR_FLOAT, _floor_float),
    REPLACE_TEXT: _function(REPLACE_TEXT, _replace_text, "pattern", "replacement", "returns"),
    LOCAL_MICROS: _function(LOCAL_MICROS, _local_micros),
    HOST_TEXT: _function(HOST_TEXT, _host_text, "method", "arguments", "returns"),
}
"""The calls of traced functions that are not functions of Spark, by name."""
