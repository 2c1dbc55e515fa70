"""Powers, cube roots and hypotenuses, with the operations of fdlibm in their order."""

from __future__ import annotations

import numpy as np

from broadhead.kernels.arrow.fdlibm.exponentials import EXP_POLYNOMIAL
from broadhead.kernels.arrow.fdlibm.words import (
    Doubles,
    Words,
    high,
    low,
    magnitude,
    of_high,
    polynomial,
    replaced,
    scaled,
    truncated,
    with_high,
)

_LOG_SERIES = (
    5.99999999999994648725e-01,
    4.28571428578550184252e-01,
    3.33333329818377432918e-01,
    2.72728123808534006489e-01,
    2.30660745775561754067e-01,
    2.06975017800338417784e-01,
)
_LOG2_1_5_HIGH = 5.84962487220764160156e-01
_LOG2_1_5_LOW = 1.35003920212974897128e-08
_LN2 = 6.93147180559945286227e-01
_LN2_HIGH = 6.93147182464599609375e-01
_LN2_LOW = -1.90465429995776804525e-09
_OVERFLOW = 8.0085662595372944372e-17
_CP = 9.61796693925975554329e-01
"""2 / (3 ln 2)"""
_CP_HIGH = 9.61796700954437255859e-01
_CP_LOW = -7.02846165095275826516e-09
_INVERSE_LN2 = 1.44269504088896338700
_INVERSE_LN2_HIGH = 1.44269502162933349609
_INVERSE_LN2_LOW = 1.92596299112661746887e-08
_FRACTION = 0xFFFFF
_HUGE = float.fromhex("0x1.00000ffffffffp31")
"""Exponents above give infinity or zero, but for a base next to 1."""
_BELOW_ONE = float.fromhex("0x1.fffff00000000p-1")
_ABOVE_ONE = float.fromhex("0x1.00000ffffffffp0")


def pow(x: Doubles, y: Doubles) -> Doubles:
    """X to the power of y; 1 where y is 0, NaN where x is 1 and y infinite."""
    exponent = np.abs(y)
    usual = (x > 0) & (x < np.inf) & (x != 1.0) & (exponent > 0) & (exponent <= _HUGE)
    usual &= (exponent != 1.0) & (y != 0.5) & (y != 2.0)
    result = _exp2_of_product(y, *_log2(np.abs(x)))
    return replaced(result, ~usual, _of_any_numbers, x, y)


def _of_any_numbers(x: Doubles, y: Doubles) -> Doubles:
    base, exponent = np.abs(x), np.abs(y)
    odd, whole = _parity(exponent)
    sign = np.where((high(x) < 0) & odd, -1.0, 1.0)
    huge = exponent > _HUGE
    first, second = _log2(base)
    next_first, next_second = _log2_next_to_one(base)
    first, second = np.where(huge, next_first, first), np.where(huge, next_second, second)
    result = sign * _exp2_of_product(y, first, second)
    grows = np.where(base < _BELOW_ONE, y < 0, y > 0)
    far = huge & ((base < _BELOW_ONE) | (base > _ABOVE_ONE))
    result = np.where(far, sign * np.where(grows, np.inf, 0.0), result)
    result = np.where((high(x) < 0) & ~whole, np.nan, result)
    special = (base == 0) | np.isinf(base) | (base == 1.0)
    ends = np.where(y < 0, 1.0 / base, base)
    negative = np.where((base == 1.0) & ~whole, np.nan, np.where(odd, -ends, ends))
    result = np.where(special, np.where(high(x) < 0, negative, ends), result)
    return _of_special_exponent(x, y, result)


def _parity(exponent: Doubles) -> tuple[np.ndarray, np.ndarray]:
    """Whether exponents are odd numbers, and whether they are whole ones."""
    large = exponent >= 2.0**53
    integers = np.where(large, 0.0, exponent).astype(np.int64)
    whole = large | ((exponent >= 1.0) & (integers == exponent))
    return whole & ~large & ((integers & 1) == 1), whole


