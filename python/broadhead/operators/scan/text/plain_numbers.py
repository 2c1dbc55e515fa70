"""Plain numbers of spans as values of Spark's types.

Each function gives the values, and a mask of those that are not plain numbers of the type, None for
none: they have no meaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from broadhead.operators.scan.text.characters import WORD
from broadhead.types import INTEGRAL_BITS, MAX_LONG_DIGITS, DecimalType

if TYPE_CHECKING:
    from broadhead.operators.scan.text.numbers import Numbers
    from broadhead.types import DataType

_INTEGERS = {"byte": np.int8, "short": np.int16, "integer": np.int32, "long": np.int64}
_POWERS = 10 ** np.arange(MAX_LONG_DIGITS + 1, dtype=np.int64)
_EXACT_DOUBLE = 1 << 53


def is_plain_type(data_type: DataType) -> bool:
    """Whether plain numbers can be values of the type."""
    if isinstance(data_type, DecimalType):
        return data_type.precision <= MAX_LONG_DIGITS
    return data_type.name in _INTEGERS or data_type.name == "double"


def plain_numbers(numbers: Numbers, data_type: DataType) -> tuple[Any, Any | None]:
    """The physical values as numpy's."""
    if isinstance(data_type, DecimalType):
        return _decimals(numbers, data_type)
    return _doubles(numbers) if data_type.name == "double" else _integers(numbers, data_type)


def _integers(numbers: Numbers, data_type: DataType) -> tuple[Any, Any | None]:
    unscaled = numbers.unscaled()
    values = unscaled.astype(_INTEGERS[data_type.name], copy=False)
    most = 2 ** (INTEGRAL_BITS[data_type.name] - 1)
    if _are_all(numbers, 0) and 10**numbers.digits <= most:
        return values, None
    unparsed = _others(numbers) | (numbers.fractions > 0)
    if data_type.name != "long":
        unparsed |= (unscaled < -most) | (unscaled >= most)
    return values, unparsed


def _doubles(numbers: Numbers) -> tuple[Any, Any | None]:
    """The quotient of two exact doubles is the nearest double."""
    unscaled = numbers.unscaled()
    values = unscaled / _POWERS[numbers.fractions].astype(np.float64)
    if _are_all(numbers, WORD) and numbers.negative is None and 10**numbers.digits <= _EXACT_DOUBLE:
        return values, None
    unparsed = _others(numbers) | (np.abs(unscaled) >= _EXACT_DOUBLE)
    if numbers.negative is not None:
        # the sign of -0 is lost
        unparsed |= (unscaled == 0) & numbers.negative
    return values, unparsed


def _decimals(numbers: Numbers, data_type: DecimalType) -> tuple[Any, Any | None]:
    unscaled, scale = numbers.unscaled(), data_type.scale
    missing = np.maximum(scale - numbers.fractions, 0)
    if _are_all(numbers, scale) and numbers.digits + int(missing) <= data_type.precision:
        return (unscaled * _POWERS[missing] if missing else unscaled), None
    most = _POWERS[np.maximum(data_type.precision - missing, 0)]
    unparsed = _others(numbers) | (numbers.fractions > scale)
    unparsed |= np.abs(unscaled) >= most
    return unscaled * _POWERS[missing], unparsed


def _are_all(numbers: Numbers, fraction: int) -> bool:
    """Whether all are plain numbers with one number of digits after the point, at most so many."""
    same = isinstance(numbers.fractions, int)
    return numbers.plain is None and same and numbers.fractions <= fraction


def _others(numbers: Numbers) -> Any:
    """Mask of what are no plain numbers."""
    return np.zeros(len(numbers.low), bool) if numbers.plain is None else ~numbers.plain
