"""Plain numbers of spans as values of Spark's types.

Each function gives the values, and a mask of those that are not plain numbers of the type: they
have no meaning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

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


def plain_numbers(numbers: Numbers, data_type: DataType) -> tuple[Any, Any]:
    """The physical values as numpy's."""
    if isinstance(data_type, DecimalType):
        return _decimals(numbers, data_type)
    return _doubles(numbers) if data_type.name == "double" else _integers(numbers, data_type)


def _integers(numbers: Numbers, data_type: DataType) -> tuple[Any, Any]:
    most, unscaled = 2 ** (INTEGRAL_BITS[data_type.name] - 1), numbers.unscaled()
    strange = ~numbers.plain | (numbers.fractions > 0)
    if data_type.name != "long":
        strange |= (unscaled < -most) | (unscaled >= most)
    return unscaled.astype(_INTEGERS[data_type.name], copy=False), strange


def _doubles(numbers: Numbers) -> tuple[Any, Any]:
    """The quotient of two exact doubles is the nearest double."""
    unscaled = numbers.unscaled()
    strange = ~numbers.plain | (np.abs(unscaled) >= _EXACT_DOUBLE)
    if numbers.negative is not None:
        # the sign of -0 is lost
        strange |= (unscaled == 0) & numbers.negative
    return unscaled / _POWERS[numbers.fractions].astype(np.float64), strange


def _decimals(numbers: Numbers, data_type: DecimalType) -> tuple[Any, Any]:
    unscaled = numbers.unscaled()
    missing = np.maximum(data_type.scale - numbers.fractions, 0)
    most = _POWERS[np.maximum(data_type.precision - missing, 0)]
    strange = ~numbers.plain | (numbers.fractions > data_type.scale)
    strange |= np.abs(unscaled) >= most
    return unscaled * _POWERS[missing], strange
