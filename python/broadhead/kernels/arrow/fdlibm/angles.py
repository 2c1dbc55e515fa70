"""Inverse trigonometric functions, with the operations of fdlibm in their order."""

from __future__ import annotations

import numpy as np

from broadhead.kernels.arrow.fdlibm.words import (
    Doubles,
    high,
    magnitude,
    polynomial,
    replaced,
    truncated,
)

_PI = 3.1415926535897931160
_PI_LOW = 1.2246467991473531772e-16
_HALF_PI = 1.57079632679489655800
_HALF_PI_LOW = 6.12323399573676603587e-17
_QUARTER_PI = 7.85398163397448278999e-01
_ASIN_NUMERATOR = (
    1.66666666666666657415e-01,
    -3.25565818622400915405e-01,
    2.01212532134862925881e-01,
    -4.00555345006794114027e-02,
    7.91534994289814532176e-04,
    3.47933107596021167570e-05,
)
_ASIN_DENOMINATOR = (
    1.0,
    -2.40339491173441421878,
    2.02094576023350569471,
    -6.88283971605453293030e-01,
    7.70381505559019352791e-02,
)
_ATAN_HIGH = (
    4.63647609000806093515e-01,
    7.85398163397448278999e-01,
    9.82793723247329054082e-01,
    1.57079632679489655800,
)
_ATAN_LOW = (
    2.26987774529616870924e-17,
    3.06161699786838301793e-17,
    1.39033110312309984516e-17,
    6.12323399573676603587e-17,
)
_ATAN_SERIES = (
    3.33333333333329318027e-01,
    -1.99999999998764832476e-01,
    1.42857142725034663711e-01,
    -1.11111104054623557880e-01,
    9.09088713343650656196e-02,
    -7.69187620504482999495e-02,
    6.66107313738753120669e-02,
    -5.83357013379057348645e-02,
    4.97687799461593236017e-02,
    -3.65315727442169155270e-02,
    1.62858201153657823623e-02,
)
_HALF = 0x3FE00000


def _asin_ratio(t: Doubles) -> tuple[Doubles, Doubles]:
    return t * polynomial(t, *_ASIN_NUMERATOR), polynomial(t, *_ASIN_DENOMINATOR)


def asin(x: Doubles) -> Doubles:
    """Inverse sine, NaN beyond 1."""
    ix, at = magnitude(x), np.abs(x)
    p, q = _asin_ratio(x * x)
    inner = np.where(ix < 0x3E400000, x, x + x * (p / q))
    t = (1.0 - at) * 0.5
    p, q = _asin_ratio(t)
    s = np.sqrt(t)
    ratio = p / q
    end = _HALF_PI - (2.0 * (s + s * ratio) - _HALF_PI_LOW)
    w = truncated(s)
    c = (t - w * w) / (s + w)
    correction = 2.0 * s * ratio - (_HALF_PI_LOW - 2.0 * c)
    middle = _QUARTER_PI - (correction - (_QUARTER_PI - 2.0 * w))
    outer = np.where(ix >= 0x3FEF3333, end, middle)
    outer = np.where(high(x) > 0, outer, -outer)
    y = np.where(ix < _HALF, inner, outer)
    y = np.where(at == 1.0, x * _HALF_PI + x * _HALF_PI_LOW, y)
    return np.where(at <= 1.0, y, np.nan)


def acos(x: Doubles) -> Doubles:
    """Inverse cosine, NaN beyond 1."""
    ix, at = magnitude(x), np.abs(x)
    p, q = _asin_ratio(x * x)
    inner = _HALF_PI - (x - (_HALF_PI_LOW - x * (p / q)))
    inner = np.where(ix <= 0x3C600000, _HALF_PI + _HALF_PI_LOW, inner)
    z = (1.0 - at) * 0.5
    p, q = _asin_ratio(z)
    s = np.sqrt(z)
    ratio = p / q
    below = _PI - 2.0 * (s + (ratio * s - _HALF_PI_LOW))
    w = truncated(s)
    c = (z - w * w) / (s + w)
    above = 2.0 * (w + (ratio * s + c))
    y = np.where(ix < _HALF, inner, np.where(x < 0, below, above))
    y = np.where(at == 1.0, np.where(x > 0, 0.0, _PI + 2.0 * _HALF_PI_LOW), y)
    return np.where(at <= 1.0, y, np.nan)


def atan(x: Doubles) -> Doubles:
    """Inverse tangent."""
    ix, at = magnitude(x), np.abs(x)
    bounds = [ix < 0x3FE60000, ix < 0x3FF30000, ix < 0x40038000]
    moved = [(2.0 * at - 1.0) / (2.0 + at), (at - 1.0) / (at + 1.0), (at - 1.5) / (1.0 + 1.5 * at)]
    small = ix < 0x3FDC0000
    t = np.where(small, x, np.select(bounds, moved, -1.0 / at))
    upper = np.select(bounds, _ATAN_HIGH[:3], _ATAN_HIGH[3])
    lower = np.select(bounds, _ATAN_LOW[:3], _ATAN_LOW[3])
    z = t * t
    w = z * z
    even = z * polynomial(w, *_ATAN_SERIES[::2])
    odd = w * polynomial(w, *_ATAN_SERIES[1::2])
    outer = upper - ((t * (even + odd) - lower) - t)
    outer = np.where(ix >= 0x44100000, _ATAN_HIGH[3] + _ATAN_LOW[3], outer)
    y = np.where(small, t - t * (even + odd), np.where(high(x) < 0, -outer, outer))
    y = np.where(ix < 0x3E200000, x, y)
    return np.where(np.isnan(x), x, y)


def atan2(y: Doubles, x: Doubles) -> Doubles:
    """The angle of the point (x, y)."""
    left, below = high(x) < 0, high(y) < 0
    distance = (magnitude(y) - magnitude(x)) >> 20
    z = np.where(left & (distance < -60), 0.0, atan(np.abs(y / x)))
    z = np.where(distance > 60, _HALF_PI + 0.5 * _PI_LOW, z)
    angle = np.where(left, _PI - (z - _PI_LOW), z)
    both = np.isinf(x) & np.isinf(y)
    angle = np.where(np.isinf(x), np.where(left, _PI, 0.0), angle)
    angle = np.where(both, np.where(left, 3.0 * _QUARTER_PI, _QUARTER_PI), angle)
    angle = np.where(np.isinf(y) & ~both, _HALF_PI, angle)
    angle = np.where(x == 0, _HALF_PI, angle)
    angle = np.where(y == 0, np.where(left, _PI, 0.0), angle)
    result = np.where(below, -angle, angle)
    result = replaced(result, x == 1.0, atan, y)
    return np.where(np.isnan(x) | np.isnan(y), np.nan, result)