def _of_special_exponent(x: Doubles, y: Doubles, result: Doubles) -> Doubles:
    base = np.abs(x)
    grows = np.where(base > 1.0, y > 0, y < 0)
    infinite = np.where(base == 1.0, np.nan, np.where(grows, np.inf, 0.0))
    result = np.where(np.isinf(y), infinite, result)
    result = np.where(y == 1.0, x, np.where(y == -1.0, 1.0 / x, result))
    root = np.sqrt(np.where(base == np.inf, base, x) + 0.0)
    result = np.where(y == 0.5, root, np.where(y == 2.0, x * x, result))
    return np.where(y == 0, 1.0, np.where(np.isnan(x) | np.isnan(y), np.nan, result))


def _log2(base: Doubles) -> tuple[Doubles, Doubles]:
    """The logarithm to the base 2 in two parts, the first without a low word."""
    small = high(base) < 0x100000
    base = np.where(small, base * 2.0**53, base)
    n = np.where(small, -53, 0) + (high(base) >> 20) - 0x3FF
    fraction = high(base) & _FRACTION
    middle = (fraction > 0x3988E) & (fraction < 0xBB67A)
    above = fraction >= 0xBB67A
    n = n + above
    words = np.where(above, fraction | 0x3FE00000, fraction | 0x3FF00000)
    base = with_high(base, words)
    center = np.where(middle, 1.5, 1.0)
    p_high, p_low = _log_terms(base, words, center, middle)
    z_high = _CP_HIGH * p_high
    shift = np.where(middle, _LOG2_1_5_HIGH, 0.0)
    z_low = _CP_LOW * p_high + p_low * _CP + np.where(middle, _LOG2_1_5_LOW, 0.0)
    times = n.astype(np.float64)
    first = truncated(((z_high + z_low) + shift) + times)
    return first, z_low - (((first - times) - shift) - z_high)


def _log_terms(
    base: Doubles, words: Words, center: Doubles, middle: np.ndarray
) -> tuple[Doubles, Doubles]:
    u = base - center
    v = 1.0 / (base + center)
    ss = u * v
    s_high = truncated(ss)
    t_high = of_high(((words >> 1) | 0x20000000) + 0x80000 + (middle.astype(np.int64) << 18))
    t_low = base - (t_high - center)
    s_low = v * ((u - s_high * t_high) - s_high * t_low)
    square = ss * ss
    r = square * square * polynomial(square, *_LOG_SERIES)
    r = r + s_low * (s_high + ss)
    square = s_high * s_high
    t_high = truncated(3.0 + square + r)
    t_low = r - ((t_high - 3.0) - square)
    u = s_high * t_high
    v = s_low * t_high + t_low * ss
    p_high = truncated(u + v)
    return p_high, v - (p_high - u)


def _log2_next_to_one(base: Doubles) -> tuple[Doubles, Doubles]:
    """The same for bases that differ from 1 by less than 2**-20."""
    t = base - 1.0
    w = (t * t) * (0.5 - t * (0.3333333333333333333333 - t * 0.25))
    u = _INVERSE_LN2_HIGH * t
    v = t * _INVERSE_LN2_LOW - w * _INVERSE_LN2
    first = truncated(u + v)
    return first, v - (first - u)


def _exp2_of_product(y: Doubles, first: Doubles, second: Doubles) -> Doubles:
    """2 to the power of y times the sum of both."""
    y_high = truncated(y)
    p_low = (y - y_high) * first + y * second
    p_high = y_high * first
    z = p_low + p_high
    j = high(z)
    exact = (j == 0x40900000) & (low(z) == 0)
    over = (z >= 1024.0) & (~exact | (p_low + _OVERFLOW > z - p_high))
    under = (j & 0x7FFFFFFF) >= 0x4090CC00
    exact = (j == 0xC090CC00 - (1 << 32)) & (low(z) == 0)
    under &= (z < 0) & (~exact | (p_low <= z - p_high))
    n, t = _nearest(np.where(over | under, 0.0, z))
    result = _exp2(p_low, np.where(over | under, 0.0, p_high - t), n)
    return np.where(over, np.inf, np.where(under, 0.0, result))


