"""Elementary functions of doubles, computed with the operations of Java's `StrictMath`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.arrays import views
from broadhead.kernels.arrow.fdlibm import angles, exponentials, logarithms, powers

if TYPE_CHECKING:
    from collections.abc import Callable

_BLOCK = 1 << 13
"""Values that are computed at once, so that the many intermediate ones stay in the caches."""


def exp(data: Any) -> Any:
    """E to the power of the number."""
    return _computed(exponentials.exp, data)


def expm1(data: Any) -> Any:
    """E to the power of the number, minus 1."""
    return _computed(exponentials.expm1, data)


def log(data: Any) -> Any:
    """Natural logarithm, -Infinity of 0."""
    return _computed(logarithms.log, data)


def log10(data: Any) -> Any:
    """Logarithm to the base 10, -Infinity of 0."""
    return _computed(logarithms.log10, data)


def log1p(data: Any) -> Any:
    """Natural logarithm of 1 plus the number, -Infinity of -1."""
    return _computed(logarithms.log1p, data)


def pow(base: Any, exponent: Any) -> Any:
    """The base to the power of the exponent, NaN of 1 and an infinity."""
    return _computed(powers.pow, base, exponent)


def cbrt(data: Any) -> Any:
    """Cube root."""
    return _computed(powers.cbrt, data)


def hypot(left: Any, right: Any) -> Any:
    """Square root of the sum of both squares."""
    return _computed(powers.hypot, left, right)


def sinh(data: Any) -> Any:
    """Hyperbolic sine."""
    return _computed(exponentials.sinh, data)


def cosh(data: Any) -> Any:
    """Hyperbolic cosine."""
    return _computed(exponentials.cosh, data)


def tanh(data: Any) -> Any:
    """Hyperbolic tangent."""
    return _computed(exponentials.tanh, data)


def asin(data: Any) -> Any:
    """Inverse sine."""
    return _computed(angles.asin, data)


def acos(data: Any) -> Any:
    """Inverse cosine."""
    return _computed(angles.acos, data)


def atan(data: Any) -> Any:
    """Inverse tangent."""
    return _computed(angles.atan, data)


def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y)."""
    return _computed(angles.atan2, y, x)


def _computed(function: Callable[..., Any], *arguments: Any) -> Any:
    rows = views.row_count(*arguments)
    columns = [views.full(argument, rows) for argument in arguments]
    values = [views.values(column) for column in columns]
    result = np.empty(rows)
    with np.errstate(all="ignore"):
        for start in range(0, rows, _BLOCK):
            block = slice(start, start + _BLOCK)
            result[block] = function(*(column[block] for column in values))
    return pa.Array.from_buffers(
        pa.float64(), rows, [views.validity(columns), pa.py_buffer(result)]
    )
