"""Exponential and hyperbolic functions, with the operations of fdlibm in their order."""

from __future__ import annotations

import numpy as np

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
)

LN2_HIGH = 6.93147180369123816490e-01
LN2_LOW = 1.90821492927058770002e-10
EXP_POLYNOMIAL = (
    1.66666666666666019037e-01,
    -2.77777777770155933842e-03,
    6.61375632143793436117e-05,
    -1.65339022054652515390e-06,
    4.13813679705723846039e-08,
)
_INVERSE_LN2 = 1.44269504088896338700
_EXPM1_POLYNOMIAL = (
    1.0,
    -3.33333333333331316428e-02,
    1.58730158725481460165e-03,
    -7.93650757867487942473e-05,
    4.00821782732936239552e-06,
    -2.01099218183624371326e-07,
)
_GREATEST = 7.09782712893383973096e02
_LEAST = -7.45133219101941108420e02
_INFINITE = 0x7FF00000
_HALF_LN2 = 0x3FD62E42
_THREE_HALVES_LN2 = 0x3FF0A2B2
_22 = 0x40360000
_LOG_OF_MAX = 0x40862E42
_OVERFLOW = (0x408633CE, 0x8FB9F87D)
"""Words of the greatest double whose hyperbolic sine is finite."""


def exp(x: Doubles) -> Doubles:
    """E to the power of x."""
    ix = magnitude(x)
    upper, lower, k = _reduced(x, ix)
    rest = upper - lower
    square = rest * rest
    c = rest - square * polynomial(square, *EXP_POLYNOMIAL)
    y = 1.0 - ((lower - (rest * c) / (2.0 - c)) - upper)
    small = k < -1021
    y = scaled(y, np.where(small, k + 1000, k))
    y = np.where(small, y * 2.0**-1000, y)
    y = np.where(ix < 0x3E300000, 1.0 + x, y)
    y = np.where(x > _GREATEST, np.inf, np.where(x < _LEAST, 0.0, y))
    return np.where(np.isnan(x), x, y)


def _reduced(x: Doubles, ix: Words) -> tuple[Doubles, Doubles, Words]:
    """X as `upper - lower + k * ln 2`."""
    sign = np.where(x < 0, -1.0, 1.0)
    times = np.trunc(_INVERSE_LN2 * x + 0.5 * sign)
    times = np.where(ix < _THREE_HALVES_LN2, sign, times)
    times = np.where((ix > _HALF_LN2) & (np.abs(x) < 2000.0), times, 0.0)
    return x - times * LN2_HIGH, times * LN2_LOW, times.astype(np.int64)


def expm1(x: Doubles) -> Doubles:
    """E to the power of x, minus 1."""
    ix = magnitude(x)
    upper, lower, k = _reduced(x, ix)
    rest = upper - lower
    c = (upper - rest) - lower
    half = 0.5 * rest
    square = rest * half
    r1 = polynomial(square, *_EXPM1_POLYNOMIAL)
    t = 3.0 - r1 * half
    e = square * ((r1 - t) / (6.0 - rest * t))
    y = replaced(rest - (rest * e - square), k != 0, _expm1_scaled, rest, e, c, square, k)
    y = np.where(ix < 0x3C900000, x, y)
    y = np.where((ix >= 0x4043687A) & (x < 0), -1.0, y)
    return np.where(np.isnan(x), x, np.where(x > _GREATEST, np.inf, y))


def _expm1_scaled(rest: Doubles, e: Doubles, c: Doubles, square: Doubles, k: Words) -> Doubles:
    e = (rest * (e - c) - c) - square
    one = np.where(rest < -0.25, -2.0 * (e - (rest + 0.5)), 1.0 + 2.0 * (rest - e))
    y = np.where(k == -1, 0.5 * (rest - e) - 0.5, one)
    return replaced(y, (k != 1) & (k != -1), _expm1_far, rest, e, k)


def _expm1_far(rest: Doubles, e: Doubles, k: Words) -> Doubles:
    within = np.clip(k, 0, 60)
    near = of_high(0x3FF00000 - (0x200000 >> np.minimum(within, 22)))
    tiny = of_high((0x3FF - within) << 20)
    y = np.where(k < 20, scaled(near - (e - rest), k), scaled((rest - (e + tiny)) + 1.0, k))
    return np.where((k <= -2) | (k > 56), scaled(1.0 - (e - rest), k) - 1.0, y)


def sinh(x: Doubles) -> Doubles:
    """Hyperbolic sine."""
    ix, at = magnitude(x), np.abs(x)
    h = np.where(high(x) < 0, -0.5, 0.5)
    t = expm1(at)
    y = np.where(ix < 0x3FF00000, h * (2.0 * t - t * t / (t + 1.0)), h * (t + t / (t + 1.0)))
    y = np.where(ix < 0x3E300000, x, y)
    return replaced(y, ix >= _22, _far, h, at)


def cosh(x: Doubles) -> Doubles:
    """Hyperbolic cosine."""
    ix, at = magnitude(x), np.abs(x)
    power = exp(at)
    y = replaced(0.5 * power + 0.5 / power, ix < 0x3FD62E43, _cosh_near_zero, at)
    return replaced(y, ix >= _22, _far, np.full_like(x, 0.5), at)


def _cosh_near_zero(at: Doubles) -> Doubles:
    t = expm1(at)
    w = 1.0 + t
    return np.where(magnitude(at) < 0x3C800000, w, 1.0 + (t * t) / (w + w))


def _far(half: Doubles, at: Doubles) -> Doubles:
    """Half of e to the power of numbers from 22, with the sign of `half`."""
    return replaced(half * exp(at), magnitude(at) >= _LOG_OF_MAX, _near_overflow, half, at)


def _near_overflow(half: Doubles, at: Doubles) -> Doubles:
    ix = magnitude(at)
    w = exp(0.5 * at)
    first, second = _OVERFLOW
    finite = (ix < first) | ((ix == first) & (low(at) <= second))
    infinite = np.where(np.isnan(at), at, half * np.inf)
    return np.where(finite, (half * w) * w, infinite)


def tanh(x: Doubles) -> Doubles:
    """Hyperbolic tangent."""
    ix, at = magnitude(x), np.abs(x)
    large = ix >= 0x3FF00000
    t = expm1(np.where(large, 2.0, -2.0) * at)
    z = np.where(large, 1.0 - 2.0 / (t + 2.0), -t / (t + 2.0))
    z = np.where(ix < _22, z, 1.0)
    z = np.where(high(x) < 0, -z, z)
    z = np.where(ix < 0x3C800000, x * (1.0 + x), z)
    return np.where(np.isnan(x), x, z)
