"""Logarithms, with the operations of fdlibm in their order."""

from __future__ import annotations

import numpy as np

from broadhead.kernels.arrow.fdlibm.exponentials import LN2_HIGH, LN2_LOW
from broadhead.kernels.arrow.fdlibm.words import (
    Doubles,
    Words,
    high,
    magnitude,
    polynomial,
    with_high,
)

_SERIES = (
    6.666666666666735130e-01,
    3.999999999940941908e-01,
    2.857142874366239149e-01,
    2.222219843214978396e-01,
    1.818357216161805012e-01,
    1.531383769920937332e-01,
    1.479819860511658591e-01,
)
_INVERSE_LN10 = 4.34294481903251816668e-01
_LOG10_2_HIGH = 3.01029995663611771306e-01
_LOG10_2_LOW = 3.69423907715893078616e-13
_FRACTION = 0xFFFFF
_LEAST_NORMAL = 0x100000


def log(x: Doubles) -> Doubles:
    """Natural logarithm, NaN of a negative number."""
    normal, k = _normal(x)
    words = high(normal)
    k += (words >> 20) - 1023
    words &= _FRACTION
    carry = (words + 0x95F64) & 0x100000
    fraction = with_high(normal, words | (carry ^ 0x3FF00000))
    k += carry >> 20
    f = fraction - 1.0
    near = (_FRACTION & (2 + words)) < 3
    middle = ((words - 0x6147A) | (0x6B851 - words)) > 0
    times = k.astype(np.float64)
    y = np.where(near, _near_one(f, times), _series(f, times, middle))
    return _at_the_ends(x, y)


def _normal(x: Doubles) -> tuple[Doubles, Words]:
    """Subnormal doubles made normal, and the exponents to add."""
    small = high(x) < _LEAST_NORMAL
    return np.where(small, x * 2.0**54, x), np.where(small, -54, 0)


def _near_one(f: Doubles, times: Doubles) -> Doubles:
    r = f * f * (0.5 - 0.33333333333333333 * f)
    y = times * LN2_HIGH - ((r - times * LN2_LOW) - f)
    return np.where(f == 0, times * LN2_HIGH + times * LN2_LOW, y)


def _series(f: Doubles, times: Doubles, middle: np.ndarray) -> Doubles:
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    r = z * polynomial(w, *_SERIES[::2]) + w * polynomial(w, *_SERIES[1::2])
    half = 0.5 * f * f
    inside = times * LN2_HIGH - ((half - (s * (half + r) + times * LN2_LOW)) - f)
    outside = times * LN2_HIGH - ((s * (f - r) - times * LN2_LOW) - f)
    return np.where(middle, inside, outside)


def _at_the_ends(x: Doubles, y: Doubles) -> Doubles:
    y = np.where(x > 0, y, np.where(x == 0, -np.inf, np.nan))
    return np.where(np.isposinf(x), x, y)


def log10(x: Doubles) -> Doubles:
    """Logarithm to the base 10, NaN of a negative number."""
    normal, k = _normal(x)
    words = high(normal)
    k += (words >> 20) - 1023
    below = (k < 0).astype(np.int64)
    times = (k + below).astype(np.float64)
    fraction = with_high(normal, (words & _FRACTION) | ((0x3FF - below) << 20))
    z = times * _LOG10_2_LOW + _INVERSE_LN10 * log(fraction)
    return _at_the_ends(x, z + times * _LOG10_2_HIGH)


def log1p(x: Doubles) -> Doubles:
    """Natural logarithm of 1 + x, NaN below -1."""
    words, ix = high(x), magnitude(x)
    direct = (words < 0x3FDA827A) & ((words > 0) | (words <= 0xBFD2BEC3 - (1 << 32)))
    f, k, c, rest = _increased(x, words)
    f = np.where(direct, x, f)
    k = np.where(direct, 0, k)
    c = np.where(direct, 0.0, c)
    near = (rest == 0) & ~direct
    times = k.astype(np.float64)
    half = 0.5 * f * f
    close = half * (1.0 - 0.66666666666666666 * f)
    y_near = times * LN2_HIGH - ((close - (times * LN2_LOW + c)) - f)
    y_near = np.where(f == 0, times * LN2_HIGH + (c + times * LN2_LOW), y_near)
    s = f / (2.0 + f)
    z = s * s
    r = z * polynomial(z, *_SERIES)
    y = times * LN2_HIGH - ((half - (s * (half + r) + (times * LN2_LOW + c))) - f)
    y = np.where(near, y_near, y)
    tiny = np.where(ix < 0x3C900000, x, x - x * x * 0.5)
    y = np.where(ix < 0x3E200000, tiny, y)
    y = np.where(x > -1.0, y, np.where(x == -1.0, -np.inf, np.nan))
    return np.where(np.isposinf(x), x, y)


def _increased(x: Doubles, words: Words) -> tuple[Doubles, Words, Doubles, Words]:
    """1 + x as `(1 + f) * 2**k`, the error of it, and what of the fraction decides the series."""
    large = words >= 0x43400000
    u = np.where(large, x, 1.0 + x)
    k = (high(u) >> 20) - 1023
    c = np.where(k > 0, 1.0 - (u - x), x - (u - 1.0)) / u
    c = np.where(large, 0.0, c)
    fraction = high(u) & _FRACTION
    below = fraction < 0x6A09E
    f = with_high(u, np.where(below, fraction | 0x3FF00000, fraction | 0x3FE00000)) - 1.0
    rest = np.where(below, fraction, (0x100000 - fraction) >> 2)
    return f, np.where(below, k, k + 1), c, rest