def _nearest(z: Doubles) -> tuple[Words, Doubles]:
    """The nearest whole numbers, of numbers above a half in magnitude; 0 of others."""
    j = high(z)
    k = np.clip((magnitude(z) >> 20) - 0x3FF, -1, 20)
    n = j + (0x100000 >> (k + 1))
    k = np.clip(((n & 0x7FFFFFFF) >> 20) - 0x3FF, 0, 20)
    t = of_high(n & ~(_FRACTION >> k))
    whole = ((n & _FRACTION) | 0x100000) >> (20 - k)
    whole = np.where(j < 0, -whole, whole)
    rounds = magnitude(z) > 0x3FE00000
    return np.where(rounds, whole, 0), np.where(rounds, t, 0.0)


def _exp2(p_low: Doubles, p_high: Doubles, n: Words) -> Doubles:
    t = truncated(p_low + p_high)
    u = t * _LN2_HIGH
    v = (p_low - (t - p_high)) * _LN2 + t * _LN2_LOW
    z = u + v
    w = v - (z - u)
    t = z * z
    t1 = z - t * polynomial(t, *EXP_POLYNOMIAL)
    r = (z * t1) / (t1 - 2.0) - (w + z * w)
    z = 1.0 - (r - z)
    subnormal = ((high(z) + (n << 20)) >> 20) <= 0
    return replaced(scaled(z, n), subnormal, _moved, z, n)


def _moved(z: Doubles, n: Words) -> Doubles:
    return np.ldexp(z, n.astype(np.int32))


def cbrt(x: Doubles) -> Doubles:
    """Cube root."""
    at = np.abs(x)
    small = high(at) < 0x100000
    t = of_high(high(at) // 3 + 715094163)
    scaled_up = at * 2.0**54
    t = np.where(small, with_high(scaled_up, high(scaled_up) // 3 + 696219795), t)
    r = t * t / at
    s = 5.42857142857142815906e-01 + r * t
    t = t * (
        3.57142857142857150787e-01
        + 1.60714285714285720630 / (s + 1.41428571428571436819 + -7.05306122448979611050e-01 / s)
    )
    t = of_high(high(t) + 1)
    s = t * t
    r = at / s
    t = t + t * ((r - t) / (t + t + r))
    t = np.where(x < 0, -t, t)
    return np.where((x == 0) | ~np.isfinite(x), x, t)


def hypot(x: Doubles, y: Doubles) -> Doubles:
    """The square root of the sum of both squares."""
    a, b = np.maximum(np.abs(x), np.abs(y)), np.minimum(np.abs(x), np.abs(y))
    ha, hb = high(a), high(b)
    far = (ha - hb) > 0x3C00000
    large, small = ha > 0x5F300000, hb < 0x20B00000
    subnormal = small & (hb <= 0xFFFFF)
    k = np.where(large, 600, np.where(subnormal, -1022, np.where(small, -600, 0)))
    moved = np.where(large, -0x25800000, np.where(small & ~subnormal, 0x25800000, 0))
    ha, hb = ha + moved, hb + moved
    a = np.where(subnormal, a * 2.0**1022, with_high(a, ha))
    b = np.where(subnormal, b * 2.0**1022, with_high(b, hb))
    w = a - b
    t1 = of_high(ha)
    t2 = a - t1
    wide = np.sqrt(t1 * t1 - (b * (-b) - t2 * (a + t1)))
    y1 = of_high(hb)
    y2 = b - y1
    t1 = of_high(ha + 0x100000)
    t2 = (a + a) - t1
    close = np.sqrt(t1 * y1 - (w * (-w) - (t1 * y2 + t2 * b)))
    result = np.where(w > b, wide, close)
    result = np.where(k != 0, scaled(np.ones_like(x), k) * result, result)
    larger = np.maximum(np.abs(x), np.abs(y))
    result = np.where(far | (b == 0), larger + np.minimum(np.abs(x), np.abs(y)), result)
    result = np.where(np.isnan(x) | np.isnan(y), np.nan, result)
    return np.where(np.isinf(x) | np.isinf(y), np.inf, result)
