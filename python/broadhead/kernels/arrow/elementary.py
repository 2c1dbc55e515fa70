"""Elementary functions of doubles: numpy's, with Java's special values.

Their last digits are not always those of Java's `StrictMath`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from broadhead.kernels.arrow.arrays import views

if TYPE_CHECKING:
    from collections.abc import Callable


def exp(data: Any) -> Any:
    """E to the power of the number."""
    return _computed(np.exp, data)


def expm1(data: Any) -> Any:
    """E to the power of the number, minus 1."""
    return _computed(np.expm1, data)


def log(data: Any) -> Any:
    """Natural logarithm, -Infinity of 0."""
    return _computed(np.log, data)


def log10(data: Any) -> Any:
    """Logarithm to the base 10, -Infinity of 0."""
    return _computed(np.log10, data)


def log1p(data: Any) -> Any:
    """Natural logarithm of 1 plus the number, -Infinity of -1."""
    return _computed(np.log1p, data)


def pow(base: Any, exponent: Any) -> Any:
    """The base to the power of the exponent, NaN of 1 and an infinity."""
    return _computed(_pow, base, exponent)


def cbrt(data: Any) -> Any:
    """Cube root."""
    return _computed(np.cbrt, data)


def hypot(left: Any, right: Any) -> Any:
    """Square root of the sum of both squares."""
    return _computed(np.hypot, left, right)


def sinh(data: Any) -> Any:
    """Hyperbolic sine."""
    return _computed(np.sinh, data)


def cosh(data: Any) -> Any:
    """Hyperbolic cosine."""
    return _computed(np.cosh, data)


def tanh(data: Any) -> Any:
    """Hyperbolic tangent."""
    return _computed(np.tanh, data)


def asin(data: Any) -> Any:
    """Inverse sine."""
    return _computed(np.arcsin, data)


def acos(data: Any) -> Any:
    """Inverse cosine."""
    return _computed(np.arccos, data)


def atan(data: Any) -> Any:
    """Inverse tangent."""
    return _computed(np.arctan, data)


def atan2(y: Any, x: Any) -> Any:
    """The angle of the point (x, y)."""
    return _computed(np.arctan2, y, x)


def sin(data: Any) -> Any:
    """Sine."""
    return _computed(np.sin, data)


def cos(data: Any) -> Any:
    """Cosine."""
    return _computed(np.cos, data)


def tan(data: Any) -> Any:
    """Tangent."""
    return _computed(np.tan, data)


def _pow(base: Any, exponent: Any) -> Any:
    # C's pow of 1 is always 1, Java's is NaN with an infinity or NaN.
    none = (np.abs(base) == 1.0) & ~np.isfinite(exponent)
    return np.where(none, np.nan, np.power(base, exponent))


def _computed(function: Callable[..., Any], *arguments: Any) -> Any:
    rows = views.row_count(*arguments)
    columns = [views.full(argument, rows) for argument in arguments]
    with np.errstate(all="ignore"):
        result = function(*(views.values(column) for column in columns))
    return pa.Array.from_buffers(
        pa.float64(), rows, [views.validity(columns), pa.py_buffer(result)]
    )
