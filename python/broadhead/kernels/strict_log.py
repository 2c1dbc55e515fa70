"""The logarithm of Java's `StrictMath`, for Spark's random numbers: the operations of fdlibm."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Doubles = npt.NDArray[np.float64]

_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_SERIES = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860510658591e-01,
)
_FRACTION = 0xFFFFF


def strict_log(x: Doubles) -> Doubles:
    """Natural logarithm of each normal double above 0."""
    words = x.view(np.int64) >> 32
    fraction = words & _FRACTION
    carry = (fraction + 0x95F64) & 0x100000
    times = ((words >> 20) - 1023 + (carry >> 20)).astype(np.float64)
    low = x.view(np.int64) & 0xFFFFFFFF
    f = (((fraction | (carry ^ 0x3FF00000)) << 32) | low).view(np.float64) - 1.0
    near = (_FRACTION & (2 + fraction)) < 3
    middle = ((fraction - 0x6147A) | (0x6B851 - fraction)) > 0
    return np.where(near, _near_one(f, times), _series(f, times, middle))


def _near_one(f: Doubles, times: Doubles) -> Doubles:
    r = f * f * (0.5 - 0.33333333333333333 * f)
    y = times * _LN2_HIGH - ((r - times * _LN2_LOW) - f)
    return np.where(f == 0, times * _LN2_HIGH + times * _LN2_LOW, y)


def _series(f: Doubles, times: Doubles, middle: npt.NDArray[np.bool_]) -> Doubles:
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    r = z * _polynomial(w, _SERIES[::2]) + w * _polynomial(w, _SERIES[1::2])
    half = 0.5 * f * f
    inside = times * _LN2_HIGH - ((half - (s * (half + r) + times * _LN2_LOW)) - f)
    outside = times * _LN2_HIGH - ((s * (f - r) - times * _LN2_LOW) - f)
    return np.where(middle, inside, outside)


def _polynomial(at: Doubles, coefficients: tuple[float, ...]) -> Doubles:
    result = np.full_like(at, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = coefficient + at * result
    return result
